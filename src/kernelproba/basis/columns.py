"""Columns of the kernel matrix k(X, X), of which only a few are ever held when it is large."""

from typing import Any

import numpy as np

from ..kernels import Kernel
from ..kernels.blocks import row_blocks

#: Kernel values held at once: the whole matrix up to 4000 rows.
HELD_VALUES = 16_000_000


class KernelColumns:
    """Kernel features of the rows X: one candidate centre, one column of K = k(X, X).

    Up to HELD_VALUES entries K is computed once, in double precision.  Beyond that it is never formed:
    columns are computed when asked for and products block by block, in single precision, which doubles
    their speed and leaves errors far below any useful tolerance on a sum over so many rows.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    X : array or CSR matrix of shape (n, d)
        Rows; all are candidates.  The matrix K itself for a precomputed kernel.
    """

    def __init__(self, kernel: Kernel, X: Any):
        self._kernel, self._n = kernel, X.shape[0]
        held = self._n**2 <= HELD_VALUES
        self.dtype = np.dtype(np.float64 if held else np.float32)
        self._X = X if held else X.astype(np.float32)
        self._whole = self._compute(np.arange(self._n)) if held else None

    def __len__(self) -> int:
        return self._n

    def take(self, index: np.ndarray) -> np.ndarray:
        """Return the columns of K at `index`, (n, len(index))."""
        return self._compute(index) if self._whole is None else self._whole[:, index]

    def pull_back(self, G: np.ndarray) -> np.ndarray:
        """Return Kᵀ G (n, k) for G (n, k), in double precision."""
        if self._whole is not None:
            return self._whole.T @ G
        G = G.astype(self.dtype, copy=False)
        blocks = row_blocks(self._n, self._n)
        return np.concatenate([self._compute(np.arange(s.start, s.stop)).T @ G for s in blocks]).astype(float)

    def _compute(self, index: np.ndarray) -> np.ndarray:
        return self._kernel(self._X, self._kernel.select(self._X, index)).astype(self.dtype, copy=False)
