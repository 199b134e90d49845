"""How C and gamma move with the number of rows: both are followed from a sample to larger ones.

A Gaussian process whose prior is right needs no other C for more rows.  Priors are never quite right: with
more rows a rougher function pays, so that a larger C, or a narrower kernel, predicts better.  From the point
that was found on fewer rows the search climbs to larger C, then to narrower kernels, then to more centres,
while each step gains more on held-out rows than chance does; so what was good stays unless another is better
on more rows.  Once a size moves nothing, larger ones are not tried.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from kernelproba.calibration import CHANCE_GAIN
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.kernel_logistic.center_choice import AUTO_CENTERS
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.estimators.kernel_logistic.memory_plan import MemoryPlan
from kernelproba.estimators.kernel_logistic.refit import Refits
from kernelproba.rows import MemoryRows
from kernelproba.tuning.kernel_logistic.kept_stages import KeptSelection, candidate_of
from kernelproba.tuning.kernel_logistic.many_rows import ManyRows, RowOrder
from kernelproba.tuning.kernel_logistic.search import Candidate, CandidateSearch, GammaC, Stage
from kernelproba.tuning.kernel_logistic.stages import SearchSpace, SelectedModel
from kernelproba.tuning.observations import Observations
from kernelproba.tuning.time_budget import TimeBudget

#: Factors of C and of gamma in a step, as in the finest step of the search.
C_FACTOR, GAMMA_FACTOR = 10**0.5, 2.0
#: Steps of each at most, at one size.
MOST_STEPS = 4
#: Largest C.
MAX_C = 1e7
#: Each sample is so many times the one before.
SIZE_FACTOR = 4
#: Rows of a sample that each of very many centres takes.
ROWS_PER_CENTER = 8
#: What fits to all rows, and those without folds of them, take in units of a fit, row by row.
FINAL_COST = 3.0
#: Rows in memory that are worth another look, relative to those that were searched.
WORTHWHILE = 1.25


class Searched(NamedTuple):
    """What the user has left to be chosen."""

    gamma: bool
    C: bool
    n_centers: bool


def climb(
    evaluate: Callable[[float | None, float], Candidate],
    start: GammaC,
    searched: tuple[bool, bool],
    gain: float,
    budget: TimeBudget | None = None,
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
    """
    best = evaluate(*start)
    for factors, free in (((1.0, C_FACTOR), searched[1]), ((GAMMA_FACTOR, 1.0), searched[0])):
        for _ in range(MOST_STEPS if free else 0):
            gamma, C = best.point
            point = (None if gamma is None else gamma * factors[0]), C * factors[1]
            if point == best.point or point[1] > MAX_C or (budget is not None and budget.is_over()):
                break
            trial = evaluate(*point)
            if not trial.score > best.score + gain:
                break
            best = trial
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
    final fit; if that would leave none, it is all of them.
    """
    sizes = []
    while 2 * (first := first * SIZE_FACTOR) <= n:
        sizes.append(first)
    return sizes or [n]


def most_centers(n: int, plan: MemoryPlan) -> int:
    """Centres that may be tried on a sample of n rows: half of them, but beyond 4000 an eighth.

    Matrices of m² numbers are factorised: many centres are worth that where rows are many more.
    """
    return min(max(min(AUTO_CENTERS, n // 2), n // ROWS_PER_CENTER), plan.most_centers)


@dataclass
class SizedFits:
    """Fits of one model of the pool to a sample, judged by rows held out; each C starts from the one before.

    Parameters
    ----------
    selected : SelectedModel
        What was found on fewer rows.
    model : callable
        SelectedModel → KernelLogisticRegression, not yet fitted.
    sample, judged : Training
        Rows to fit, and rows to judge by.
    search : CandidateSearch
        Scores, keeps the record and has an eye on the time.
    final_share : float
        How many times as long as one fit to the sample the final fits are expected to take.
    """

    selected: SelectedModel
    model: Callable[[SelectedModel], KernelLogisticRegression]
    sample: Training
    judged: Training
    search: CandidateSearch
    final_share: float
    _fitted: dict[float | None, KernelLogisticRegression] = field(default_factory=dict, init=False)

    def evaluate(self, gamma: float | None, C: float, n_centers: int | None = None) -> Candidate:
        """Score one point on the rows held out."""
        best = self.selected.best
        m = best.n_centers if n_centers is None else n_centers
        point = replace(best, gamma=gamma, C=C, n_rows=len(self.sample.y), n_centers=m)
        with self.search.reported("candidate", len(self.sample.y)):
            log_P = self._fit(point).predict_log_proba(self.selected.view.rows(self.judged.X))
        weight = self.judged.weight / self.judged.weight.mean()
        score = self.search.scorer(log_P, self.judged.y, weight, float(len(weight)))
        found = replace(point, scores=(score,))
        self.search.record.append(found)
        return found

    def more_centers(self, best: Candidate, gain: float) -> Candidate:
        """Double the number of centres while that gains so much in score."""
        fitted = self._fitted[best.gamma]
        m, n = len(fitted.support_), len(self.sample.y)
        if fitted._spans_all_rows_ or best.n_centers is not None:
            return best
        most = most_centers(n, fitted._memory_plan())
        while (m := 2 * m) <= most and not self.search.budget.is_over():
            del self._fitted[best.gamma]
            trial = self.evaluate(best.gamma, best.C, m)
            if not trial.score > best.score + gain:
                break
            best = trial
        return best

    def _fit(self, point: Candidate) -> KernelLogisticRegression:
        """Fit at a point, from the last fit with the same kernel."""
        rows, gamma, known = self.sample, point.gamma, self._fitted.get(point.gamma)
        X = self.selected.view.rows(rows.X)
        if known is None or known._spans_all_rows_:
            fresh = self.model(self.selected._replace(best=point)) if known is None else known
            fresh.set_params(C=point.C, warm_start=True, class_weight=None)
            start = time.monotonic()
            self._fitted[gamma] = fresh.fit(X, rows.y, rows.weight)
            self.search.budget.reserve = self.final_share * (time.monotonic() - start)
        else:
            refits = Refits(known, MemoryRows(X), rows.y, rows.weight, point.C)
            self._fitted[gamma] = refits.to(rows.weight)
        return self._fitted[gamma]


def follow_sizes(
    many: ManyRows,
    order: RowOrder,
    selected: Sequence[SelectedModel],
    searched: Searched,
    model: Callable[[SelectedModel], KernelLogisticRegression],
    search: CandidateSearch,
) -> list[SelectedModel]:
    """Climb with every model of a pool on larger and larger samples, until a size moves none of them.

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
    judged, found = many.at(order.judged), list(selected)
    gain = CHANCE_GAIN / len(order.judged)

    def grown(before: Sequence[SelectedModel], size: int) -> list[SelectedModel]:
        sample = many.at(order.sample(size))
        share = FINAL_COST * len(before) * len(many) / size
        return [
            _grown(SizedFits(each, model, sample, judged, search, share), searched, gain) for each in before
        ]

    for size in sample_sizes(len(order.others), order.first) if any(searched[:2]) else []:
        if search.budget.is_over():
            break
        before = found
        stage = KeptSelection(search, f"size-{size}", partial(_moved, before))
        known = stage.found()
        found = stage.keep(grown(before, size)) if known is None else known
        if [_settings(each) for each in found] == [_settings(each) for each in before]:
            break
    return found


def _grown(fits: SizedFits, searched: Searched, gain: float) -> SelectedModel:
    """Let the settings of one model move at one size."""
    start = fits.selected.best
    free = searched.gamma and start.gamma is not None, searched.C
    best = climb(fits.evaluate, start.point, free, gain, fits.search.budget)
    if searched.n_centers:
        best = fits.more_centers(best, gain)
    return fits.selected._replace(best=best)


def _moved(before: Sequence[SelectedModel], state: dict) -> SelectedModel:
    """The model of the same view with other settings, from its state."""
    best = candidate_of(state["best"])
    return next(each for each in before if each.best.view == best.view)._replace(best=best)


def _settings(selected: SelectedModel) -> tuple:
    return *selected.best.point, selected.best.n_centers
