"""Widths of a grid, their kernels, and the kernel matrices of a fold from one matrix of distances."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from kernelproba.estimators.base.validation import positive_numbers
from kernelproba.kernels import Kernel, Stationary, median_distance
from kernelproba.kernels.distance_cache import DistanceCache
from kernelproba.kernels.resolve import KernelLike
from kernelproba.rows.folds import Fold
from kernelproba.tuning.grid.grid_search import Grid
from kernelproba.tuning.observations import Observations
from kernelproba.typing import Matrix, RandomState

#: Default widths, as multiples of the median distance.
WIDTHS = np.geomspace(0.15, 2.0, 7)


def grid_gammas(
    gammas: ArrayLike | None, kernel: KernelLike, resolved: Kernel, X: Matrix, random_state: RandomState
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
    X : array of shape (n, d)
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
        return [*positive_numbers(gammas, "gammas")]
    return (0.5 / (WIDTHS * median_distance(X, random_state)) ** 2).tolist()


@dataclass(frozen=True)
class WidthGrid(Grid):
    """Grid of widths of one kernel.

    Parameters
    ----------
    widths, name, strengths
        As of all grids.
    kernels : sequence of Kernel
        One for each width.
    cache : DistanceCache
        Distances between all rows.
    """

    kernels: Sequence[Kernel]
    cache: DistanceCache

    @classmethod
    def of(
        cls,
        rows: Observations,
        gammas: Sequence[float | None],
        kernel_of: Callable[[float | None], Kernel],
        strengths: tuple[str, np.ndarray],
    ) -> "WidthGrid":
        """Grid over the rows, with a kernel for each gamma and named strengths."""
        name, values = strengths
        cache = DistanceCache(rows.X)
        kernels = [kernel_of(gamma) for gamma in gammas]
        return cls([{"gamma": gamma} for gamma in gammas], name, values, kernels, cache)


@dataclass(frozen=True)
class FoldMatrices:
    """Kernel matrices of one fold at one width.

    Parameters
    ----------
    grid : WidthGrid
        Kernels and distances.
    rows : Observations
        All rows.
    width : int
        Which kernel.
    fold : Fold
        Rows to train and to test on.
    """

    grid: WidthGrid
    rows: Observations
    width: int
    fold: Fold

    @cached_property
    def trained(self) -> Observations:
        """The rows to train on, with their share of the weights."""
        return self.rows.train(self.fold)

    @cached_property
    def train(self) -> np.ndarray:
        """Kernel matrix (t, t) of the rows to train on."""
        return self._matrix(self.fold.train)

    @cached_property
    def test(self) -> np.ndarray:
        """Kernel matrix (r, t) of the rows to test on and those to train on."""
        return self._matrix(self.fold.test)

    def test_logarithm(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Logarithm of `test` at some of its rows and columns, free of underflow."""
        kernel = self.grid.kernels[self.width]
        return self.grid.cache.logarithm(kernel, self.fold.test[rows], self.fold.train[columns])

    def _matrix(self, rows: np.ndarray) -> np.ndarray:
        K = self.grid.cache.matrix(self.grid.kernels[self.width], rows=rows)
        return np.ascontiguousarray(K[:, self.fold.train])
