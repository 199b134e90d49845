"""Leave-one-out scores of a ridge regression in closed form.

Without row i, of weight sᵢ, the equations (G + αSI) A = M of `normal_equations` become

    (G − sᵢφᵢφᵢᵀ + ρᵢ I) A₋ᵢ = M − sᵢφᵢyᵢᵀ,        ρᵢ = α (S − sᵢ)

With N = (G + ρᵢI)⁻¹, fit ŷᵢ = MᵀNφᵢ and leverage ℓᵢ = sᵢ φᵢᵀNφᵢ, Sherman and Morrison give the score
of row i by the model that has not seen it::

    q₋ᵢ = (ŷᵢ − ℓᵢ yᵢ) / (1 − ℓᵢ)

**The row may be a centre as well.**  A model trained without row i would not have the basis function
that stands on it, say number z.  Dropping it subtracts from the solution its part along N₋ᵢe_z, where
N₋ᵢ is the inverse after the row has gone::

    q₋ᵢ,₋z = q₋ᵢ − (φᵢᵀN₋ᵢe_z) a_z / (e_zᵀN₋ᵢe_z)

    φᵢᵀN₋ᵢe_z = t/(1 − ℓᵢ),   e_zᵀN₋ᵢe_z = v + sᵢt²/(1 − ℓᵢ),   a_z = (NM)_z + sᵢt (ŷᵢ − yᵢ)/(1 − ℓᵢ)

with t = φᵢᵀNe_z and v = e_zᵀNe_z.  Leaving the row out and its basis function in is far too pessimistic
for narrow kernels: a bump remains that only the other classes see, and they press it down.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import get_blas_funcs

from .normal_equations import NormalEquations, Spectrum, cholesky_factor, safe_ridge

#: Rows of one weight share a factorisation; with more weights than this a decomposition is cheaper.
_MAX_WEIGHTS = 8


@dataclass(frozen=True)
class LeftOut:
    """Rows to leave out, one at a time.

    Parameters
    ----------
    Phi : array of shape (r, b)
        Their features, without weights.
    Y : array of shape (r, k)
        Their targets.
    weight : array of shape (r,)
        Their weights in the sums.
    center : array of shape (r,)
        Number of the basis function that goes with the row, −1 for none.
    """

    Phi: np.ndarray
    Y: np.ndarray
    weight: np.ndarray
    center: np.ndarray

    def at(self, index: np.ndarray) -> "LeftOut":
        """Some of the rows."""
        return LeftOut(self.Phi[index], self.Y[index], self.weight[index], self.center[index])


@dataclass(frozen=True)
class _Products:
    """ŷ (r, k), φᵀNφ (r,), and for the o rows with a centre of their own t, v (o,), NM at it (o, k)."""

    fitted: np.ndarray
    leverage: np.ndarray
    cross: np.ndarray
    own: np.ndarray
    coef: np.ndarray


def leave_one_out(
    equations: NormalEquations, rows: LeftOut, alphas: Sequence[float], total: float, solver: str = "cholesky"
) -> np.ndarray:
    """Scores of rows by the models that have not seen them.

    Parameters
    ----------
    equations : NormalEquations
        Sums over all rows.
    rows : LeftOut
        Rows among them.
    alphas : sequence of float
        Penalties α.
    total : float
        S, the weight of all rows.
    solver : {"cholesky", "eigh"}
        "cholesky": one factorisation and r b² operations per α (and per distinct weight, while those
        are few); "eigh": one decomposition for everything.

    Returns
    -------
    Q : ndarray of shape (len(alphas), r, k)
    """
    weights = np.unique(rows.weight)
    Q = np.empty((len(alphas), *rows.Y.shape), dtype=equations.gram.dtype)
    if solver == "eigh" or len(weights) > _MAX_WEIGHTS:
        spectrum = Spectrum.of(equations)
        for q, alpha in zip(Q, alphas, strict=True):
            ridges = [safe_ridge(equations.gram, alpha * (total - s)) for s in rows.weight]
            q[...] = _scores(rows, _spectral_products(spectrum, rows, np.array(ridges)))
        return Q
    for s in weights:
        index = np.flatnonzero(rows.weight == s)
        group = rows.at(index)
        for q, alpha in zip(Q, alphas, strict=True):
            q[index] = _scores(group, _cholesky_products(equations, group, alpha * (total - s)))
    return Q


def _scores(rows: LeftOut, products: _Products) -> np.ndarray:
    """q₋ᵢ, without the row's own basis function where it has one."""
    s = rows.weight[:, None]
    rest = 1 - s * products.leverage[:, None]
    error = products.fitted - rows.Y
    # (ŷ − ℓy)/(1 − ℓ) = y + (ŷ − y)/(1 − ℓ)
    Q = rows.Y + error / rest
    owner = np.flatnonzero(rows.center >= 0)
    s, rest, error = s[owner], rest[owner], error[owner]
    t, v = products.cross[:, None], products.own[:, None]
    a = products.coef + s * t * error / rest
    Q[owner] -= t * a / (v * rest + s * t**2)
    return Q


def _cholesky_products(equations: NormalEquations, rows: LeftOut, ridge: float) -> _Products:
    """With L Lᵀ = N⁻¹, all products are inner products of columns of L⁻¹[Φᵀ, E, M]."""
    L = cholesky_factor(equations.gram, ridge)
    owner = np.flatnonzero(rows.center >= 0)
    r, o = len(rows.Phi), len(owner)
    B = np.zeros((len(L), r + o + equations.moment.shape[1]), dtype=L.dtype, order="F")
    B[:, :r] = rows.Phi.T
    B[rows.center[owner], r + np.arange(o)] = 1
    B[:, r + o :] = equations.moment
    (trsm,) = get_blas_funcs(("trsm",), (L, B))
    B = trsm(1.0, L, B, lower=1, overwrite_b=1).T
    P, E, M = B[:r], B[r : r + o], B[r + o :]
    return _Products(P @ M.T, _row_dots(P, P), _row_dots(P[owner], E), _row_dots(E, E), E @ M.T)


def _spectral_products(spectrum: Spectrum, rows: LeftOut, ridges: np.ndarray) -> _Products:
    """N = U diag(1/(γ + ρᵢ)) Uᵀ, exact for every weight."""
    owner = np.flatnonzero(rows.center >= 0)
    scale = 1 / (spectrum.values + ridges[:, None])
    P, E = rows.Phi @ spectrum.vectors, spectrum.vectors[rows.center[owner]]
    NP, NE = P * scale, E * scale[owner]
    return _Products(
        NP @ spectrum.moment,
        _row_dots(NP, P),
        _row_dots(NP[owner], E),
        _row_dots(NE, E),
        NE @ spectrum.moment,
    )


def _row_dots(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", A, B)
