"""Where to look for gamma and C of kernel logistic regression, and what was found.

Good values change little with the number of rows (they are the prior of a Gaussian process, which knows no
rows): a sample of some hundred rows finds the neighbourhood, and a few points near it are tried on more rows.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from kernelproba.estimators.base.callbacks import Step, unobserved
from kernelproba.estimators.base.classifier import Training
from kernelproba.kernels import Kernel, Laplacian, Stationary, resolve_gamma
from kernelproba.kernels.blocks import blas_libraries
from kernelproba.tuning.kernel_logistic.candidates import Trials, Unseen
from kernelproba.tuning.pattern_search import Lattice, Point, is_outermost
from kernelproba.tuning.results import SearchResults
from kernelproba.tuning.scorers import UnseenScore

#: gamma, None for a kernel without, and C.
Values = tuple[float | None, float]

#: Rows up to which one thread is faster than two.
SMALL_ROWS = 800


class Scouts(NamedTuple):
    """Fits that were tried before, and the point among them that corresponds to a start."""

    trials: Trials
    start: Values


@dataclass(frozen=True)
class Trial:
    """One line of the record: a point, the rows it was tried on, and its scores, one per part."""

    scale: str | None
    weighed: bool
    gamma: float | None
    C: float
    n_rows: int
    scores: tuple[float, ...]

    @property
    def score(self) -> float:
        """Mean over the parts."""
        return float(np.mean(self.scores))


@dataclass
class LogisticSearch:
    """Search of (gamma, C) that writes down what it tries.

    Parameters
    ----------
    score : UnseenScore
        What is to be largest.
    searched : pair of bool
        Whether to walk along gamma, and along C; else both stay where they start.
    step : Step
        Context of every point that is tried.
    record : list of Trial
        What was tried.
    """

    score: UnseenScore
    searched: tuple[bool, bool]
    step: Step = unobserved
    record: list[Trial] = field(default_factory=list)
    #: Where walks ended because the lattice does.
    stopped: set[Trial] = field(default_factory=set)
    _known: dict[tuple, Trial] = field(default_factory=dict)

    def attempt(self, trials: Trials, gamma: float | None, C: float) -> Trial:
        """Try one point, unless it has been tried on the same rows and folds."""
        point = _key(trials, gamma, C)
        if point not in self._known:
            rows = trials.training
            with self.step("point"):
                scores = tuple(self._score(rows, part) for part in trials.unseen(gamma, C))
            self._known[point] = Trial(trials.scale, trials.weighed, gamma, C, len(rows.y), scores)
            self.record.append(self._known[point])
        return self._known[point]

    def descend(self, trials: Trials, start: Values) -> Trial:
        """The best point that can be reached from a start, by large and then by small steps."""
        return self._walk(trials, start, self._lattice(trials, start).descend)

    def refine(self, trials: Trials, start: Values, scouts: Scouts | None = None) -> Trial:
        """The best point near one that is good already, past what scouts have found hopeless."""
        return self._walk(trials, start, self._lattice(trials, start, scouts).refine)

    def _lattice(self, trials: Trials, start: Values, scouts: Scouts | None = None) -> Lattice:
        def loss(point: Point) -> float:
            return -self.attempt(trials, *_values(start, point)).score

        def scouted(point: Point) -> float | None:
            if scouts is None:
                return None
            known = self._known.get(_key(scouts.trials, *_values(scouts.start, point)))
            return None if known is None else -known.score

        return Lattice(loss, self.searched, scouted)

    def _walk(self, trials: Trials, start: Values, walk: Callable[[Point], Point]) -> Trial:
        with one_thread_if(len(trials.training.y) <= SMALL_ROWS):
            best = walk((0, 0))
        end = self.attempt(trials, *_values(start, best))
        if self.searched[0] and is_outermost(best):
            self.stopped.add(end)
        return end

    def _score(self, training: Training, part: Unseen) -> float:
        weight = judged_weight(training)[part.rows]
        return self.score(part.log_P, training.y[part.rows], weight, float(training.weight.sum()))

    def results(self) -> SearchResults:
        """The record, as columns."""
        scores = [np.array(trial.scores) for trial in self.record]
        return SearchResults(
            scale=np.array([trial.scale for trial in self.record], dtype=object),
            weighed=np.array([trial.weighed for trial in self.record]),
            gamma=np.array([np.nan if trial.gamma is None else trial.gamma for trial in self.record]),
            C=np.array([trial.C for trial in self.record]),
            n_rows=np.array([trial.n_rows for trial in self.record]),
            mean_test_score=np.array([each.mean() for each in scores]),
            std_test_score=np.array([each.std() for each in scores]),
        )


def _key(trials: Trials, gamma: float | None, C: float) -> tuple:
    """What tells one trial from another: rows, folds and the point, up to rounding."""
    values = (None if value is None else f"{value:.6g}" for value in (gamma, C))
    return trials, 0 if trials.folds is None else len(trials.folds), *values


def one_thread_if(small: bool):
    """Context in which BLAS uses one thread: for small matrices, waking more costs more than it brings."""
    return blas_libraries().limit(limits=1) if small else nullcontext()


def _values(start: Values, point: Point) -> Values:
    """(gamma, C) of a point of the lattice around a start."""
    gamma, C = start
    return (None if gamma is None else gamma * 2 ** (point[0] / 2)), C * 10 ** (point[1] / 4)


def judged_weight(training: Training) -> np.ndarray:
    """Weights (n,) of the rows in scores: a row without its like cannot be predicted by a fit without it."""
    alone = np.bincount(training.y)[training.y] == 1
    return training.weight if alone.all() else np.where(alone, 0.0, training.weight)


def central_gamma(kernel: Kernel, X) -> float:
    """Gamma at which the kernel of two rows at the median distance is exp(−½), or exp(−1) for Laplace's.

    Kernels that are no functions of a distance have 1/(d Var X).

    Parameters
    ----------
    kernel : Kernel
        Of the kind whose gamma is asked for.
    X : array of shape (n, d)
        Rows.
    """
    if not isinstance(kernel, Stationary):
        return resolve_gamma("scale", X)
    D = kernel.distances(X, X)[np.triu_indices(X.shape[0], 1)].astype(np.float64)
    apart = D[D > 0]
    median = float(np.median(apart)) if len(apart) else 1.0
    return 1 / median if isinstance(kernel, Laplacian) else 1 / (2 * median)
