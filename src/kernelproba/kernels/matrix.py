"""The symmetric kernel matrix of one set of rows, and the precision it is held in."""

import os
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.sparse as sp

from kernelproba.kernels.base import Kernel
from kernelproba.kernels.blocks import use_blocks
from kernelproba.kernels.operands import check_operands
from kernelproba.kernels.panels import PANEL, PanelMatrix
from kernelproba.kernels.stationary import Stationary

#: Centres that are bound at a time, and rows compared with them: whole panels, a product that suits BLAS, and
#: rows that are no power of two apart, of which the cache could not hold a column to be transposed.
STRIP = 9 * PANEL
#: put(rows, columns, block): write a block of the matrix.
Put = Callable[[slice, slice, np.ndarray], None]
#: Rows whose median stands for that of all.
MEDIAN_ROWS = 256


def rows_in(dtype, kernel: Kernel, X):
    """Rows X (n, d) from which `kernel` computes values good to the given precision.

    For single precision the rows of a stationary kernel are cast once their median is taken off, so that an
    offset, such as a date, costs no digits; those of other kernels are compared as they are.

    See Also
    --------
    kernel_matrix : The matrix in that precision.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.kernels import RBF, rows_in
    >>> rows_in(np.float32, RBF(), np.array([[2_000_000_000.0], [2_000_000_001.0]])).ravel()
    array([-0.5,  0.5], dtype=float32)
    """
    if dtype != np.float32 or sp.issparse(X) or not isinstance(kernel, Stationary):
        return X
    # Every centre is right that is among the rows.
    return (X - np.median(X[:: len(X) // MEDIAN_ROWS + 1], axis=0)).astype(np.float32)


def kernel_matrix(kernel: Kernel, X, dtype=np.float64) -> np.ndarray:
    """Return k(X, X) (n, n), exactly symmetric; one triangle is computed and the other copied.

    Parameters
    ----------
    kernel : Kernel
        Of any kind; of a precomputed one X is the matrix itself.
    X : {array, CSR} of shape (n, d)
        The rows.
    dtype : numpy.float32 or numpy.float64
        Precision of the result.

    See Also
    --------
    Comparison : Rows with centres.
    rows_in : Rows in a precision.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.kernels import RBF, kernel_matrix
    >>> kernel_matrix(RBF(), np.array([[0.0], [1.0], [2.0]])).round(3)
    array([[1.   , 0.607, 0.135],
           [0.607, 1.   , 0.607],
           [0.135, 0.607, 1.   ]])
    """

    def put(rows: slice, columns: slice, block: np.ndarray) -> None:
        K[rows, columns] = block

    K = _memory(X.shape[0], dtype)
    _fill_kernel(kernel, X, dtype, put)
    return K


def kernel_panels(kernel: Kernel, X, dtype=np.float64) -> PanelMatrix:
    """Return the same matrix in panels, for many products with a few columns.

    Parameters
    ----------
    kernel : Kernel
        Of any kind; of a precomputed one X is the matrix itself.
    X : {array, CSR} of shape (n, d)
        The rows.
    dtype : numpy.float32 or numpy.float64
        Precision of the result.

    See Also
    --------
    kernel_matrix : The matrix in C order.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.kernels import RBF, kernel_panels
    >>> kernel_panels(RBF(), np.array([[0.0], [1.0], [2.0]])).product(np.eye(3)[:, :1]).round(3).ravel()
    array([1.   , 0.607, 0.135])
    """
    _check_memory(X.shape[0], dtype)
    K = PanelMatrix(X.shape[0], dtype)
    _fill_kernel(kernel, X, dtype, K.write)
    return K


def distance_matrix(kernel: Stationary, X) -> np.ndarray:
    """Distances (n, n) of rows X (n, d), in their precision, as the kernel's `of_distance` takes them."""

    def put(rows: slice, columns: slice, block: np.ndarray) -> None:
        D[rows, columns] = block

    X, Z = check_operands(X, X)
    D = _memory(X.shape[0], X.dtype)
    _fill_symmetric(partial(use_blocks, kernel._distances_to), X, Z, put)
    return D


def _fill_kernel(kernel: Kernel, X, dtype, put: Put) -> None:
    """Compute k(X, X)."""
    X = rows_in(dtype, kernel, X)
    _fill_symmetric(kernel.each_block, X, kernel.select(X, np.arange(X.shape[0])), put)


def _fill_symmetric(blocks: Callable[..., None], X, Z, put: Put) -> None:
    """Fill the matrix (n, n) of which blocks(X, Z, use, step) computes parts: one triangle and its mirror.

    A block is computed in memory of its own that stays in the cache, and written to both places from there.
    """
    for start in range(0, X.shape[0], STRIP):
        blocks(X[start:], Z[start : start + STRIP], partial(_place, put, start), STRIP)


def _place(put: Put, start: int, rows: slice, block: np.ndarray) -> None:
    """Write and mirror a block of the strip that begins at `start`; on the diagonal, its lower triangle."""
    here, left = slice(start + rows.start, start + rows.stop), slice(start, start + block.shape[1])
    if rows.start == 0:
        put(here, here, np.where(np.tri(len(block), dtype=bool), block, block.T))
        return
    put(here, left, block)
    put(left, here, block.T)


def _memory(n: int, dtype) -> np.ndarray:
    """Memory for a matrix (n, n)."""
    _check_memory(n, dtype)
    return np.empty((n, n), dtype=dtype)


def _check_memory(n: int, dtype) -> None:
    """Refuse a matrix larger than this machine's memory before the system kills the process over it."""
    needed = n**2 * np.dtype(dtype).itemsize
    if hasattr(os, "sysconf") and needed > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        raise MemoryError(
            f"The kernel matrix of {n} rows takes {needed / 2**30:.0f} GiB, more than this machine has. "
            "Use fewer centres than rows (n_centers=2000), or train on a sample of the rows."
        )
