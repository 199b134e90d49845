"""
Distances between rows, bound to their centres: ``measure = squared_euclidean(Z)``.

‖x−z‖² is computed as ‖x‖² + ‖z‖² − 2 x·z, one matrix product.  The difference
cancels when x and z are close, so

- both operands are first centred by the mean of Z (the distance does not change);
- an entry below its own rounding noise is computed again as Σ(x−z)².

Hence identical rows are at distance exactly 0, wherever they stand.
"""

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import row_norms

from .blocks import BLOCK_ENTRIES, Fill
from .operands import densify


def dot_products(Z) -> Fill:
    """Bind Z (m, d); return fill(X, out) that writes x·z."""
    if sp.issparse(Z):

        def fill(X, out):
            out[...] = (X @ Z.T).toarray()

    else:
        Z = np.ascontiguousarray(Z)

        def fill(X, out):
            np.matmul(X, Z.T, out=out)

    return fill


def squared_euclidean(Z) -> Fill:
    """Bind Z (m, d); return fill(X, out) that writes ‖x−z‖² ≥ 0."""
    centre = 0 if sp.issparse(Z) else Z.mean(axis=0, dtype=np.float64).astype(Z.dtype)
    Zc = _shift(Z, centre)
    products, z2 = dot_products(Zc), row_norms(Zc, squared=True)
    # Each of ‖x‖², ‖z‖², 2x·z is off by at most d/2 units of eps(‖x‖² + ‖z‖²).
    noise = (Z.shape[1] + 4) * np.finfo(Z.dtype).eps

    def fill(X, out):
        Xc = _shift(X, centre)
        x2 = row_norms(Xc, squared=True)[:, None]
        products(Xc, out)
        out *= -2
        out += x2
        out += z2
        i, j = np.nonzero(out <= noise * (x2 + z2))
        for part in _parts(len(i), X.shape[1]):
            out[i[part], j[part]] = row_norms(X[i[part]] - Z[j[part]], squared=True)

    return fill


def manhattan(Z) -> Fill:
    """Bind Z (m, d); return fill(X, out) that writes Σₖ|xₖ−zₖ|."""
    columns = np.ascontiguousarray(densify(Z).T)

    def fill(X, out):
        X, gap = densify(X), np.empty_like(out)
        out[...] = 0
        for k, column in enumerate(columns):
            np.subtract(X[:, k, None], column, out=gap)
            out += np.abs(gap, out=gap)

    return fill


def _shift(A, centre):
    return A if sp.issparse(A) else A - centre


def _parts(n: int, d: int):
    """Slices over n pairs whose differences, d numbers each, fit in a block."""
    step = max(1, BLOCK_ENTRIES // d)
    return (slice(start, start + step) for start in range(0, n, step))
