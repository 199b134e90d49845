"""A search over widths and penalties: one distance matrix, one path of penalties per fold and width."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from kernelproba.estimators.base.classifier import Training
from kernelproba.kernels import Kernel, Stationary, median_distance
from kernelproba.kernels.distance_cache import KernelGrid
from kernelproba.tuning.folds import Fold

#: Default widths, as multiples of the median distance.
WIDTHS = np.geomspace(0.15, 2.0, 7)
#: Second scores that differ by less are equal: the weights are not known any better.
ROUNDING = 1e-6


@dataclass(frozen=True)
class HeldOut:
    """One fold at one width.

    Parameters
    ----------
    grid : KernelGrid
        Kernels of the search.
    width : int
        Which of them.
    K : array of shape (n, n)
        Its matrix.
    fold : Fold
        The rows.
    training : Training
        All rows.
    """

    grid: KernelGrid
    width: int
    K: np.ndarray
    fold: Fold
    training: Training

    @property
    def train_matrix(self) -> np.ndarray:
        """Kernel matrix of the training rows."""
        return self.K[np.ix_(self.fold.train, self.fold.train)]


#: Assesses every penalty on one fold at one width: a table (penalties, columns).
Assess = Callable[[HeldOut], np.ndarray]


def make_gammas(
    gammas: Any, kernel: Any, resolved: Kernel, training: Training, random_state: Any
) -> list[float | None]:
    """Return the values of gamma to try, or None alone for a kernel that has its own width.

    Parameters
    ----------
    gammas : array-like or None
        What the user gave.
    kernel : str, callable or Kernel
        What the user named.
    resolved : Kernel
        What that stands for.
    training : Training
        Rows, for the median distance.
    random_state : int, RandomState or None
        Draws the rows of the median distance.
    """
    if not (isinstance(kernel, str) and isinstance(resolved, Stationary)):
        if gammas is not None:
            raise ValueError(
                f"gammas are widths of named stationary kernels, but kernel={kernel!r} has its own"
            )
        return [None]
    if gammas is not None:
        values = np.asarray(gammas, dtype=np.float64).ravel()
        if len(values) == 0 or not ((values > 0) & np.isfinite(values)).all():
            raise ValueError(f"gammas must be positive numbers, at least one, got {gammas!r}")
    else:
        values = 0.5 / (WIDTHS * median_distance(training.X, random_state)) ** 2
    return [float(gamma) for gamma in values]


def make_penalties(values: Any, default: np.ndarray, name: str) -> np.ndarray:
    """Return the penalties to try, in the order given; `name` is what errors call them."""
    if values is None:
        return default
    penalties = np.asarray(values, dtype=np.float64).ravel()
    if len(penalties) == 0 or not (penalties > 0).all():
        raise ValueError(f"{name} must be positive numbers, at least one, got {values!r}")
    return penalties


def search_widths(
    kernels: Sequence[Kernel], training: Training, folds: Sequence[Fold], assess: Assess, n_jobs: int | None
) -> np.ndarray:
    """Assess all widths on all folds; return the tables, shape (widths, penalties, folds, columns).

    Parameters
    ----------
    kernels : sequence of Kernel
        One for each width.
    training : Training
        Rows.
    folds : sequence of Fold
        Numbers of rows.
    assess : callable
        What to do with a fold.
    n_jobs : int or None
        Widths tried at once.
    """
    grid = KernelGrid(kernels, training.X)

    def one_width(width: int) -> np.ndarray:
        K = grid.matrix(width)
        return np.stack([assess(HeldOut(grid, width, K, fold, training)) for fold in folds], axis=1)

    return np.stack(Parallel(n_jobs=n_jobs)(delayed(one_width)(g) for g in range(len(kernels))))


def best_setting(scores: np.ndarray, ties: np.ndarray, support: np.ndarray, slack: float) -> tuple[int, int]:
    """Return width and penalty of the best score, or of the sparsest within `slack` standard errors of it.

    Few rows make few different accuracies: without slack, equal scores are told apart by a second one, and
    of settings equal in both the first is taken.

    Parameters
    ----------
    scores, ties, support : arrays of shape (widths, penalties, folds)
        Scores, second scores, and shares of non-zero weights.
    slack : float
        Standard errors.
    """
    mean, error = scores.mean(axis=-1), scores.std(axis=-1) / np.sqrt(scores.shape[-1])
    best = np.unravel_index(mean.argmax(), mean.shape)
    good = mean >= mean[best] - slack * error[best] - 1e-12
    preference = np.where(good, ties.mean(axis=-1) if slack == 0 else -support.mean(axis=-1), -np.inf)
    g, a = np.unravel_index(np.argmax(preference >= preference.max() - ROUNDING), mean.shape)
    return int(g), int(a)
