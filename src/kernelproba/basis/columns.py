"""Columns of the kernel matrix k(X, X), of which only a few are ever held when it is large."""

from collections.abc import Callable

import numpy as np

from kernelproba.basis.half_matrix import HalfMatrix
from kernelproba.kernels import Kernel
from kernelproba.kernels.blocks import row_blocks
from kernelproba.kernels.matrix import rows_in
from kernelproba.kernels.stationary import Stationary
from kernelproba.typing import Matrix

#: Rows of which the whole kernel matrix is held.
HELD_ROWS = 4000
#: Rows up to which half of the matrix of a stationary kernel is held in single precision: 0.8 GB.
HALF_ROWS = 20_000
#: Columns computed at a time: they are still in the cache when they are copied to their places.
CHUNK = 64
#: Kernel values for which there is room from the first growth on: half a gigabyte, of which only what is used
#: is taken.
ROOM = 2**26


class KernelColumns:
    """Kernel features of the rows X: one candidate centre, one column of K = k(X, X).

    Up to HELD_ROWS rows K is computed once.  Beyond that it is never formed: columns are computed when
    asked for, in double precision, and products with all columns block by block in single precision.  These
    only tell which candidates are worth a column, and for that a few digits do.  Up to HALF_ROWS rows they
    come from half of the matrix of a stationary kernel, which is held from the first product on.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    X : array or CSR matrix of shape (n, d)
        Rows; all are candidates.  The matrix K itself for a precomputed kernel.
    K : array of shape (n, n), optional
        The matrix, if it is known already; it is then held whatever the number of rows.
    """

    def __init__(self, kernel: Kernel, X: Matrix, K: np.ndarray | None = None):
        self._kernel, self._n, self._X = kernel, X.shape[0], X
        self.held = K is not None or self._n <= HELD_ROWS
        self._whole = self._columns(X, np.arange(self._n)) if K is None and self.held else K
        self._single = X if self.held else rows_in(np.float32, kernel, X)
        self._half: HalfMatrix | None = None

    def __len__(self) -> int:
        return self._n

    def sample(self, rows: np.ndarray) -> "KernelColumns":
        """Return K at some rows, and at their columns, held."""
        X = self._X[rows]
        return KernelColumns(self._kernel, X, self.take(rows)[rows] if self.held else self._columns(X, rows))

    def at(self, rows: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """Return a function index ↦ K at these rows and the columns at `index`, in double precision."""
        if self._whole is not None:
            whole = self._whole if len(rows) == self._n else self._whole[rows]
            return lambda index: whole[:, index]
        X = self._X if len(rows) == self._n else self._X[rows]
        return lambda index: self._columns(X, index)

    def take(self, index: np.ndarray) -> np.ndarray:
        """Return the columns of K at `index`, (n, len(index)), in double precision and Fortran's order.

        In that order one column is contiguous, and so are selections of columns.
        """
        if self._whole is not None:
            return self._whole.T[index].T
        if isinstance(self._kernel, Stationary):
            # Symmetric, and the transpose of rows is in Fortran's order already.
            return np.asarray(self._kernel(self._X[index], self._X), dtype=np.float64).T
        return np.asfortranarray(self._columns(self._X, index))

    def _columns(self, X: Matrix, index: np.ndarray) -> np.ndarray:
        """k(X, rows at `index`) in double precision."""
        return np.asarray(self._kernel(X, self._kernel.select(self._X, index)), dtype=np.float64)

    def transpose_product(self, G: np.ndarray) -> np.ndarray:
        """Return Kᵀ G (n, k) for G (n, k)."""
        if self._whole is not None:
            return self._whole.T @ G
        X, G = self._single, G.astype(self._single.dtype, copy=False)
        if self._n <= HALF_ROWS and isinstance(self._kernel, Stationary):
            self._half = self._half or HalfMatrix(self._kernel, X)
            return self._half.product(G).astype(np.float64)
        blocks = (np.arange(s.start, s.stop) for s in row_blocks(self._n, self._n))
        parts = [self._kernel(X, self._kernel.select(X, block)).T @ G for block in blocks]
        return np.concatenate(parts).astype(np.float64)


class WorkingColumns:
    """Columns of a changing set of candidates, in one buffer: those that stay are not computed again.

    Parameters
    ----------
    columns : KernelColumns
        All columns.
    index : array of shape (m,)
        The candidates to begin with.
    """

    def __init__(self, columns: KernelColumns, index: np.ndarray):
        self._columns, self.index = columns, index
        self._buffer = columns.take(index).T

    @property
    def matrix(self) -> np.ndarray:
        """K at `index`, (n, m), in Fortran's order: a view, which the next change overwrites."""
        return self._buffer[: len(self.index)].T

    def change(self, kept: np.ndarray, fresh: np.ndarray) -> None:
        """Keep the candidates at the mask `kept` (m,), and put those numbered `fresh` in place of the others.

        What is left of the others is filled from the end, so that hardly a column is moved.
        """
        total = int(np.count_nonzero(kept)) + len(fresh)
        self._reserve(total)
        free = np.append(np.flatnonzero(~kept), np.arange(len(kept), total))
        index = np.concatenate([self.index, np.empty(max(total - len(kept), 0), dtype=self.index.dtype)])
        for start in range(0, len(fresh), CHUNK):
            part = fresh[start : start + CHUNK]
            places = free[start : start + len(part)]
            self._buffer[places], index[places] = self._columns.take(part).T, part
        holes = free[len(fresh) :]
        holes = holes[holes < total]
        last = np.flatnonzero(kept[total:]) + total
        for target, source in zip(holes.tolist(), last.tolist(), strict=True):
            self._buffer[target], index[target] = self._buffer[source], index[source]
        self.index = index[:total]

    def _reserve(self, total: int) -> None:
        """Room for so many columns and more: memory that is not written to costs nothing."""
        m = len(self.index)
        if total > len(self._buffer):
            n = self._buffer.shape[1]
            larger = np.empty((max(total, 3 * len(self._buffer) // 2, min(len(self._columns), ROOM // n)), n))
            larger[:m] = self._buffer[:m]
            self._buffer = larger
