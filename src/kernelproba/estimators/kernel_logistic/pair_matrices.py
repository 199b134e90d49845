"""Kernel values of the pairs of classes, computed in few calls and handed out block by block.

A small kernel matrix is computed at once.  A large one never exists whole: the squares K_ii, which serve
c − 1 pairs each, are kept, and the rectangles K_ij of one class with all later ones are computed when their
pairs are fitted.
"""

from collections.abc import Callable, Iterator
from threading import local

import numpy as np

from kernelproba.coupling.pairs import class_pairs
from kernelproba.kernels import Kernel, kernel_matrix
from kernelproba.solvers.smooth.binary_stack import SYMMETRIC_ROWS

#: Largest matrix that is computed at once.
WHOLE_BYTES = 2**24
#: Largest stack of matrices that are worked on together: it is to stay in the cache.
STACK_BYTES = 2**23
#: Share of a matrix's rows that must not be padding.
FULL_ROWS = 0.7

#: (i, j) → K_ij
Block = Callable[[int, int], np.ndarray]


class PairMatrices:
    """Kernel values among rows X (n, d) sorted by class, which are within `bounds` (c + 1,)."""

    def __init__(self, kernel: Kernel, X, bounds: np.ndarray, dtype: type):
        self.kernel, self.X, self.dtype, self.bounds = kernel, X, dtype, bounds
        self.classes = [slice(*bounds[i : i + 2]) for i in range(len(bounds) - 1)]
        self.sizes = np.diff(bounds)
        self._whole, self._squares, self._room = None, [], _Room(dtype)
        if bounds[-1] ** 2 * np.dtype(dtype).itemsize <= WHOLE_BYTES:
            self._whole = kernel_matrix(kernel, X, dtype)
        else:
            self._squares = [kernel_matrix(kernel, X[s], dtype) for s in self.classes]

    def tasks(self) -> list[tuple[int, list[tuple[int, int]]]]:
        """Pairs that are to be fitted together, after the class whose row of blocks they need."""
        pairs = [(int(i), int(j)) for i, j in class_pairs(len(self.classes))]
        if self._whole is not None:
            return [(0, group) for group in self.groups(pairs)]
        return [(i, [pair for pair in pairs if pair[0] == i]) for i in range(len(self.classes) - 1)]

    def block_of(self, first: int) -> Block:
        """Blocks K_ij of the class i = `first` with later ones j, and squares; all blocks if they exist."""
        if self._whole is not None:
            K, classes = self._whole, self.classes
            return lambda i, j: K[classes[i], classes[j]]
        end = self.bounds[first + 1]
        # Centres are prepared, rows are compared as they are: the fewer are the centres.
        strip = self.kernel(self.X[end:], self.X[self.classes[first]])
        bounds, squares = self.bounds - end, self._squares
        return lambda i, j: squares[i] if i == j else strip[bounds[j] : bounds[j + 1]].T

    def groups(self, pairs: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
        """Cut pairs, sorted by size, into stacks that stay in the cache and are not mostly padding."""
        pairs = sorted(pairs, key=self.n_rows, reverse=True)
        while pairs:
            n = self.n_rows(pairs[0])
            most = max(STACK_BYTES // (n**2 * np.dtype(self.dtype).itemsize), 1)
            alike = sum(self.n_rows(pair) >= FULL_ROWS * n for pair in pairs[:most])
            yield pairs[:alike]
            pairs = pairs[alike:]

    def n_rows(self, pair: tuple[int, int]) -> int:
        """Rows of both classes."""
        return int(self.sizes[pair[0]] + self.sizes[pair[1]])

    def stack(self, pairs: list[tuple[int, int]], block: Block) -> np.ndarray:
        """Matrices [K_ii, K_ij; K_ijᵀ, K_jj] (p, n, n) of so many pairs, padded by zeros.

        They last until the next call.  Of large ones the lower triangle is all that `BinaryStack` reads.
        """
        n = max(map(self.n_rows, pairs))
        K = self._room.of((len(pairs), n, n))
        for matrix, (i, j) in zip(K, pairs, strict=True):
            m, end = self.sizes[i], self.n_rows((i, j))
            matrix[end:], matrix[:end, end:] = 0.0, 0.0
            matrix[:m, :m], matrix[m:end, m:end], matrix[m:end, :m] = block(i, i), block(j, j), block(i, j).T
            if n < SYMMETRIC_ROWS:
                matrix[:m, m:end] = block(i, j)
        return K


class _Room(local):
    """Memory for stacks, of each thread its own: new memory for each would cost as much as filling it."""

    def __init__(self, dtype: type):
        self._values: np.ndarray = np.empty(0, dtype=dtype)

    def of(self, shape: tuple[int, ...]) -> np.ndarray:
        """Return an array of this shape, and overwrite the one before."""
        if len(self._values) < np.prod(shape):
            self._values = np.empty(np.prod(shape), dtype=self._values.dtype)
        return self._values[: np.prod(shape)].reshape(shape)
