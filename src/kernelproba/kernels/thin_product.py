"""Products of a large matrix with a few columns, read from memory once.

A matrix product of BLAS first copies its operands into an order that suits it, which pays where each entry is
used hundreds of times.  K A with A of a few columns uses each entry of K a few times only, and copying K is
most of the work.  Small products are done in place; OpenBLAS calls a product small up to 10⁶ multiplications.
So K is cut into strips that are: on one thread this takes 0.4 to 0.7 of the time for 3 to 40 columns
(`python -m benchmarks.limit products`), and elsewhere it does no harm.
"""

import numpy as np

from kernelproba.kernels.blocks import for_each_block

#: Multiplications up to which a product is done without copying the operands.
SMALL_PRODUCT = 10**6
#: Rows of a strip.
STRIP_ROWS = 8
#: Columns from which on copying pays.
MOST_COLUMNS = 64
#: How much larger blocks are here than where kernel values are computed, which stay in the cache.
LARGER_BLOCKS = 8


def thin_product(K: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Return K A for K (n, m) and A (m, k), k being small; the rows are shared between the threads of BLAS.

    Parameters
    ----------
    K : array of shape (n, m)
        The matrix, in C order.
    A : array of shape (m, k)
        The columns, of the same type.

    Returns
    -------
    product : ndarray of shape (n, k)
        K A.

    See Also
    --------
    kernelproba.objective.DenseMatrix : Symmetric matrices and their products.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.kernels.thin_product import thin_product
    >>> thin_product(np.ones((1000, 1000)), np.ones((1000, 2)))[0]
    array([1000., 1000.])
    """
    if K.size * A.shape[1] <= SMALL_PRODUCT or A.shape[1] > MOST_COLUMNS:
        return K @ A
    out = np.empty((K.shape[0], A.shape[1]), dtype=np.result_type(K, A))
    columns = np.asfortranarray(A)
    n, m = K.shape
    for_each_block(lambda rows: _fill(K[rows], columns, out[rows]), n, m // LARGER_BLOCKS)
    return out


def _fill(K: np.ndarray, A: np.ndarray, out: np.ndarray) -> None:
    """Write K A into `out`, strip by strip."""
    (n, m), k = K.shape, A.shape[1]
    whole = n - n % STRIP_ROWS
    strips = K[:whole].reshape(-1, STRIP_ROWS, m)
    sums = out[:whole].reshape(-1, STRIP_ROWS, k)
    pieces = -(-m * k * STRIP_ROWS // SMALL_PRODUCT)
    for i, columns in enumerate(slices(m, pieces)):
        if i == 0:
            np.matmul(strips[..., columns], A[columns], out=sums)
        else:
            sums += strips[..., columns] @ A[columns]
    np.matmul(K[whole:], A, out=out[whole:])


def slices(m: int, pieces: int) -> list[slice]:
    """Cut 0 … m − 1 into so many slices of nearly one length."""
    return [slice(i * m // pieces, (i + 1) * m // pieces) for i in range(pieces)]
