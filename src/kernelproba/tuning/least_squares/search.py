"""Where to look for gamma, alpha and the scale of the features of a least-squares posterior.

1. *Screening*, if there are many rows and something is to be searched: a pattern search from coarse to fine
   (`kernelproba.tuning.pattern_search`), judged by leave-one-out on a sample of the rows.
2. The other scale of the features is tried at the point that was found, and at its own median distance; if it
   is better, the search goes on from there.
3. On more rows, a larger sample or all of them, scales that the sample cannot tell apart are compared, and
   points around the best one are tried unless the screening found them to be much worse.
4. *Last stage*, on all rows, by leave-one-out or by the user's folds: after a larger sample only alpha, which
   changes with the number of rows, and narrower kernels are looked at.

Values that the user gives are all tried, in the last stage alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np

from kernelproba.calibration import HeldOutScores
from kernelproba.estimators.base.callbacks import Step, unobserved
from kernelproba.tuning.pattern_search import (
    GAIN,
    LatticePoint,
    PatternSearch,
    is_outermost,
    within_limits,
)
from kernelproba.tuning.results import ResultsBuilder, finite_or_worst
from kernelproba.tuning.scaling import ScaledView

#: Widths of sugiyama2010, as multiples of the median distance, and penalties.
PAPER_WIDTHS = (1 / 10, 1 / 5, 1 / 2, 2 / 3, 1.0, 3 / 2, 2.0, 5.0, 10.0)
PAPER_ALPHAS = tuple(10.0 ** np.arange(-2, 0.1, 0.5))
#: Penalties that reach further down, where the best ones are found more often.
WIDE_ALPHAS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
#: Penalty at which a search starts, for kernels with k(x, x) = 1.
START_ALPHA = 1e-4
#: Steps of gamma, by factors of √2, among which a search finds its start: a pattern much finer than the
#: median distance cannot be seen from there.
SCANNED_WIDTHS = (0, -4, 4, 8, 12)
#: How much worse, relatively, a scale may be on a sample and still be compared on all rows.
STAGE_TOL = 0.1
#: Direction of the pattern search towards wider kernels.
WIDER: tuple[LatticePoint, ...] = ((-1, 0),)
#: Share of the loss that a step of the last stage must gain: there steps are dear, and rows judged few.
LAST_GAIN = 5e-3
#: Nats up to which two scales are the same on a sample: that of the first is taken.
TIE_NATS = 0.25


class Candidates(Protocol):
    """Models at many (gamma, alpha), and what they say of rows they have not seen."""

    @property
    def n_rows(self) -> int:
        """Number of rows that the models are fitted to."""

    @property
    def folds(self) -> list[np.ndarray]:
        """Which of the held-out rows belong to which fold."""

    def held_out(self, gamma: float | None, alphas: Sequence[float]) -> list[HeldOutScores]:
        """Scores of held-out rows for each penalty."""


@dataclass(frozen=True, eq=False)
class LeastSquaresStage:
    """A scale of the features, and the models that are tried on it.

    Parameters
    ----------
    view : ScaledView
        The scale.
    candidates : Candidates
        The models.
    gammas, alphas : sequence of float or None
        Values to choose from, None for a search; [None] for a kernel without gamma.
    start : (gamma, alpha)
        Where a search starts.
    """

    view: ScaledView
    candidates: Candidates
    gammas: Sequence[float | None] | None
    alphas: Sequence[float] | None
    start: tuple[float, float]

    @property
    def searched(self) -> tuple[bool, bool]:
        """Whether gamma, and alpha, are searched."""
        return self.gammas is None, self.alphas is None


#: Takes a scale of the features.
StageOf = Callable[[ScaledView], LeastSquaresStage]


class LeastSquaresCandidate(NamedTuple):
    """A candidate: its line in the results, its stage and parameters, its mean score."""

    line: int
    stage: LeastSquaresStage
    gamma: float | None
    alpha: float
    score: float
    #: Whether the search ended here because gamma came to its limits.
    outermost: bool = False


@dataclass
class LeastSquaresSearch:
    """Search of (gamma, alpha) that keeps what it tries.

    Parameters
    ----------
    judge : callable
        (HeldOutScores, folds) → scores of the folds, the larger the better.
    step : Step
        Context of every candidate that is tried.
    results : ResultsBuilder
        Candidates and their scores.
    """

    judge: Callable[[HeldOutScores, list[np.ndarray]], Sequence[float]]
    step: Step = unobserved
    results: ResultsBuilder = field(default_factory=ResultsBuilder)
    _known: dict[tuple, LeastSquaresCandidate] = field(default_factory=dict, init=False)

    def select(self, views: Sequence[ScaledView], stages: Sequence[StageOf]) -> LeastSquaresCandidate:
        """Return the best candidate of the last stage.

        Parameters
        ----------
        views : sequence of ScaledView
            Scales of the features, the likelier first.
        stages : sequence of callables
            View → LeastSquaresStage, from the smallest sample of the rows to all of them.
        """
        first, *later = stages
        found = self.explore([first(view) for view in views])
        for number, stage_of in enumerate(later):
            compared = [
                (self._start_of(stage_of(each.stage.view), each), each) for each in self._in_question(found)
            ]
            start, origin = max(compared, key=lambda pair: pair[0].score)
            # More rows want narrower kernels: after two samples wider ones need not be tried.
            end = self.refine(start, origin, WIDER if number else ())
            found = [end._replace(outermost=origin.outermost)]
        return max(found, key=_score)

    def _start_of(self, stage: LeastSquaresStage, screened: LeastSquaresCandidate) -> LeastSquaresCandidate:
        """Try the candidate with all rows that was best in the screening; a good alpha falls as 1/n."""
        growth = stage.candidates.n_rows / screened.stage.candidates.n_rows if stage.alphas is None else 1.0
        steps = round(4 * np.log10(growth))
        return self.evaluate(stage, *_values((screened.gamma, screened.alpha), (0, steps)))

    def _in_question(self, found: Sequence[LeastSquaresCandidate]) -> list[LeastSquaresCandidate]:
        """Return what is to be compared on more rows: neither far behind nor the same as the first."""
        first, *others = found
        nats = [abs(each.score - first.score) * _n_judged(each) for each in others]
        unlike = [first, *(each for each, gap in zip(others, nats, strict=True) if gap > TIE_NATS)]
        best = max(map(_score, unlike))
        return [each for each in unlike if each.score >= best - STAGE_TOL * abs(best)]

    def explore(self, stages: Sequence[LeastSquaresStage]) -> list[LeastSquaresCandidate]:
        """Return the best candidate of each scale; after the first only better scales are searched."""
        first, *others = stages
        best = self._descend(first)
        found = [best]
        for stage in others:
            if not any(stage.searched):
                found.append(self._descend(stage))
                continue
            known = max((self.evaluate(stage, g, best.alpha) for g in _alike(best, stage)), key=_score)
            if known.score > best.score:
                known = self.refine(known)
            found.append(known)
        return found

    def evaluate(
        self, stage: LeastSquaresStage, gamma: float | None, *alphas: float
    ) -> LeastSquaresCandidate:
        """Try penalties at one width, those anew that have not been tried; return the best."""
        new = [alpha for alpha in alphas if _key(stage, gamma, alpha) not in self._known]
        if new:
            with self.step("point"):
                held_out = stage.candidates.held_out(gamma, new)
            for alpha, rows in zip(new, held_out, strict=True):
                self._keep(stage, gamma, alpha, rows)
        return _smoothest([self._known[_key(stage, gamma, alpha)] for alpha in alphas])

    def refine(
        self,
        start: LeastSquaresCandidate,
        screened: LeastSquaresCandidate | None = None,
        without: Sequence[LatticePoint] = (),
    ) -> LeastSquaresCandidate:
        """Return the best candidate near one that is good already, past those that screening found bad.

        Parameters
        ----------
        start : LeastSquaresCandidate
            The candidate.
        screened : LeastSquaresCandidate, optional
            What corresponds to it in an earlier stage.
        without : sequence of (g, c)
            Directions of the pattern search that are not tried.
        """
        stage, origin = start.stage, (start.gamma, start.alpha)
        gain = GAIN if screened is None else LAST_GAIN
        pattern = PatternSearch(stage.searched, partial(self._screened_loss, screened), gain)
        for point in pattern.refine((0, 0), without):
            pattern.record(point, -self.evaluate(stage, *_values(origin, point)).score)
        return self.evaluate(stage, *_values(origin, pattern.best))

    def _descend(self, stage: LeastSquaresStage) -> LeastSquaresCandidate:
        """Return the best candidate that a search finds from the start, or from all values that are given."""
        gamma, alpha = stage.start
        gammas, alphas = stage.gammas or [gamma], stage.alphas or [alpha]
        if not any(stage.searched):
            return _smoothest([self.evaluate(stage, gamma, *alphas) for gamma in gammas])
        seeds = [(g, 0) for g in SCANNED_WIDTHS if within_limits((g, 0))] if stage.searched[0] else [(0, 0)]
        ends = []
        for start in product(gammas, alphas):
            pattern = PatternSearch(stage.searched)
            scanned = {seed: self.evaluate(stage, *_values(start, seed)).score for seed in seeds}
            first = max(scanned, key=scanned.__getitem__)
            for point in pattern.descend(first):
                pattern.record(point, -self.evaluate(stage, *_values(start, point)).score)
            outermost = stage.searched[0] and is_outermost(pattern.best)
            ends.append(self.evaluate(stage, *_values(start, pattern.best))._replace(outermost=outermost))
        return _smoothest(ends)

    def _screened_loss(self, screened: LeastSquaresCandidate | None, point: LatticePoint) -> float | None:
        """Loss of the corresponding candidate in the screening, if it was tried."""
        if screened is None:
            return None
        values = _values((screened.gamma, screened.alpha), point)
        known = self._known.get(_key(screened.stage, *values))
        return None if known is None else -known.score

    def _keep(self, stage: LeastSquaresStage, gamma: float | None, alpha: float, rows: HeldOutScores) -> None:
        """Judge a candidate by its scores of held-out rows, and keep it."""
        scores = np.asarray(self.judge(rows, stage.candidates.folds))
        params = {"alpha": alpha, "gamma": gamma, "scale": stage.view.rule}
        line = self.results.add(params, scores, n_rows=stage.candidates.n_rows)
        score = float(finite_or_worst(scores.mean()))
        self._known[_key(stage, gamma, alpha)] = LeastSquaresCandidate(line, stage, gamma, alpha, score)


def _key(stage: LeastSquaresStage, gamma: float | None, alpha: float) -> tuple:
    """What tells one candidate from another, up to rounding."""
    return stage, *(None if value is None else f"{value:.6g}" for value in (gamma, alpha))


def _values(start: tuple[float | None, float], point: LatticePoint) -> tuple[float | None, float]:
    """(gamma, alpha) of a point of the lattice around a start; its second axis is that of 1/alpha."""
    gamma, alpha = start
    return (None if gamma is None else gamma * 2 ** (point[0] / 2)), alpha * 10 ** (-point[1] / 4)


def _alike(best: LeastSquaresCandidate, stage: LeastSquaresStage) -> list[float | None]:
    """Gammas to try on another scale: as far from its median distance, and that itself."""
    if stage.gammas is not None or best.gamma is None:
        return [best.gamma]
    center, other = best.stage.start[0], stage.start[0]
    return [other] if best.gamma == center else [best.gamma / center * other, other]


def _n_judged(tried: LeastSquaresCandidate) -> int:
    """Number of held-out rows behind a score."""
    return sum(len(fold) for fold in tried.stage.candidates.folds)


def _score(tried: LeastSquaresCandidate) -> float:
    return tried.score


def _smoothest(tried: Sequence[LeastSquaresCandidate]) -> LeastSquaresCandidate:
    """Return the best; ties up to rounding go to the wider kernel, then to the larger penalty."""
    top = max(map(_score, tried))
    best = [each for each in tried if each.score >= top - 1e-5 * (1 + abs(top))]
    return min(best, key=lambda each: (each.gamma or 0.0, -each.alpha))
