"""Kernel matrices of many widths from one matrix of distances.

Most of the time of a kernel matrix goes into distances, which a search over widths needs only once.  Kernels
that are no functions of a distance, or have a length scale for each feature, are evaluated as they are.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

from kernelproba.kernels.base import Kernel
from kernelproba.kernels.logarithm import log_kernel, log_of_distance
from kernelproba.kernels.matrix import distance_matrix, kernel_matrix
from kernelproba.kernels.stationary import Stationary
from kernelproba.number_range import LARGEST_SINGLE, SMALLEST_SINGLE, largest_entry
from kernelproba.typing import Matrix

#: Distances that are kept at most.
MAX_VALUES = 64_000_000

Index = np.ndarray | slice
_ALL = slice(None)


class DistanceCache:
    """Rows and centres to be compared by kernels of different widths.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        Rows; the matrix itself for a precomputed kernel.
    Z : array or CSR matrix of shape (m, d), optional
        Centres, as the kernel takes them; all rows if not given.
    max_values : int, default=64_000_000
        Number of distances up to which they are kept.
    """

    def __init__(self, X: Matrix, Z: Matrix | None = None, *, max_values: int = MAX_VALUES):
        self.X, self._Z, self._max_values = X, Z, max_values
        self._kept: dict[tuple[Callable, np.dtype], np.ndarray] = {}

    def matrix(self, kernel: Kernel, dtype: DTypeLike = np.float64, rows: Index = _ALL) -> np.ndarray:
        """Return k(X[rows], Z), new and C-ordered.

        Parameters
        ----------
        kernel : Kernel
            Of any kind.
        dtype : numpy.float32 or numpy.float64
            Precision of the result, and of the distances behind it.
        rows : array of int or slice, optional
            Which rows; all if not given.
        """
        if self.keeps(kernel):
            assert isinstance(kernel, Stationary)
            K = kernel.of_distance(np.array(self._distances(kernel, dtype)[rows], order="C"))
            return K.astype(dtype, copy=False)
        if self._Z is None and isinstance(rows, slice) and rows == _ALL:
            return kernel_matrix(kernel, self.X, dtype)
        return kernel(self.X[rows], self._centers(kernel)).astype(dtype, copy=False)

    def logarithm(self, kernel: Kernel, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return log k at some rows and columns, free of underflow."""
        if self.keeps(kernel):
            assert isinstance(kernel, Stationary)
            return log_of_distance(kernel, self._distances(kernel, np.float64)[np.ix_(rows, columns)])
        return log_kernel(kernel, self.X[rows], self._centers(kernel)[columns])

    def keeps(self, kernel: Kernel) -> bool:
        """Whether the kernel is one of distances, few enough to be kept."""
        n_centers = self.X.shape[0] if self._Z is None else self._Z.shape[0]
        few = self.X.shape[0] * n_centers <= self._max_values
        return few and isinstance(kernel, Stationary) and np.ndim(kernel.length_scale) == 0

    def _distances(self, kernel: Stationary, dtype: DTypeLike) -> np.ndarray:
        """Distances in single precision only where the rows allow it, and double ones are not known."""
        double = (kernel._measure, np.dtype(np.float64))
        key = double if double in self._kept or not self._single else (kernel._measure, np.dtype(dtype))
        if key not in self._kept:
            X, Z = self._rows_in(key[1])
            D = distance_matrix(kernel, X) if self._Z is None else kernel.distances(X, Z)
            self._kept[key] = D.astype(key[1], copy=False)
        return self._kept[key]

    @cached_property
    def _single(self) -> bool:
        """Whether squares of the rows are numbers in single precision."""
        largest = max(largest_entry(rows) for rows in (self.X, self._Z) if rows is not None)
        return largest == 0 or SMALLEST_SINGLE < largest < LARGEST_SINGLE

    def _rows_in(self, dtype: DTypeLike) -> tuple[Matrix, Matrix]:
        """Rows and centres; in single precision without their median, so that an offset costs no digits."""
        X, Z = self.X, self.X if self._Z is None else self._Z
        if dtype != np.float32 or sp.issparse(X) or sp.issparse(Z):
            return X, Z
        median = np.median(X, axis=0)
        X = (X - median).astype(np.float32)
        return X, X if self._Z is None else (Z - median).astype(np.float32)

    def _centers(self, kernel: Kernel) -> Matrix:
        return kernel.select(self.X, np.arange(self.X.shape[0])) if self._Z is None else self._Z
