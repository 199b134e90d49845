"""A symmetric matrix in panels of columns, whose products with a few columns read it at the speed of memory.

Rows of a matrix in C order are long.  A small product of BLAS that takes AᵀK, each number of K being loaded
once for all columns of A, walks down narrow columns of it then, which no prefetcher follows.  In a panel of
64 columns the same walk is one stretch of memory.  Where BLAS does small products in place, those with 6 to
26 columns take 0.6 to 0.8 of the time of `thin_product` (`python -m benchmarks.limit products`); elsewhere
panels gain nothing.
"""

from functools import cached_property

import numpy as np

from kernelproba.kernels.blocks import for_each_block
from kernelproba.kernels.thin_product import SMALL_PRODUCT, slices

#: Columns of a panel: as many numbers as the registers of a small product hold.
PANEL = 64
#: Parts of the work that threads share.
PARTS = 16


class PanelMatrix:
    """A symmetric matrix K (n, n), to be written in blocks: a kernel matrix of `kernelproba.objective`.

    Parameters
    ----------
    n : int
        Rows.
    dtype : numpy.float32 or numpy.float64
        Precision.

    See Also
    --------
    kernelproba.objective.DenseMatrix : The matrix in C order.
    kernelproba.kernels.kernel_panels : Kernel matrices in this form.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.kernels.panels import PanelMatrix
    >>> K = PanelMatrix(2, np.dtype(np.float64))
    >>> K.write(slice(0, 2), slice(0, 2), np.array([[2.0, 1.0], [1.0, 3.0]]))
    >>> K.product(np.array([[1.0], [2.0]])).ravel(), K.mean_diagonal
    (array([4., 7.]), 2.5)
    """

    def __init__(self, n: int, dtype: np.dtype):
        self.dtype = np.dtype(dtype)
        self._panels = np.empty((-(-n // PANEL), n, PANEL), dtype=dtype)
        self._panels[-1, :, n % PANEL or PANEL :] = 0

    def write(self, rows: slice, columns: slice, block: np.ndarray) -> None:
        """Write a block of which the first column is the first of a panel, and the last one that or of K."""
        first, whole = columns.start // PANEL, block.shape[1] // PANEL
        full, rest = block[:, : whole * PANEL], block[:, whole * PANEL :]
        self._panels[first : first + whole, rows] = full.reshape(len(block), whole, PANEL).transpose(1, 0, 2)
        if rest.size:
            self._panels[first + whole, rows, : rest.shape[1]] = rest

    @cached_property
    def mean_diagonal(self) -> float:
        """Mean of the diagonal."""
        i = np.arange(self._panels.shape[1])
        return float(np.mean(self._panels[i // PANEL, i, i % PANEL], dtype=np.float64))

    def product(self, A: np.ndarray) -> np.ndarray:
        """K A for A (n, k), in double precision, column by column, computed in the precision of K."""
        n_panels, n, _ = self._panels.shape
        left, k = A.T.astype(self.dtype, copy=False), A.shape[1]
        out = np.empty((k, n_panels, PANEL))

        def work(part: slice) -> None:
            out[:, part] = _product(left, self._panels[part]).transpose(1, 0, 2)

        for_each_block(work, n_panels, n, -(-n_panels // PARTS))
        return out.reshape(k, -1)[:, :n].T


def _product(left: np.ndarray, panels: np.ndarray) -> np.ndarray:
    """Products of left (k, n) with panels (p, n, 64), by products that BLAS does without copying."""
    first, *others = slices(left.shape[1], -(-left.size * PANEL // SMALL_PRODUCT))
    out = left[:, first] @ panels[:, first]
    for rows in others:
        out += left[:, rows] @ panels[:, rows]
    return out
