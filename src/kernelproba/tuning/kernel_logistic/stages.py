"""How gamma, C and the scale of the features are chosen for one kernel, stage by stage.

1. **Screening**, from a coarse to a finer lattice.  With few rows or two classes every point is judged by
   leave-one-out on all rows, and the search ends here.  Else that is dearer than some fits: points are judged
   by half of the rows, fitted to the other half; of more than 450 rows by two folds of a sample, or by
   leave-one-out of the sample for up to three classes.
2. **Comparison.**  The other scale of the features is tried at the point that was found, and at its own
   median distance; if it is better, the search goes on from there.  What a sample says of the scale is
   compared once more, on all rows or a sample of `max_rows`: by leave-one-out where that is quick, else by as
   many of four folds as hold out 600 rows.
3. **Refinement.**  Points around the best one that the screening has not found hopeless are tried on the same
   rows, but by folds that hold out 250; and two points far from it, from which the walk goes on if one is
   better.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import NamedTuple

from kernelproba.calibration import CHANCE_GAIN
from kernelproba.estimators.kernel_logistic.exact import Options
from kernelproba.kernels import Kernel
from kernelproba.tuning.grids import central_gamma
from kernelproba.tuning.kernel_logistic.candidates import CandidateFits, Folds
from kernelproba.tuning.kernel_logistic.feature_relevance import (
    FeatureRelevance,
    WeighedFeatures,
    paying_relevance,
)
from kernelproba.tuning.kernel_logistic.matrix_room import MatrixRoom
from kernelproba.tuning.kernel_logistic.out_of_sample import loo_is_cheap, loo_operations
from kernelproba.tuning.kernel_logistic.search import (
    Candidate,
    CandidateSearch,
    FeatureView,
    GammaC,
    Screening,
    Stage,
)
from kernelproba.tuning.observations import Observations
from kernelproba.tuning.scaling import ScaledView
from kernelproba.typing import Matrix

#: Rows of a sample at least, and for each of many classes, and the number of rows from which on it is taken.
SAMPLE_ROWS, CLASS_ROWS, SAMPLED_ROWS = 300, 20, 450
#: Operations of leave-one-out that screening can afford for softmax, and classes for which in a sample.
SCREENING_OPERATIONS, SAMPLED_CLASSES = 6e7, 3
#: Rows up to which the last stage can afford leave-one-out, and operations it may take there for softmax.
LOO_ROWS, REFINE_OPERATIONS = 1000, 3e8
#: Folds where it is not, and rows held out that it takes to tell two scales, and two neighbours, apart.
FOLDS, COMPARED_ROWS, REFINED_ROWS = 4, 600, 250
#: Rows from which weights of features are learned: all up to so many, and so many of twice as many or more.
RELEVANCE_ROWS, MOST_RELEVANCE_ROWS = 1000, 2000
#: Rows of the last stage relative to those of the screening up to which small steps are left to it: a walk
#: among fewer rows costs nearly as much there, and says less.
COARSE_RATIO = 3
#: Rows behind the median distance.
MEDIAN_ROWS = 300
#: How much worse, relatively, another scale may be on a sample and still be compared.
STAGE_TOL = 0.25
#: How much worse, relatively, a kernel may be than another before its settings are refined, and still matter.
HOPELESS = 0.3
#: Nats up to which the screening of two scales says the same.
TIE_NATS = 0.25
#: Multiples of gamma, and C, from which the last stage may start: an ordinary one, and a wide kernel with a
#: large C, which is an additive model (Laplacian) or a polynomial (RBF).
FINAL_STARTS = ((1.0, 100.0), (1 / 64, 1e4))
#: Where the search of C starts, and multiples of gamma from which else it may.
START_C, OTHER_WIDTHS = 10.0, (1 / 16, 16.0)


@dataclass(frozen=True)
class SearchSpace:
    """What is left to be chosen for one kernel.

    Parameters
    ----------
    kernel : str
        Its name, for the record.
    kernel_of : callable
        (X, gamma) → Kernel.
    options : Options
        Of the fits.
    gammas, Cs : list or None
        Values to choose from; None for a search.  [None] is the gamma of a kernel that has none.
    scales : sequence of str or None
        Scales of the features, the first one more likely.
    max_rows : int
        Rows of the last stage.
    folds : sequence of Fold or None
        The user's own folds, by which then the last stage judges.
    weighable : bool
        Whether features may be weighed.
    room : MatrixRoom
        For the matrices of all fits of the search.
    """

    kernel: str
    kernel_of: Callable[[Matrix, float | None], Kernel]
    options: Options
    gammas: Sequence[float | None] | None
    Cs: Sequence[float] | None
    scales: Sequence[str | None]
    max_rows: int
    folds: Folds
    weighable: bool
    room: MatrixRoom

    @property
    def searched(self) -> tuple[bool, bool]:
        """Whether gamma, and C, are searched."""
        return self.gammas is None, self.Cs is None

    def stage(self, view: ScaledView, rows: Observations, folds: Folds) -> Stage:
        """Candidates on rows in a view."""
        seen = view.of(rows)
        fits = CandidateFits(seen, partial(self.kernel_of, seen.X), self.options, self.room)
        return Stage(fits, folds, FeatureView(self.kernel, view.rule), self.searched)


class StageResult(NamedTuple):
    """The best candidate of a view, its stage, the gamma begun with, and what the stage before knows."""

    best: Candidate
    view: ScaledView
    stage: Stage
    center: float
    screening: Screening | None = None


class SelectedModel(NamedTuple):
    """The chosen candidate of a kernel, its view, fits to all rows in it, and how features were weighed."""

    best: Candidate
    view: ScaledView
    fits: CandidateFits
    weighed: WeighedFeatures | None = None


def screen(space: SearchSpace, rows: Observations, search: CandidateSearch) -> list[StageResult]:
    """Find the best candidate of each scale of the features, in the cheapest way that can tell."""
    make = _screening_stage if _is_screened(space, rows) else _final_stage
    views = [ScaledView.learn(rule, rows) for rule in space.scales]
    (view, stage), *others = [(view, make(space, rows, view)) for view in views]
    fine = not _leaves_small_steps(space, rows, stage)
    center = _center(space, rows, view)
    starts = product(space.gammas or [center], space.Cs or [START_C])
    best = max((search.minimise(stage, start, fine=fine) for start in starts), key=_score)
    best = _from_other_widths(stage, center, best, search, fine=fine)
    results = [StageResult(best, view, stage, center)]
    for other, stage in others:
        if search.budget.is_over():
            break
        own_center = _center(space, rows, other)
        gamma, *own = _corresponding(space, best.gamma, center, own_center)
        known = search.evaluate(stage, gamma, best.C)
        if own and known.score < best.score:
            known = max(known, search.evaluate(stage, own[0], best.C), key=_score)
        if fine and known.score > best.score + CHANCE_GAIN / len(stage.fits.rows):
            known = search.minimise(stage, known.point, refine=True)
        results.append(StageResult(known, other, stage, own_center))
    return results


def _leaves_small_steps(space: SearchSpace, rows: Observations, stage: Stage) -> bool:
    """Whether the last stage has few more rows than a screening of few classes.

    Rows of many classes may be so few and so well apart that all of them leave nothing to choose by.
    """
    n, sampled = min(len(rows), space.max_rows), len(stage.fits.rows)
    few_classes = CLASS_ROWS * rows.n_scores <= SAMPLE_ROWS
    return _is_screened(space, rows) and few_classes and sampled <= n <= COARSE_RATIO * sampled


def _from_other_widths(
    stage: Stage, center: float, best: Candidate, search: CandidateSearch, *, fine: bool
) -> Candidate:
    """Walk from a far narrower or wider kernel, too, where it is better at once than all that was found.

    A walk that has raised C for a wide kernel, step by step, does not come back for a narrow one.
    """
    if best.gamma is None or not all(stage.searched) or search.budget.is_over():
        return best
    starts = [search.evaluate(stage, center * factor, START_C) for factor in OTHER_WIDTHS]
    better = [start for start in starts if start.score > best.score]
    return max([best, *(search.minimise(stage, start.point, fine=fine) for start in better)], key=_score)


def finish(
    space: SearchSpace,
    rows: Observations,
    search: CandidateSearch,
    screened: Sequence[StageResult],
    rival: Candidate | None = None,
) -> SelectedModel | None:
    """Compare the scales once more where a sample was screened, refine, and weigh features if that pays.

    None if the kernel is so far behind a rival of another one that it would have no weight beside it.
    """
    chosen = max(screened, key=_result_score)
    if _is_screened(space, rows) and not search.budget.is_over():
        compared = _compare(space, rows, search, screened)
        if _is_hopeless(space, rows, search, compared, rival):
            return None
        stage = _refining_stage(space, compared.stage)
        best = search.minimise(stage, compared.best.point, refine=True, screening=compared.screening)
        chosen = compared._replace(stage=stage, best=best)
        if (start := _better_start(space, rows, search, chosen)) is not None:
            chosen = chosen._replace(best=search.minimise(stage, start.point, refine=True))
    whole = space.folds is None and len(chosen.stage.fits.rows) == len(rows)
    fits = chosen.stage.fits if whole else space.stage(chosen.view, rows, None).fits
    plain = SelectedModel(chosen.best, chosen.view, fits)
    if not space.weighable or search.budget.is_over():
        return plain
    return _weighed(space, rows, search, chosen, plain)


def _weighed(
    space: SearchSpace, rows: Observations, search: CandidateSearch, found: StageResult, plain: SelectedModel
) -> SelectedModel:
    """Return a model with weighed features, if held-out rows are then predicted better."""
    gamma, C = found.best.point
    assert gamma is not None
    few = len(rows) <= RELEVANCE_ROWS
    size = MOST_RELEVANCE_ROWS if len(rows) >= MOST_RELEVANCE_ROWS else RELEVANCE_ROWS
    fits = plain.fits if few else space.stage(found.view, rows.sample(size), None).fits
    paying = paying_relevance(fits, (gamma, C), fits.rows.folds(FOLDS), all_folds=few)
    if paying is None:
        return plain
    relevance = FeatureRelevance.learn(fits, gamma, C, paying.rounds)
    known = found.stage.fits.known_scores.reweighed((gamma, C))
    fits = relevance.of(found.stage.fits, known)
    stage = replace(found.stage, fits=fits, view=found.stage.view._replace(weighed=True))
    screening = Screening(found.stage, found.best.point)
    best = search.minimise(stage, (relevance.gamma, C), refine=True, screening=screening)
    assert best.gamma is not None
    factor = best.gamma / relevance.gamma
    weighed = WeighedFeatures(relevance.weights, factor, paying if few else None)
    whole = stage.fits if plain.fits is found.stage.fits else relevance.of(plain.fits)
    return SelectedModel(best, found.view.weighed(relevance.weights), whole, weighed)


def _compare(
    space: SearchSpace, rows: Observations, search: CandidateSearch, screened: Sequence[StageResult]
) -> StageResult:
    """Return the view to go on with on all rows: what a sample says of the scale is compared once more."""
    first, *others = screened
    if not _is_sampled(rows):
        better = [each for each in others if each.best.score > first.best.score + CHANCE_GAIN / len(rows)]
        return _final_result(space, rows, max([first, *better], key=_result_score))
    n = len(first.stage.fits.rows)
    distinct = [each for each in others if abs(each.best.score - first.best.score) * n > TIE_NATS]
    best = max(map(_result_score, [first, *distinct]))
    close = [each for each in (first, *distinct) if each.best.score >= best - STAGE_TOL * abs(best)]
    results = [_final_result(space, rows, each) for each in close or [max(screened, key=_result_score)]]
    if len(results) == 1:
        return results[0]
    compared = (each._replace(best=search.evaluate(each.stage, *each.best.point)) for each in results)
    return max(compared, key=_result_score)


def _final_result(space: SearchSpace, rows: Observations, found: StageResult) -> StageResult:
    """The candidate in the last stage, judged by folds where those are cheaper than leave-one-out."""
    stage = _final_stage(space, rows, found.view)
    fits, k = stage.fits, rows.n_scores
    if stage.folds is None and k > 1:
        rank = fits.low_rank(found.best.gamma).Phi.shape[1]
        if loo_operations(len(fits.rows), k, rank) > REFINE_OPERATIONS:
            stage = replace(stage, folds=fits.rows.folds(FOLDS))
    return found._replace(stage=stage, screening=Screening(found.stage, found.best.point))


def _refining_stage(space: SearchSpace, stage: Stage) -> Stage:
    """The last stage with as many folds as tell neighbours apart, unless the user has chosen them."""
    if space.folds is not None or stage.folds is None:
        return stage
    return replace(stage, folds=stage.folds[: _folds_that_hold_out(REFINED_ROWS, stage.fits.rows)])


def _is_hopeless(
    space: SearchSpace,
    rows: Observations,
    search: CandidateSearch,
    found: StageResult,
    rival: Candidate | None,
) -> bool:
    """Whether all starts are so much worse than a rival on the same rows that no step will make up for it."""
    # A kernel without gamma has no width to go wrong by, and its C costs little to refine.
    if rival is None or rival.n_rows != len(found.stage.fits.rows) or found.best.gamma is None:
        return False
    found = found._replace(stage=_refining_stage(space, found.stage))
    score = search.evaluate(found.stage, *found.best.point).score
    least = rival.score - HOPELESS * abs(rival.score)
    if score < least and _has_other_starts(space, rows, search, found):
        starts = _other_starts(search, found)
        score = max([score, *(start.score for start in starts)])
    return score < least


def _has_other_starts(
    space: SearchSpace, rows: Observations, search: CandidateSearch, found: StageResult
) -> bool:
    """Whether a sample of the rows may have led astray, and there are other points to set out from."""
    searched = found.best.gamma is not None and all(space.searched)
    return searched and _is_sampled(rows) and not search.budget.is_over()


def _other_starts(search: CandidateSearch, found: StageResult) -> list[Candidate]:
    """Other points to set out from on all rows; what the sample says of them misleads."""
    starts: list[Candidate] = []
    for width, C in FINAL_STARTS:
        if starts and search.budget.is_over():
            break
        starts.append(search.evaluate(found.stage, found.center * width, C))
    return starts


def _better_start(
    space: SearchSpace, rows: Observations, search: CandidateSearch, found: StageResult
) -> Candidate | None:
    """Another point to walk from on all rows, if one is better at once than what a sample led to.

    A few hundred rows may tell so little that they end with nearly constant functions, or with narrow kernels
    that tell equal rows apart; more rows of the same table then want a rough additive one.
    """
    if not _has_other_starts(space, rows, search, found):
        return None
    start = max(_other_starts(search, found), key=_score)
    better = start.score > found.best.score + CHANCE_GAIN / len(found.stage.fits.rows)
    return start if better else None


def _score(candidate: Candidate) -> float:
    return candidate.score


def _result_score(result: StageResult) -> float:
    return result.best.score


def _is_sampled(rows: Observations) -> bool:
    """Whether a sample goes before all rows."""
    return len(rows) > SAMPLED_ROWS


def _is_screened(space: SearchSpace, rows: Observations) -> bool:
    """Whether points are searched in a cheaper way before they are judged."""
    n, k = len(rows), rows.n_scores
    cheap = space.folds is not None or k == 1 or loo_operations(n, k, n) <= SCREENING_OPERATIONS
    return any(space.searched) and (_is_sampled(rows) or not cheap)


def _center(space: SearchSpace, rows: Observations, view: ScaledView) -> float:
    """Gamma from which to search."""
    X = view.of(rows.sample(MEDIAN_ROWS)).X
    return central_gamma(space.kernel_of(X, 1.0), X)


def _corresponding(
    space: SearchSpace, gamma: float | None, center: float, other: float
) -> list[float | None]:
    """Gammas to try around another centre: as far from it as a gamma is from its own, else that centre."""
    if space.gammas is not None or gamma is None:
        return [gamma]
    return [other] if gamma == center else [gamma / center * other, other]


def _screening_stage(space: SearchSpace, rows: Observations, view: ScaledView) -> Stage:
    """Judge by half of the rows, fitted to the other; a sample by leave-one-out, or by two of four folds."""
    if not _is_sampled(rows):
        return space.stage(view, rows, rows.folds(2)[:1])
    sample = rows.sample(max(SAMPLE_ROWS, CLASS_ROWS * rows.n_scores))
    folds = None if rows.n_scores <= SAMPLED_CLASSES else sample.folds(FOLDS)[: FOLDS // 2]
    return space.stage(view, sample, folds)


def _final_stage(space: SearchSpace, rows: Observations, view: ScaledView) -> Stage:
    """Judge by the user's folds, by leave-one-out while rows are few, or by quarters of the rows."""
    if space.folds is not None:
        return space.stage(view, rows, space.folds)
    sample = rows.sample(space.max_rows)
    if len(sample) <= LOO_ROWS and loo_is_cheap(len(sample), rows.n_scores):
        return space.stage(view, sample, None)
    return space.stage(view, sample, sample.folds(FOLDS)[: _folds_that_hold_out(COMPARED_ROWS, sample)])


def _folds_that_hold_out(n_rows: int, rows: Observations) -> int:
    """How many of four folds hold out so many rows."""
    return math.ceil(n_rows * FOLDS / len(rows))


__all__ = ["GammaC", "SearchSpace", "SelectedModel", "StageResult", "finish", "screen"]
