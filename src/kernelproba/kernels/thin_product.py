"""Products of a large matrix with a few columns, read from memory once.

A matrix product of BLAS first copies its operands into an order that suits it, which pays where each entry is
used hundreds of times.  K A with A of a few columns uses each entry of K a few times only, and copying K is
most of the work.

OpenBLAS's kernels for AVX-512 do products of up to 10⁶ multiplications in place.  So K is cut into strips
that are so small: on one thread this takes 0.4 to 0.7 of the time for 3 to 40 columns
(`python -m benchmarks.limit products`).  Its other kernels copy operands of any size, and strips take up to
twice the time of the whole.  There few columns are multiplied one by one, while a block of rows is in the
cache, and more of them at once.
"""

from functools import cache

import numpy as np

from kernelproba.blas_threads import blas_libraries
from kernelproba.kernels.blocks import for_each_block

#: Kernels of OpenBLAS that do small products in place, by their names.
IN_PLACE = {"SkylakeX", "Cooperlake", "SapphireRapids"}
#: Multiplications up to which they do.
SMALL_PRODUCT = 10**6
#: Rows of a strip.
STRIP_ROWS = 8
#: Columns from which on copying pays.
MOST_COLUMNS = 64
#: How much larger blocks are here than where kernel values are computed, which stay in the cache.
LARGER_BLOCKS = 8
#: Where others copy: columns up to which products with one vector each are faster, and entries of K that stay
#: in the cache for all of them.
VECTORS, CACHED_ENTRIES = 5, 2**17


@cache
def multiplies_in_place() -> bool:
    """Whether BLAS does small products without copying the operands, which its kernels' name tells."""
    names = {library.get("architecture") for library in blas_libraries().info()}
    return bool(names) and names <= IN_PLACE


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
    (n, m), k = K.shape, A.shape[1]
    if k > MOST_COLUMNS or K.size * k <= (SMALL_PRODUCT if multiplies_in_place() else CACHED_ENTRIES):
        return K @ A
    columns = np.asfortranarray(A)
    if k <= VECTORS and not multiplies_in_place():
        sums = np.empty((k, n), dtype=np.result_type(K, A))
        step = -(-CACHED_ENTRIES // m)
        for_each_block(lambda rows: _fill_one_by_one(K[rows], columns, sums[:, rows]), n, m, step)
        return sums.T
    out = np.empty((n, k), dtype=np.result_type(K, A))
    fill = _fill_in_strips if multiplies_in_place() else _fill_at_once
    for_each_block(lambda rows: fill(K[rows], columns, out[rows]), n, m // LARGER_BLOCKS)
    return out


def transpose_product(K: np.ndarray, G: np.ndarray) -> np.ndarray:
    """Return KᵀG (m, k) for K (n, m) and G (n, k), k being small.

    Parameters
    ----------
    K : array of shape (n, m)
        The matrix, in C order.
    G : array of shape (n, k)
        The columns, of the same type.

    See Also
    --------
    thin_product : Products with K itself.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.kernels.thin_product import transpose_product
    >>> transpose_product(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0], [1.0]])).ravel()
    array([4., 6.])
    """
    (n, m), k = K.shape, G.shape[1]
    if not 1 < k <= VECTORS or K.size <= CACHED_ENTRIES or multiplies_in_place():
        # As (GᵀK)ᵀ, so that BLAS copies the thin factor into its order and not the large one.
        return (G.T @ K).T
    columns, parts = np.ascontiguousarray(G.T), {}

    def work(rows: slice) -> None:
        parts[rows.start] = np.stack([g[rows] @ K[rows] for g in columns])

    for_each_block(work, n, m, -(-CACHED_ENTRIES // m))
    return np.sum([parts[start] for start in sorted(parts)], axis=0).T


def _fill_one_by_one(K: np.ndarray, A: np.ndarray, out: np.ndarray) -> None:
    """Write (K A)ᵀ into `out`, column by column of A."""
    for a, sums in zip(A.T, out, strict=True):
        np.dot(K, a, out=sums)


def _fill_at_once(K: np.ndarray, A: np.ndarray, out: np.ndarray) -> None:
    """Write K A into `out`."""
    np.matmul(K, A, out=out)


def _fill_in_strips(K: np.ndarray, A: np.ndarray, out: np.ndarray) -> None:
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
