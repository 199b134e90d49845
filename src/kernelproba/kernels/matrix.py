"""The symmetric kernel matrix of one set of rows, and the precision it is held in."""

import os

import numpy as np
import scipy.sparse as sp

from kernelproba.kernels.base import Kernel
from kernelproba.kernels.stationary import Stationary

BLOCK_ROWS = 512
TILE = 64


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
    return (X - np.median(X, axis=0)).astype(np.float32)


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
    n = X.shape[0]
    _check_memory(n, dtype)
    X = rows_in(dtype, kernel, X)
    Z = kernel.select(X, np.arange(n))
    K = np.empty((n, n), dtype=dtype)
    for start in range(0, n, BLOCK_ROWS):
        rows = slice(start, min(start + BLOCK_ROWS, n))
        kernel.write(X[rows], Z[: rows.stop], K[rows, : rows.stop])
        for column in range(0, rows.start, TILE):  # transposed copies that stay in the cache
            columns = slice(column, column + TILE)
            K[columns, rows] = K[rows, columns].T
        square = K[rows, rows]
        np.copyto(square, square.T, where=np.tri(len(square), k=-1, dtype=bool).T)
    return K


def _check_memory(n: int, dtype) -> None:
    """Refuse a matrix larger than this machine's memory before the system kills the process over it."""
    needed = n**2 * np.dtype(dtype).itemsize
    if hasattr(os, "sysconf") and needed > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        raise MemoryError(
            f"The kernel matrix of {n} rows takes {needed / 2**30:.0f} GiB, more than this machine has. "
            "Use fewer centres than rows (n_centers=2000), or train on a sample of the rows."
        )
