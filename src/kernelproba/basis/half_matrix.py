"""Half of a symmetric kernel matrix, in single precision, for products with all of it."""

import numpy as np

from kernelproba.kernels import Kernel
from kernelproba.typing import Matrix

#: Rows of a tile: its products run at BLAS's full speed, and little above the diagonal is computed twice.
TILE_ROWS = 1024


class HalfMatrix:
    """K = k(X, X) of a symmetric kernel as the tiles on and below its diagonal.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    X : array of shape (n, d)
        Rows, in the precision that the tiles are to have.
    """

    def __init__(self, kernel: Kernel, X: Matrix):
        n = X.shape[0]
        self._bands = [slice(start, min(start + TILE_ROWS, n)) for start in range(0, n, TILE_ROWS)]
        # One array for each band of rows, from the first column to the diagonal's tile.
        self._tiles = [kernel(X[band], X[: band.stop]) for band in self._bands]

    def product(self, B: np.ndarray) -> np.ndarray:
        """Return K B (n, k) for B (n, k): each tile beside the diagonal serves twice."""
        total = np.zeros_like(B)
        for band, tiles in zip(self._bands, self._tiles, strict=True):
            total[band] += tiles @ B[: band.stop]
            total[: band.start] += tiles[:, : band.start].T @ B[band]
        return total
