"""The kernel matrices of a search over widths, from one matrix of distances."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kernelproba.kernels import Kernel, Stationary
from kernelproba.kernels.logarithm import log_kernel, log_of_distance


class KernelGrid:
    """Kernels that differ in their width, and the rows they compare.

    Parameters
    ----------
    kernels : sequence of Kernel
        Of one kind; stationary ones share their distances.
    X : array of shape (n, d)
        Rows; the matrix itself for a precomputed kernel.
    """

    def __init__(self, kernels: Sequence[Kernel], X: Any):
        self.kernels, self._X, self._D = list(kernels), X, None
        if all(isinstance(k, Stationary) and np.ndim(k.length_scale) == 0 for k in kernels):
            self._D = kernels[0].distances(X, X).astype(np.float64, copy=False)

    def matrix(self, g: int) -> np.ndarray:
        """Return K (n, n) of the kernel number g."""
        kernel = self.kernels[g]
        if self._D is not None:
            return kernel.of_distance(self._D.copy())
        everything = kernel.select(self._X, np.arange(self._X.shape[0]))
        return kernel(self._X, everything).astype(np.float64, copy=False)

    def logarithm(self, g: int, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return log K of the kernel number g at some rows and columns."""
        kernel = self.kernels[g]
        if self._D is not None:
            return log_of_distance(kernel, self._D[np.ix_(rows, columns)])
        return log_kernel(kernel, self._X[rows], kernel.select(self._X, columns))
