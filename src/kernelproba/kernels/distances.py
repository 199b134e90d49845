"""Distances between rows, bound to their centres: ``measure = squared_euclidean(Z)``.

‖x−z‖² is computed as ‖x‖² + ‖z‖² − 2 x·z, one matrix product.  The difference
cancels when x and z are close, so

- dense operands are first centred by a median of Z (the distance does not change);
- an entry that may have lost more than half of its digits is computed again as Σ(x−z)².

Hence identical rows are at distance exactly 0, wherever they stand, and CSR rows, which centring would
fill, are compared as exactly as dense ones.  A distance that overflows is ∞, without a warning.
"""

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.utils.extmath import row_norms

from kernelproba.kernels.blocks import BLOCK_ENTRIES, Fill
from kernelproba.linalg import densify

#: Error that the expansion of a square may leave in a distance in double precision.
RELATIVE_ERROR = 1e-7
#: CSR centres of at most so many entries, of which at least this share is stored, are compared as dense ones.
DENSE_ENTRIES, DENSE_SHARE = 2**25, 0.05


def dot_products(Z) -> Fill:
    """Bind Z (m, d); return fill(X, out) that writes x·z, ±∞ or NaN where that overflows."""
    if sp.issparse(Z) and _pays_dense(Z):
        columns = np.ascontiguousarray(densify(Z).T)

        @np.errstate(over="ignore", invalid="ignore")
        def fill(X, out):
            out[...] = X @ columns  # rows stay sparse

    elif sp.issparse(Z):

        def fill(X, out):
            out[...] = (X @ Z.T).toarray()

    else:
        Z = np.ascontiguousarray(Z)

        @np.errstate(over="ignore", invalid="ignore")
        def fill(X, out):
            np.matmul(X, Z.T, out=out)

    return fill


@np.errstate(over="ignore", invalid="ignore")
def squared_euclidean(Z, factor: float = 1.0, tolerance: float = 0.0) -> Fill:
    """Bind Z (m, d); return fill(X, out) that writes f ‖x−z‖² for a factor f, ±∞ where that overflows.

    The factor is part of the matrix product, and costs nothing.  Where rounding leaves an error of less than
    the tolerance, no entry is looked at again: then equal rows may be as far apart as that.
    """
    expand = _expand_sparse(Z, factor) if sp.issparse(Z) else _expand_dense(Z, factor)
    beyond = np.greater if factor > 0 else np.less
    nearest = np.min if factor > 0 else np.max
    sign = float(np.sign(factor))

    # A squared norm may overflow: its entries are ∞ or NaN, are flagged, and end as Σ(x−z)², ∞ or not.
    @np.errstate(over="ignore", invalid="ignore")
    def fill(X, out):
        x2, z2 = expand(X, out)
        noise, largest = _rounding(X, Z), x2.max() + z2.max()
        if noise * largest < tolerance:
            return
        # Half of the digits in double precision; single precision has none to spare.
        share = sign * (noise if Z.dtype == np.float32 else noise / RELATIVE_ERROR)
        # One bound for all entries is faster than one for each, and flags few if the norms are alike.
        bound = share * largest
        if beyond(nearest(out), bound):
            return
        near = np.flatnonzero(~beyond(out, bound))
        if _crowded(near, out):
            near = np.flatnonzero(~beyond(out, share * (x2[:, None] + z2)))
        if not _crowded(near, out):
            _mend(out, near, X, Z, factor)
        elif out.dtype == np.float32:
            # Tight clusters far apart: float64 resolves them, at once.
            wide = np.empty(out.shape)
            squared_euclidean(Z.astype(np.float64), factor)(X.astype(np.float64), wide)
            out[...] = wide
        elif sp.issparse(Z) and not _pays_dense(Z):
            _mend(out, near, X, Z, factor)
        else:
            _write_directly(out, X, Z, factor)

    return fill


def _rounding(X, Z) -> float:
    """Share of ‖x‖² + ‖z‖² that rounding may take from, or add to, a distance."""
    terms = max(int(np.diff(A.indptr).max(initial=0)) for A in (X, Z)) if sp.issparse(Z) else Z.shape[1]
    # A dot product of d terms is off by at most ½ d eps ‖x‖‖z‖, each squared norm likewise.
    return (1.5 * terms + 4) * float(np.finfo(Z.dtype).eps)


def _crowded(near, out) -> bool:
    """Whether so many entries are flagged that mending them one by one is slow."""
    return 16 * len(near) > out.size


def _mend(out, near, X, Z, factor: float):
    """Write f Σ(x−z)² into the entries of `out` at the flat positions `near`."""
    step = max(1, BLOCK_ENTRIES // X.shape[1])
    for start in range(0, len(near), step):
        i, j = np.divmod(near[start : start + step], Z.shape[0])
        out[i, j] = factor * row_norms(X[i] - Z[j], squared=True)


def _pays_dense(Z) -> bool:
    """Whether CSR centres are few and full enough to be compared entry by entry."""
    return np.prod(Z.shape) <= DENSE_ENTRIES and Z.nnz > DENSE_SHARE * np.prod(Z.shape)


def _write_directly(out, X, Z, factor: float):
    """Write f Σ(x−z)² into all entries of `out`."""
    Z, step = densify(Z), max(1, BLOCK_ENTRIES // X.shape[1])
    for start in range(0, X.shape[0], step):
        rows = slice(start, start + step)
        out[rows] = factor * cdist(densify(X[rows]), Z, "sqeuclidean")


def _expand_dense(Z, factor: float):
    """Bind Z; return expand(X, out) that writes f (‖x‖² + ‖z‖² − 2 x·z) and returns both norms, times |f|."""
    # Every centre is right; an outlier would drag the mean away from all other rows.  Sorting few rows is a
    # quarter of the work of np.median.
    some = np.sort(Z[:: Z.shape[0] // 32 + 1], axis=0)
    centre = some[len(some) // 2]
    unit, sign = float(np.sqrt(abs(factor))), float(np.sign(factor))

    def centred(A, out):
        # √|f| x and |f| ‖x‖²
        np.subtract(A, centre, out=out)
        if unit != 1:
            out *= unit
        return np.einsum("ij,ij->i", out, out)

    right = np.empty((Z.shape[0], Z.shape[1] + 2), dtype=Z.dtype)
    z2 = centred(Z, right[:, :-2])
    right[:, :-2] *= -2 * sign
    right[:, -2], right[:, -1] = sign, sign * z2
    right = np.ascontiguousarray(right.T)  # as BLAS reads it

    def expand(X, out):
        # One product does it all: [x, ‖x‖², 1] · ±[−2z, 1, ‖z‖²]
        left = np.empty((len(X), len(right)), dtype=out.dtype)
        x2 = centred(X, left[:, :-2])
        left[:, -2], left[:, -1] = x2, 1.0
        np.matmul(left, right, out=out)
        return x2, z2

    return expand


def _expand_sparse(Z, factor: float):
    """Do the same for CSR matrices, which centring would fill."""
    products, z2 = dot_products(Z), row_norms(Z, squared=True)

    def expand(X, out):
        x2 = row_norms(X, squared=True)
        products(X, out)
        out *= -2 * factor
        out += factor * x2[:, None]
        out += factor * z2
        return abs(factor) * x2, abs(factor) * z2

    return expand
