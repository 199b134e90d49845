"""How C and gamma move with the number of rows: both are followed from a sample to larger ones.

A Gaussian process whose prior is right needs no other C for more rows.  Priors are never quite right: with
more rows a rougher function pays, so that a larger C, or a narrower kernel, predicts better.  At the point
that was found on fewer rows the number of centres is doubled, then the search climbs to larger C, then to
narrower kernels, while each step gains more on held-out rows than chance does; so what was good stays unless
another is better on more rows.  Models that a pool of them would leave out go.  Once a size moves nothing,
and no narrower kernel has come level, larger ones are not tried.  Before all that, correlated columns may get
their principal components beside them (`components`).

Between sizes, and to all rows, the number of centres grows with the root of the rows, at which rate Nyström
approximations lose nothing to the error of the sample [Rudi, Camoriano & Rosasco 2015, "Less is more"].
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from kernelproba.calibration import CHANCE_GAIN
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.kernel_logistic.center_choice import AUTO_CENTERS, chooses_fewer
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.estimators.kernel_logistic.memory_plan import MemoryPlan
from kernelproba.tuning.kernel_logistic.components import with_components
from kernelproba.tuning.kernel_logistic.feature_relevance import WeighedFeatures
from kernelproba.tuning.kernel_logistic.final_costs import FinalCosts
from kernelproba.tuning.kernel_logistic.kept_stages import KeptSelection, candidate_of, view_of
from kernelproba.tuning.kernel_logistic.many_rows import ManyRows, RowOrder
from kernelproba.tuning.kernel_logistic.pooling import worthwhile
from kernelproba.tuning.kernel_logistic.search import Candidate, CandidateSearch, GammaC, Stage
from kernelproba.tuning.kernel_logistic.sized_fits import DOUBLING_GAIN, SizedFits
from kernelproba.tuning.kernel_logistic.stages import SearchSpace, SelectedModel
from kernelproba.tuning.observations import Observations
from kernelproba.tuning.time_budget import TimeBudget

#: Factors of C and of gamma in a step, as in the finest step of the search.
C_FACTOR, GAMMA_FACTOR = 10**0.5, 2.0
#: Steps of each at most, at one size.
MOST_STEPS = 4
#: Largest C.
MAX_C = 1e7
#: Each sample is so many times the one before; beyond so many rows a fit takes a minute.
SIZE_FACTOR, LARGE_SAMPLE = 4, 128_000
#: What a candidate takes relative to one of the size before: rows, and the root of that in centres.
NEXT_SIZE = SIZE_FACTOR**1.5
#: Centres to begin with.
FIRST_CENTERS = 1000
#: Rows of a sample that each of very many centres takes; and that each takes where all rows may be centres.
ROWS_PER_CENTER, ROWS_PER_CENTER_OF_FEW = 8, 4
#: Scores for which fewer centres may be quicker: one takes one product with the kernel matrix in each step,
#: and many take a matrix of curvature each.
CENTERED_SCORES = range(2, 9)
#: Scores up to which a fit is cheap enough to try components, and narrower kernels with a smaller C.
MOST_SCORES = 8
#: Rows of the sample on which components of features are tried, relative to those that were searched.
COMPONENT_SIZE = 2
#: Bytes that the comparison of a row that is held out with one of that sample takes: distances, and a kernel.
COMPARED_BYTES = 16
#: Rows in memory that are worth another look, relative to those that were searched.
WORTHWHILE = 1.25


class Detour(NamedTuple):
    """Factors of gamma and C that are tried where the next gamma gains too little, perhaps only at first."""

    gamma: float
    C: float
    first_only: bool


#: Few rows may prefer a wide kernel, nearly linear, where more prefer a narrow one, with a valley between.
LEAP = Detour(8.0, 1.0, first_only=True)
#: Of wide kernels only the product of gamma and C matters, and one that is narrower has more to it.
RIDGE = Detour(GAMMA_FACTOR, 1 / GAMMA_FACTOR, first_only=False)


class Searched(NamedTuple):
    """What the user has left to be chosen."""

    gamma: bool
    C: bool
    n_centers: bool
    features: bool = False


def climb(
    evaluate: Callable[[float | None, float], Candidate],
    start: GammaC,
    searched: tuple[bool, bool],
    gain: float,
    budget: TimeBudget | None = None,
    detours: Sequence[Detour] = (),
) -> Candidate:
    """Walk to larger C, then to larger gamma, while every step gains so much in score.

    Parameters
    ----------
    evaluate : callable
        (gamma, C) → Candidate.
    start : (gamma, C)
        Where to begin.
    searched : pair of bool
        Whether gamma, and C, may move.
    gain : float
        What a step must gain.
    budget : TimeBudget, optional
        Time after which no step is tried.
    detours : sequence of Detour
        What else is tried, in turn, where the next gamma gains too little.
    """
    best = evaluate(*start)

    def step(from_: Candidate, gamma_factor: float, C_factor: float) -> Candidate | None:
        """The candidate that a step leads to, None if that gains too little or is not to be tried."""
        gamma, C = from_.point
        point = (None if gamma is None else gamma * gamma_factor), C * C_factor
        if point == from_.point or point[1] > MAX_C or (budget is not None and budget.is_over()):
            return None
        trial = evaluate(*point)
        return trial if trial.score > from_.score + gain else None

    for _ in range(MOST_STEPS if searched[1] else 0):
        moved = step(best, 1.0, C_FACTOR)
        if moved is None:
            break
        best = moved
    for number in range(MOST_STEPS if searched[0] else 0):
        moved = step(best, GAMMA_FACTOR, 1.0)
        for detour in detours:
            if moved is None and (number == 0 or not detour.first_only):
                moved = step(best, detour.gamma, detour.C)
        if moved is None:
            break
        best = moved
    return best


def grown_in_memory(
    space: SearchSpace, rows: Observations, search: CandidateSearch, selected: SelectedModel
) -> SelectedModel:
    """Climb on all rows in memory, judged by a quarter of them, from what was found on some of them."""
    if len(rows) < WORTHWHILE * space.max_rows or space.folds is not None or search.budget.is_over():
        return selected
    fits = selected.fits
    stage = Stage(fits, fits.quarters[:1], selected.best.view, space.searched)
    held_out = float(rows.judged_weight.sum()) / len(fits.quarters)
    best = climb(
        lambda gamma, C: search.evaluate(stage, gamma, C),
        selected.best.point,
        space.searched,
        CHANCE_GAIN / held_out,
        search.budget,
    )
    return selected._replace(best=best)


def sample_sizes(n: int, first: int) -> list[int]:
    """Sizes of samples on which settings are followed, of n rows, after the first of the search.

    They grow by four.  The last is half of the rows at most, since a step there costs as much as half of the
    final fit, and an eighth where that takes minutes; if that would leave none, it is all of them.
    """
    sizes, size = [], SIZE_FACTOR * first
    while (2 if size <= LARGE_SAMPLE else 8) * size <= n:
        sizes.append(size)
        size *= SIZE_FACTOR
    return sizes or [n]


def most_centers(n: int, plan: MemoryPlan) -> int:
    """Centres that may be tried on a sample of n rows: half of them, but beyond 4000 an eighth.

    Matrices of m² numbers are factorised: many centres are worth that where rows are many more.
    """
    return min(max(min(AUTO_CENTERS, n // 2), n // ROWS_PER_CENTER), plan.most_centers)


def grown_centers(best: Candidate, n: int, plan: MemoryPlan) -> int | None:
    """Centres for n rows, by the number that was found on fewer; None where all of those were centres."""
    if best.n_centers is None:
        return None
    grown = round(best.n_centers * max(n / best.n_rows, 1.0) ** 0.5)
    return min(grown, max(AUTO_CENTERS, best.n_centers), plan.most_centers)


def center_numbers(n: int, first: int, plan: MemoryPlan, *, spanning: bool = False) -> list[int | None]:
    """Numbers of centres to try on a sample of n rows, each twice the one before, None for all rows.

    Where all rows may be centres, they cost no more than half of them; where those of the final model may be
    `spanning`, all rows of the sample are tried alone, unless centres may be quicker.
    """
    if spanning and plan.n_scores not in CENTERED_SCORES:
        return [None]
    few = not chooses_fewer("auto", n, plan)
    most = n // ROWS_PER_CENTER_OF_FEW if few else most_centers(n, plan)
    numbers: list[int | None] = []
    m = first if few else min(first, most)
    while m <= most:
        numbers.append(m)
        m *= 2
    return [*numbers, None] if few else numbers


def leap_is_level(record: Sequence[Candidate], best: Candidate, gain: float) -> bool:
    """Whether a kernel that is a leap narrower than the best has done as well up to chance.

    More rows are in favour of it: it may have been far behind on the sample before.
    """
    if best.gamma is None:
        return False
    leap = replace(best, gamma=best.gamma * LEAP.gamma, scores=())
    return any(replace(each, scores=()) == leap and each.score > best.score - gain for each in record)


def follow_sizes(
    many: ManyRows,
    order: RowOrder,
    selected: Sequence[SelectedModel],
    searched: Searched,
    model: Callable[[SelectedModel], KernelLogisticRegression],
    search: CandidateSearch,
) -> list[SelectedModel]:
    """Climb with every model of a pool on larger and larger samples, until a size moves none of them.

    A kernel that is a leap narrower and has come level is a reason to go on, too.

    Parameters
    ----------
    many : ManyRows
        All rows.
    order : RowOrder
        In which they are drawn.
    selected : sequence of SelectedModel
        What was found on the first sample.
    searched : Searched
        What may move.
    model : callable
        SelectedModel → KernelLogisticRegression, not yet fitted.
    search : CandidateSearch
        Scores, and keeps the record.
    """
    growth = Growth(many, order, searched, model, search, model(selected[0]).memory_limit)
    sizes = sample_sizes(len(order.others), order.first)
    found = growth.with_components(selected) if searched.features and growth.cheap else list(selected)
    for size in sizes if any(searched[:2]) else []:
        search.budget.coming *= NEXT_SIZE
        if search.budget.is_over():
            break
        before = found
        numbers = [growth.numbers(each.best, size, first=size == sizes[0]) for each in before]
        stage = KeptSelection(search, f"size-{size}", partial(_moved, before))
        known = stage.found()
        found = stage.keep(growth.grown(before, numbers, size)) if known is None else known
        stays = {(each.best.view, *each.best.point, of[0]) for each, of in zip(before, numbers, strict=True)}
        moved = not {(each.best.view, *each.best.point, each.best.n_centers) for each in found} <= stays
        if not moved and not any(leap_is_level(search.record, each.best, growth.gain) for each in found):
            break
    return found


@dataclass(frozen=True)
class Growth:
    """How models of a pool grow from one size to the next; the parameters are those of `follow_sizes`."""

    many: ManyRows
    order: RowOrder
    searched: Searched
    model: Callable[[SelectedModel], KernelLogisticRegression]
    search: CandidateSearch
    memory_limit: float | str | None

    @cached_property
    def judged(self) -> Training:
        """Rows that are held out."""
        return self.many.at(self.order.judged)

    @property
    def gain(self) -> float:
        """What a step must gain in score: what chance does not."""
        return CHANCE_GAIN / len(self.order.judged)

    @property
    def cheap(self) -> bool:
        """Whether scores are so few that a fit more or less does not matter."""
        return self.many.memory_plan(self.memory_limit).n_scores <= MOST_SCORES

    def numbers(self, best: Candidate, size: int, *, first: bool) -> list[int | None]:
        """Numbers of centres to try with what was found on fewer rows, which for the first size were few."""
        if not self.searched.n_centers:
            return [best.n_centers]
        plan = self.many.memory_plan(self.memory_limit)
        start = FIRST_CENTERS if first else grown_centers(best, size, plan) or AUTO_CENTERS
        # A kernel without a width has a finite rank, or is not known to gain by all rows.
        spanning = best.gamma is not None and plan.may_span(len(self.many))
        return center_numbers(size, start, plan, spanning=spanning)

    def grown(
        self, before: Sequence[SelectedModel], numbers: Sequence[list[int | None]], size: int
    ) -> list[SelectedModel]:
        """Let the settings of all models move at one size; those that a pool of them has no use for go.

        One of which a leap has come level stays: the next size may be in favour of it.
        """
        fits_of = self._fits_of(self.many.at(self.order.sample(size)), self.judged, len(before))
        judged, fits = self.judged, [fits_of(each) for each in before]
        found = [self._moved(each, tried) for each, tried in zip(fits, numbers, strict=True)]
        log_Ps = [each.held_out(model.best) for each, model in zip(fits, found, strict=True)]
        weight = judged.weight / judged.weight.mean()
        # A model more takes as long as twice as many centres, and must be worth as much.
        members = worthwhile(log_Ps, judged.y, weight, DOUBLING_GAIN)
        # A model whose narrower kernel has come level is not judged yet by what it is here.
        level = [leap_is_level(self.search.record, each.best, self.gain) for each in found]
        stay = [each for k, each in enumerate(found) if k in members or level[k]]
        self._costs.keep([each.best.view for each in stay])
        return stay

    def with_components(self, selected: Sequence[SelectedModel]) -> list[SelectedModel]:
        """The models with components of the features as further ones, where rows held out gain by them."""
        plan = self.many.memory_plan(self.memory_limit)
        size = min(COMPONENT_SIZE * self.order.first, plan.search_rows)
        rows = self.many.at(self.order.sample(size))
        sample = rows.at(np.random.RandomState(0).permutation(len(rows.y)))
        every = 1 + len(self.order.judged) * size * COMPARED_BYTES // plan.total
        judged = self.judged if every == 1 else self.many.at(self.order.judged[::every])
        fits_of = self._fits_of(sample, judged, len(selected))
        stage = KeptSelection(self.search, "components", partial(_extended, selected, fits_of))
        if (known := stage.found()) is not None:
            return known
        gain, found = CHANCE_GAIN / len(judged.y), []
        for each in selected:
            over = self.search.budget.is_over()
            found.append(each if over else with_components(each, fits_of, gain))
        return stage.keep(found)

    @cached_property
    def _costs(self) -> FinalCosts:
        """What final fits will take."""
        n, plan = len(self.many), self.many.memory_plan(self.memory_limit)
        return FinalCosts(n, len(self.order.judged), plan, self.search.budget)

    def _fits_of(
        self, sample: Training, judged: Training, n_models: int
    ) -> Callable[[SelectedModel], SizedFits]:
        """What makes the fits of one of so many models to a sample."""
        costs, plan, n = self._costs, self.many.memory_plan(self.memory_limit), len(self.many)
        costs.begin()

        def learn(found: Candidate, fit: float, predict: float) -> None:
            costs.learn(found, grown_centers(found, n, plan), fit, predict, n_models)

        return lambda each: SizedFits(each, self.model, sample, judged, self.search, learn)

    def _moved(self, fits: SizedFits, numbers: Sequence[int | None]) -> SelectedModel:
        """Let the settings of one model move at one size."""
        start, gain = fits.selected.best, self.gain
        free = self.searched.gamma and start.gamma is not None, self.searched.C
        evaluate = partial(fits.evaluate, fits.enough_centers(start.point, numbers, gain))
        detours = [RIDGE, LEAP] if self.cheap and self.searched.C else [LEAP]
        best = climb(evaluate, start.point, free, gain, self.search.budget, detours)
        fits.forget()
        return fits.selected._replace(best=best)


def _moved(before: Sequence[SelectedModel], state: dict) -> SelectedModel:
    """The model of the same view with other settings, from its state."""
    best = candidate_of(state["best"])
    return next(each for each in before if each.best.view == best.view)._replace(best=best)


def _extended(
    before: Sequence[SelectedModel], fits_of: Callable[[SelectedModel], SizedFits], state: dict
) -> SelectedModel:
    """The model of the same kernel as it was before, or with components, from its state."""
    best, weights = candidate_of(state["best"]), state["weights"]
    selected = next(each for each in before if each.best.view.kernel == best.view.kernel)
    if best == selected.best:
        return selected
    weighed = WeighedFeatures(weights, state["gamma_factor"], None)
    seen = selected._replace(best=best, view=view_of(state["view"]), weighed=weighed)
    return seen._replace(fits=fits_of(seen).spanned)
