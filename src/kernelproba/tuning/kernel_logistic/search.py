"""The search of gamma and C: candidates are evaluated once, and everything that was tried is kept.

Good values change little with the number of rows (they are the prior of a Gaussian process, which knows no
rows): a sample of some hundred rows finds the neighbourhood, and a few points near it are tried on more rows.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from kernelproba.blas_threads import borrowed_blas_threads
from kernelproba.estimators.base.callbacks import Step, unobserved
from kernelproba.tuning.checkpoint import Stages
from kernelproba.tuning.kernel_logistic.candidates import CandidateFits, Folds, HeldOutPrediction
from kernelproba.tuning.kernel_logistic.pooled_kernels import is_wide
from kernelproba.tuning.kernel_logistic.progress import FitProgress
from kernelproba.tuning.pattern_search import LatticePoint, PatternSearch, is_outermost
from kernelproba.tuning.results import ResultsBuilder
from kernelproba.tuning.scorers import HeldOutScorer
from kernelproba.tuning.time_budget import TimeBudget

#: gamma, None for a kernel without, and C.
GammaC = tuple[float | None, float]

#: Rows up to which one thread is faster than two.
SMALL_ROWS = 800


class FeatureView(NamedTuple):
    """What was done to the features before they were compared, and by which kernel, for the record."""

    kernel: str
    scale: str | None
    weighed: bool = False


@dataclass(frozen=True)
class Stage:
    """Candidates of one view on some rows, judged by folds or by leave-one-out.

    Parameters
    ----------
    fits : CandidateFits
        Fits to the rows.
    folds : sequence of Fold or None
        What is held out; None leaves out one observation at a time.
    view : FeatureView
        For the record.
    searched : pair of bool
        Whether gamma, and C, are searched; else they stay where they start.
    """

    fits: CandidateFits
    folds: Folds
    view: FeatureView
    searched: tuple[bool, bool]

    def key(self, gamma: float | None, C: float) -> tuple:
        """What tells one evaluation from another: rows, folds and the point, up to rounding."""
        values = (None if value is None else f"{value:.6g}" for value in (gamma, C))
        return id(self.fits), 0 if self.folds is None else len(self.folds), *values


@dataclass(frozen=True)
class Candidate:
    """A point that was evaluated: its view, the number of rows, and one score for each fold.

    `n_centers` is a number of centres that was tried, None where it follows from the other settings.
    """

    view: FeatureView
    gamma: float | None
    C: float
    n_rows: int
    scores: tuple[float, ...]
    n_centers: int | None = None

    @property
    def score(self) -> float:
        """Mean over the folds."""
        # Of two or three numbers, asked for a thousand times in a search: np.mean takes twenty times as long.
        return sum(self.scores) / len(self.scores) if self.scores else float("nan")

    @property
    def point(self) -> GammaC:
        """(gamma, C)."""
        return self.gamma, self.C


class Screening(NamedTuple):
    """An earlier stage on fewer rows, and the point in it that corresponds to a start."""

    stage: Stage
    start: GammaC


@dataclass
class CandidateSearch:
    """Search of (gamma, C) that keeps a record.

    Parameters
    ----------
    scorer : HeldOutScorer
        What is to be largest on observations left out.
    step : Step
        Context of every evaluation.
    budget : TimeBudget
        How long it may take; what is best by then is taken.
    stages : Stages
        Where the results of stages are kept, if they are.
    record : list of Candidate
        What was evaluated.
    at_limit : set of Candidate
        Where walks ended because the lattice does.
    """

    scorer: HeldOutScorer
    step: Step = unobserved
    budget: TimeBudget = field(default_factory=TimeBudget)
    stages: Stages = field(default_factory=Stages)
    record: list[Candidate] = field(default_factory=list)
    at_limit: set[Candidate] = field(default_factory=set)
    progress: FitProgress = field(init=False)
    _known: dict[tuple, Candidate] = field(default_factory=dict, init=False)
    _held_out: dict[Candidate, tuple[np.ndarray, list[HeldOutPrediction]]] = field(
        default_factory=dict, init=False
    )
    _stages: list[Stage] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.progress = FitProgress(self.step, self.budget)

    def reported(self, name: str, n_rows: int, *, units: float = 0.0) -> AbstractContextManager[Step]:
        """Context of a step, reported with the best score so far on as many rows as any."""
        most = max((each.n_rows for each in self.record), default=0)
        best = max((each.score for each in self.record if each.n_rows == most), default=None)
        return self.progress.reported(name, n_rows, best, units=units)

    def evaluate(self, stage: Stage, gamma: float | None, C: float) -> Candidate:
        """Score one point, unless it has been evaluated on the same rows and folds."""
        key = stage.key(gamma, C)
        if key not in self._known:
            with self.reported("candidate", len(stage.fits.rows)):
                parts = stage.fits.held_out(gamma, C, stage.folds)
            rows = stage.fits.rows
            # A fold may test nothing but singleton classes, which have no weight in scores.
            scores = tuple(self._score(stage, part) for part in parts if part.weight.any())
            self._known[key] = Candidate(stage.view, gamma, C, len(rows), scores)
            self._held_out[self._known[key]] = rows.y, parts
            self._stages.append(stage)  # an id is unique only among what is alive
            self.record.append(self._known[key])
        return self._known[key]

    def held_out(self, candidate: Candidate) -> tuple[np.ndarray, list[HeldOutPrediction]]:
        """Class indices of the rows of a candidate, and the predictions by which it was judged."""
        return self._held_out[candidate]

    def begin_anew(self) -> None:
        """Forget what was tried, and where walks ended, for a search of the same points in another light."""
        self.forget()
        self.record.clear()
        self.at_limit.clear()

    def forget(self) -> None:
        """Give the memory of all matrices free."""
        for stage in self._stages:
            stage.fits.forget()

    def minimise(
        self,
        stage: Stage,
        start: GammaC,
        *,
        refine: bool = False,
        fine: bool = True,
        screening: Screening | None = None,
    ) -> Candidate:
        """Walk to the best point that can be reached from a start, or as far as the time allows.

        Parameters
        ----------
        stage : Stage
            Rows and folds.
        start : (gamma, C)
            Where to begin.
        refine : bool, default=False
            Whether the start is good already, so that small steps will do.
        fine : bool, default=True
            Whether there are small steps, which a later stage may take instead.
        screening : Screening, optional
            What an earlier stage knows of the steps.
        """
        pattern = PatternSearch(stage.searched, lambda point: self._screened(screening, point))
        walk = pattern.refine((0, 0)) if refine else pattern.descend((0, 0), fine=fine)
        with one_thread_if(len(stage.fits.rows) <= SMALL_ROWS):
            for point in walk:
                if pattern.tried and self.budget.is_over():
                    break
                pattern.record(point, -self.evaluate(stage, *lattice_values(start, point)).score)
        found = self.evaluate(stage, *lattice_values(start, pattern.best))
        if stage.searched[0] and is_outermost(pattern.best):
            self.at_limit.add(found)
        return found

    def _screened(self, screening: Screening | None, point: LatticePoint) -> float | None:
        """Loss of the point in an earlier stage."""
        if screening is None:
            return None
        known = self._known.get(screening.stage.key(*lattice_values(screening.start, point)))
        return None if known is None else -known.score

    def _score(self, stage: Stage, part: HeldOutPrediction) -> float:
        """Score of one part; a fit that has not converged is no candidate."""
        rows = stage.fits.rows
        if not (part.converged and np.isfinite(part.log_P).all()):
            return -np.inf
        # Wide rows are separable whatever their labels: that all are right is half the evidence.
        total = float(rows.units.sum()) / (2 if is_wide(rows.X) else 1)
        score = self.scorer(part.log_P, rows.y[part.rows], part.weight, total)
        return score if np.isfinite(score) else -np.inf

    def builder(self) -> ResultsBuilder:
        """The record, for `cv_results_`."""
        builder = ResultsBuilder()
        for each in self.record:
            params: dict[str, object] = {"kernel": each.view.kernel, "scale": each.view.scale, "C": each.C}
            if each.gamma is not None:
                params["gamma"] = each.gamma
            if each.n_centers is not None:
                params["n_centers"] = each.n_centers
            builder.add(params, each.scores, weighed=each.view.weighed, n_rows=each.n_rows)
        return builder


def one_thread_if(small: bool):
    """Context in which BLAS uses one thread: for small matrices, waking more costs more than it brings."""
    return borrowed_blas_threads() if small else nullcontext()


def lattice_values(start: GammaC, point: LatticePoint) -> GammaC:
    """(gamma, C) of a point of the lattice around a start."""
    gamma, C = start
    return (None if gamma is None else gamma * 2 ** (point[0] / 2)), C * 10 ** (point[1] / 4)
