"""Where to look for gamma and C of kernel logistic regression: on a sample first, then near the best on more
rows.

Leave-one-out at a point costs about as much as a fit.  Good values of gamma and C change little with the
number of rows (they are the prior of a Gaussian process, which knows no rows), so a sample of some hundred
rows finds the neighbourhood, and the few points of the last stage are fitted to all rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from ..estimators.classifier import Training
from ..kernels import Kernel, Laplacian, Stationary, resolve_gamma
from .lattice_search import STEPS, Lattice, Point, at_limit
from .logistic_trials import Trials, Unseen
from .unseen_score import UnseenScore

#: Rows of the first stage.
SAMPLE_ROWS = 500
#: Rows behind the median distance.
MEDIAN_ROWS = 1000


@dataclass(frozen=True)
class Trial:
    """One line of the record: a point, the rows it was tried on, and its scores, one per part."""

    gamma: float | None
    C: float
    n_rows: int
    scores: tuple[float, ...]

    @property
    def score(self) -> float:
        """Mean over the parts."""
        return float(np.mean(self.scores))


class SearchResults(dict):
    """Columns of all points tried, as arrays of one length; `frame` makes a table of them."""

    def frame(self):
        """Return a DataFrame with one line per point, in the order they were tried."""
        import pandas as pd

        return pd.DataFrame(self)


@dataclass
class LogisticSearch:
    """Search of (gamma, C) that writes down what it tries.

    Parameters
    ----------
    score : UnseenScore
        What is to be largest.
    gammas, Cs : sequences
        Values to start from, or all there are.
    searched : pair of bool
        Whether to go on from these values of gamma, and of C.
    """

    score: UnseenScore
    gammas: Sequence[float | None]
    Cs: Sequence[float]
    searched: tuple[bool, bool]
    trials: list[Trial] = field(default_factory=list)

    def run(self, stages: Sequence[Trials]) -> Trial:
        """Search on the rows of the first stage, then around its best point on those of the next.

        Parameters
        ----------
        stages : sequence of Trials
            Of few rows, then of more.
        """
        starts = list(product(self.gammas, self.Cs))
        steps: Sequence[Point] = STEPS
        for trials in stages:
            bests = [self._descend(trials, start, steps) for start in starts]
            best = max(bests, key=lambda found: found.score)
            starts, steps = [(best.gamma, best.C)], STEPS[-1:]
        return best

    def _descend(self, trials: Trials, start: tuple[float | None, float], steps: Sequence[Point]) -> Trial:
        """The best point that can be reached from a start."""
        tried: dict[Point, Trial] = {}

        def loss(point: Point) -> float:
            gamma, C = _value(start, point)
            tried[point] = Trial(gamma, C, len(trials.training.y), self._scores(trials, gamma, C))
            self.trials.append(tried[point])
            return -tried[point].score

        return tried[Lattice(loss, self.searched).descend((0, 0), steps)]

    def _scores(self, trials: Trials, gamma: float | None, C: float) -> tuple[float, ...]:
        return tuple(self._score(trials.training, part) for part in trials.unseen(gamma, C))

    def _score(self, training: Training, part: Unseen) -> float:
        rows, weight = part.rows, judged_weight(training)[part.rows]
        return self.score(part.log_P, training.y[rows], weight)

    def results(self) -> SearchResults:
        """The record."""
        scores = np.array([trial.scores for trial in self.trials])
        return SearchResults(
            gamma=np.array([np.nan if trial.gamma is None else trial.gamma for trial in self.trials]),
            C=np.array([trial.C for trial in self.trials]),
            n_rows=np.array([trial.n_rows for trial in self.trials]),
            mean_test_score=scores.mean(axis=1),
            std_test_score=scores.std(axis=1),
        )

    def ended_at_limit(self, best: Trial) -> bool:
        """Whether the search was stopped by the limits of its lattice."""
        gamma, C = self.gammas[0], self.Cs[0]
        g = 0 if gamma is None or best.gamma is None else round(2 * np.log2(best.gamma / gamma))
        return at_limit((g, round(4 * np.log10(best.C / C))), self.searched)


def _value(start: tuple[float | None, float], point: Point) -> tuple[float | None, float]:
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


def sample_rows(keys: np.ndarray, y: np.ndarray, size: int) -> np.ndarray:
    """Numbers of a random sample of rows, the same in any order, with two rows at least of every class that
    has two.

    Parameters
    ----------
    keys, y : arrays of shape (n,)
        Keys of the rows' content, and class indices.
    size : int
        Rows wanted; more where there are many classes.
    """
    order = np.argsort(keys)
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.arange(len(order))
    within = np.empty(len(order), dtype=int)
    for label in np.unique(y):
        members = order[y[order] == label]
        within[members] = np.arange(len(members))
    return np.flatnonzero((rank < size) | (within < 2))
