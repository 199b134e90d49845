"""Columns of the kernel matrix k(X, X), of which only a few are ever held when it is large."""

from typing import Any

import numpy as np

from ..kernels import Kernel
from ..kernels.blocks import row_blocks

#: Kernel values held at once: the whole matrix up to 4000 rows.
HELD_VALUES = 16_000_000


class KernelColumns:
    """Kernel features of the rows X: one candidate centre, one column of K = k(X, X).

    Up to HELD_VALUES entries K is computed once.  Beyond that it is never formed: columns are computed when
    asked for, in double precision, and products with all columns block by block in single precision.  These
    only tell which candidates are worth a column, and for that a few digits do.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    X : array or CSR matrix of shape (n, d)
        Rows; all are candidates.  The matrix K itself for a precomputed kernel.
    """

    def __init__(self, kernel: Kernel, X: Any):
        self._kernel, self._n, self._X = kernel, X.shape[0], X
        held = self._n**2 <= HELD_VALUES
        self._whole = self.take(np.arange(self._n)) if held else None
        self._single = None if held else X.astype(np.float32)

    _whole: np.ndarray | None = None

    def __len__(self) -> int:
        return self._n

    def take(self, index: np.ndarray) -> np.ndarray:
        """Return the columns of K at `index`, (n, len(index)), in double precision and Fortran's order.

        In that order one column is contiguous, and so are selections of columns.
        """
        if self._whole is not None:
            return self._whole.T[index].T
        return np.asfortranarray(self._kernel(self._X, self._kernel.select(self._X, index)), dtype=np.float64)

    def pull_back(self, G: np.ndarray) -> np.ndarray:
        """Return Kᵀ G (n, k) for G (n, k)."""
        if self._whole is not None:
            return self._whole.T @ G
        G, X = G.astype(np.float32), self._single
        blocks = (np.arange(s.start, s.stop) for s in row_blocks(self._n, self._n))
        parts = [self._kernel(X, self._kernel.select(X, block)).T @ G for block in blocks]
        return np.concatenate(parts).astype(np.float64)
