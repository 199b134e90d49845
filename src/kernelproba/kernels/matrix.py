"""The symmetric kernel matrix of one set of rows, and the precision it is held in."""

import os
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from kernelproba.kernels.base import Kernel
from kernelproba.kernels.blocks import fill_rows
from kernelproba.kernels.operands import check_operands
from kernelproba.kernels.stationary import Stationary

#: Centres that are bound at a time: the product with them is of a shape that BLAS likes.
STRIP = 512
#: Rows of transposed copies, which stay in the cache.
TILE = 64
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
    return _symmetric(kernel.write, X, kernel.select(X, np.arange(X.shape[0])), dtype)


def distance_matrix(kernel: Stationary, X) -> np.ndarray:
    """Distances (n, n) of rows X (n, d), in their precision, as the kernel's `of_distance` takes them."""

    def write(X, Z, out: np.ndarray) -> None:
        fill_rows(kernel._distances_to, X, Z, out)

    X, Z = check_operands(X, X)
    return _symmetric(write, X, Z, X.dtype)


def _symmetric(write: Callable[..., None], X, Z, dtype) -> np.ndarray:
    """The matrix (n, n) of which write(X, Z, out) computes parts: one triangle of it, the other is copied."""
    n = X.shape[0]
    _check_memory(n, dtype)
    K = np.empty((n, n), dtype=dtype)
    for start in range(0, n, STRIP):
        columns = slice(start, min(start + STRIP, n))
        write(X[start:], Z[columns], K[start:, columns])
        for first in range(start, n, TILE):
            _mirror(K, slice(first, min(first + TILE, n)), columns)
    return K


def _mirror(K: np.ndarray, rows: slice, columns: slice) -> None:
    """Copy what of K[rows, columns] is below the diagonal to its other side."""
    left = slice(columns.start, min(rows.start, columns.stop))
    K[left, rows] = K[rows, left].T
    if rows.start < columns.stop:
        square = K[rows, rows]
        np.copyto(square, square.T, where=np.tri(len(square), k=-1, dtype=bool).T)


def _check_memory(n: int, dtype) -> None:
    """Refuse a matrix larger than this machine's memory before the system kills the process over it."""
    needed = n**2 * np.dtype(dtype).itemsize
    if hasattr(os, "sysconf") and needed > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        raise MemoryError(
            f"The kernel matrix of {n} rows takes {needed / 2**30:.0f} GiB, more than this machine has. "
            "Use fewer centres than rows (n_centers=2000), or train on a sample of the rows."
        )
