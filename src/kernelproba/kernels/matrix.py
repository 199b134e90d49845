"""The symmetric kernel matrix of one set of rows, and the precision it is held in."""

import os
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.sparse as sp

from kernelproba.kernels.base import Kernel
from kernelproba.kernels.blocks import use_blocks
from kernelproba.kernels.operands import check_operands
from kernelproba.kernels.stationary import Stationary

#: Centres that are bound at a time, and a part of them: so many rows are compared with them at once.  Blocks
#: of this shape suit BLAS and stay in the cache; with rows a power of two apart, transposing them would not.
STRIP, BLOCK = 528, 264
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
    X = rows_in(dtype, kernel, X)
    return _symmetric(kernel.each_block, X, kernel.select(X, np.arange(X.shape[0])), dtype)


def distance_matrix(kernel: Stationary, X) -> np.ndarray:
    """Distances (n, n) of rows X (n, d), in their precision, as the kernel's `of_distance` takes them."""
    X, Z = check_operands(X, X)
    return _symmetric(partial(use_blocks, kernel._distances_to), X, Z, X.dtype)


def _symmetric(blocks: Callable[..., None], X, Z, dtype) -> np.ndarray:
    """The matrix (n, n) of which blocks(X, Z, use, step) computes parts: one triangle, the other is copied.

    A block is computed in memory of its own that stays in the cache, and written to both places from there.
    """
    n = X.shape[0]
    _check_memory(n, dtype)
    K = np.empty((n, n), dtype=dtype)
    for start in range(0, n, STRIP):
        blocks(X[start:], Z[start : start + STRIP], partial(_place, K, start), BLOCK)
    return K


def _place(K: np.ndarray, start: int, rows: slice, block: np.ndarray) -> None:
    """Write and mirror what of a block is left of the diagonal; its strip begins at row `start`."""
    here = slice(start + rows.start, start + rows.stop)
    n_left = min(rows.start, block.shape[1])
    left, known = slice(start, start + n_left), block[:, :n_left]
    K[here, left] = known
    K[left, here] = known.T
    if rows.start < block.shape[1]:
        square = block[:, n_left : n_left + len(block)]
        K[here, here] = np.where(np.tri(len(square), dtype=bool), square, square.T)


def _check_memory(n: int, dtype) -> None:
    """Refuse a matrix larger than this machine's memory before the system kills the process over it."""
    needed = n**2 * np.dtype(dtype).itemsize
    if hasattr(os, "sysconf") and needed > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        raise MemoryError(
            f"The kernel matrix of {n} rows takes {needed / 2**30:.0f} GiB, more than this machine has. "
            "Use fewer centres than rows (n_centers=2000), or train on a sample of the rows."
        )
