"""The kernel matrix of the training rows, held whole while it is small and row by row when it is not."""

from copy import copy

import numpy as np

from kernelproba.kernels import Kernel
from kernelproba.kernels.blocks import row_blocks
from kernelproba.typing import Matrix

#: Kernel values held at once: half a gigabyte in double precision, all of K up to 8000 rows.
HELD_VALUES = 64_000_000
#: Rows that tell the scale of a matrix.
LOOKED_AT = 500


class Gram:
    """Rows of K = k(X, X), symmetric, in double precision.

    Parameters
    ----------
    kernel : Kernel
        A symmetric kernel.
    X : array of shape (n, d)
        Training rows; the matrix itself for a precomputed kernel.
    held_values : int, default=HELD_VALUES
        K is computed once if it has at most that many entries; else its rows are computed when asked
        for, and that many of their entries are kept.
    """

    def __init__(self, kernel: Kernel, X: Matrix, *, held_values: int = HELD_VALUES):
        self._kernel, self._X, self._n, self._factor = kernel, X, X.shape[0], 1.0
        self._whole = self._columns(np.arange(self._n)) if self._n**2 <= held_values else None
        self._kept: dict[int, np.ndarray] = {}
        self._capacity = max(held_values // self._n, 1)

    def __len__(self) -> int:
        return self._n

    @classmethod
    def of_matrix(cls, K: np.ndarray) -> "Gram":
        """Wrap a kernel matrix (n, n) that is there already."""
        gram = cls.__new__(cls)
        gram._n, gram._whole, gram._factor = len(K), np.asarray(K, dtype=np.float64), 1.0
        return gram

    def scaled(self, factor: float) -> "Gram":
        """Return the same matrix times a number."""
        gram = copy(self)
        if self._whole is not None:
            gram._whole = factor * self._whole
        else:
            gram._factor, gram._kept = factor * self._factor, {}
        return gram

    def largest(self) -> float:
        """Return the largest |k| of a matrix that is held, else of its first rows, at least 1e-300."""
        return max(float(np.abs(self.rows(np.arange(min(self._n, LOOKED_AT)))).max(initial=0.0)), 1e-300)

    def rows(self, index: np.ndarray) -> np.ndarray:
        """Return the rows of K at `index`, shape (len(index), n)."""
        if self._whole is not None:
            return self._whole[index]
        wanted = index.tolist()
        missing = [i for i in dict.fromkeys(wanted) if i not in self._kept]
        fresh = dict(zip(missing, self._compute(np.array(missing, dtype=np.intp)), strict=True))
        found = [fresh[i] if i in fresh else self._kept[i] for i in wanted]
        self._keep(fresh)
        return np.stack(found) if found else np.empty((0, self._n))

    def product(self, B: np.ndarray) -> np.ndarray:
        """Return K B (n, k) for B (n, k); rows of zeros in B cost nothing."""
        used = np.flatnonzero(B.any(axis=1))
        if self._whole is not None:
            return self._whole @ B if 2 * len(used) > self._n else self._whole[used].T @ B[used]
        total = np.zeros_like(B)
        for block in row_blocks(len(used), self._n):
            total += self._compute(used[block]).T @ B[used[block]]
        return total

    def _keep(self, fresh: dict[int, np.ndarray]) -> None:
        """Keep new rows, at the cost of the oldest."""
        self._kept.update(fresh)
        for i in list(self._kept)[: max(0, len(self._kept) - self._capacity)]:
            del self._kept[i]

    def _compute(self, index: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(self._columns(index).T)

    def _columns(self, index: np.ndarray) -> np.ndarray:
        block = self._kernel(self._X, self._kernel.select(self._X, index)).astype(np.float64, copy=False)
        return block if self._factor == 1.0 else self._factor * block
