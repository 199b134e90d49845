"""
Operands and row blocks: how every kernel matrix is filled.

A kernel binds its centres once (norms, centring, transposes) and then fills the
matrix one block of rows at a time.  A block is small enough to stay in cache
between the matrix product and the element-wise functions that follow it.
"""

from collections.abc import Callable, Iterator

import numpy as np

# fill(X_block, out): write k(X_block, Z) into out, of shape (len(X_block), m).
Fill = Callable[..., None]

BLOCK_ENTRIES = 2**17


def row_blocks(n: int, m: int) -> Iterator[slice]:
    """Slices that cut n rows of m entries into blocks of at most about BLOCK_ENTRIES entries."""
    step = max(1, BLOCK_ENTRIES // max(m, 1))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def fill_rows(fill: Fill, X, m: int) -> np.ndarray:
    """Return the (n, m) matrix whose row blocks `fill(X[rows], out[rows])` writes."""
    out = np.empty((X.shape[0], m), dtype=X.dtype)
    for rows in row_blocks(*out.shape):
        fill(X[rows], out[rows])
    return out
