"""Leave-one-out scores of a ridge regression in closed form.

Without row i, of weight sᵢ, the equations (G + αSI) A = M of `normal_equations` become

    (G − sᵢφᵢφᵢᵀ + ρᵢ I) A₋ᵢ = M − sᵢφᵢyᵢᵀ,        ρᵢ = α (S − sᵢ)

With N = (G + ρᵢI)⁻¹, fit ŷᵢ = MᵀNφᵢ and leverage ℓᵢ = sᵢ φᵢᵀNφᵢ, Sherman and Morrison give the score
of row i by the model that has not seen it::

    q₋ᵢ = (ŷᵢ − ℓᵢ yᵢ) / (1 − ℓᵢ)

**The row may be a centre as well.**  A model trained without row i would not have the basis function
that stands on it, say number z.  Dropping it takes from the solution A₋ᵢ its part along N₋ᵢe_z, where N₋ᵢ is
the inverse after the row has gone, and the score is taken without φ_z, that is on φ̃ = φᵢ − κe_z::

    q₋ᵢ,₋z = φ̃ᵀA₋ᵢ − (φ̃ᵀN₋ᵢe_z) (e_zᵀA₋ᵢ) / (e_zᵀN₋ᵢe_z)

Every term follows from u = φ̃ᵀNφ̃, t = φ̃ᵀNe_z, v = e_zᵀNe_z, φ̃ᵀNM and e_zᵀNM.  They are small where φ̃ is, so
that even the faint scores of narrow kernels keep their digits.
Leaving the row out and its basis function in is far too pessimistic for narrow kernels: a bump remains that
only the other classes see, and they press it down.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .normal_equations import NormalEquations, Spectrum, cholesky_factor, forward_solve, safe_ridge

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
    """For each of a penalties φ̃ᵀNM (a, r, k), u (a, r); at o own centres t, v (a, o), e_zᵀNM (a, o, k)."""

    fitted: np.ndarray
    square: np.ndarray
    cross: np.ndarray
    own: np.ndarray
    coef: np.ndarray

    @classmethod
    def stack(cls, parts: Iterable[tuple[np.ndarray, ...]]) -> "_Products":
        """Products of all penalties from those of each."""
        return cls(*(np.stack(part) for part in zip(*parts, strict=True)))


def leave_one_out(
    equations: NormalEquations,
    rows: LeftOut,
    alphas: Sequence[float],
    total: float,
    *,
    solver: str = "cholesky",
    exact: bool = True,
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
    exact : bool, default=True
        If False, ρ is α (S − s̄) for all rows, s̄ their mean weight: one factorisation per α whatever the
        weights.  The penalty of row i is then off by a factor of about 1 + (sᵢ − s̄)/S.

    Returns
    -------
    Q : ndarray of shape (len(alphas), r, k)
    """
    penalties = np.asarray(alphas, dtype=np.float64)
    if not exact:
        mean = float(rows.weight.mean())
        return _scores(rows, _cholesky_products(equations, rows, penalties * (total - mean)))
    weights = np.unique(rows.weight)
    if solver == "eigh" or len(weights) > _MAX_WEIGHTS:
        rests = penalties[:, None] * (total - rows.weight)
        return _scores(rows, _spectral_products(equations, rows, rests))
    Q = np.empty((len(alphas), *rows.Y.shape), dtype=equations.gram.dtype)
    for s in weights:
        index = np.flatnonzero(rows.weight == s)
        group = rows.at(index)
        Q[:, index] = _scores(group, _cholesky_products(equations, group, penalties * (total - s)))
    return Q


def _scores(rows: LeftOut, products: _Products) -> np.ndarray:
    """q₋ᵢ for every penalty, without the row's own basis function where it has one."""
    leverage = rows.weight * products.square
    rest = (1 - leverage)[..., None]
    # Rows without a centre of their own: φ̃ = φ, and q = (ŷ − ℓy)/(1 − ℓ).
    Q = (products.fitted - leverage[..., None] * rows.Y) / rest
    owner = np.flatnonzero(rows.center >= 0)
    Q[:, owner] = _ownerless_scores(rows.at(owner), products, owner)
    return Q


def _ownerless_scores(rows: LeftOut, products: _Products, owner: np.ndarray) -> np.ndarray:
    """q₋ᵢ,₋z of rows that all have a centre z of their own."""
    kappa = rows.Phi[np.arange(len(owner)), rows.center]
    u, t, v = products.square[:, owner], products.cross, products.own
    u_phi, t_phi = u + kappa * t, t + kappa * v  # φ̃ᵀNφ and φᵀNe_z
    fitted, coef = products.fitted[:, owner], products.coef
    # gain = sᵢ/(1 − ℓᵢ), and ŷᵢ − yᵢ for φ = φ̃ + κe_z
    gain = rows.weight / (1 - rows.weight * (u_phi + kappa * t_phi))
    error = fitted + kappa[:, None] * coef - rows.Y
    score = fitted + (gain * u_phi)[..., None] * error
    a_z = coef + (gain * t_phi)[..., None] * error
    return score - ((t + gain * u_phi * t_phi) / (v + gain * t_phi**2))[..., None] * a_z


def _cholesky_products(equations: NormalEquations, rows: LeftOut, ridges: np.ndarray) -> _Products:
    """With N = L⁻ᵀL⁻¹ all are inner products of columns of L⁻¹[Φᵀ, E, M]."""
    (r, b), k = rows.Phi.shape, rows.Y.shape[1]
    owner = np.flatnonzero(rows.center >= 0)
    B = np.zeros((b, r + len(owner) + k), dtype=equations.gram.dtype, order="F")
    B[:, :r] = rows.Phi.T
    B[rows.center[owner], owner] = 0  # φ̃
    B[rows.center[owner], r + np.arange(len(owner))] = 1
    B[:, -k:] = equations.moment

    def products(ridge):
        whitened = forward_solve(cholesky_factor(equations.gram, ridge), B).T
        P, E, M = whitened[:r], whitened[r:-k], whitened[-k:]
        return P @ M.T, _row_dots(P, P), _row_dots(P[owner], E), _row_dots(E, E), E @ M.T

    return _Products.stack(products(ridge) for ridge in ridges)


def _spectral_products(equations: NormalEquations, rows: LeftOut, ridges: np.ndarray) -> _Products:
    """N = U diag(1/(γ + ρᵢ)) Uᵀ with a ρ for each row, so for any weights; ridges (a, r)."""
    spectrum = Spectrum.of(equations)
    owner = np.flatnonzero(rows.center >= 0)
    Phi = rows.Phi.copy()
    Phi[owner, rows.center[owner]] = 0  # φ̃
    P, E, M = Phi @ spectrum.vectors, spectrum.vectors[rows.center[owner]], spectrum.moment

    def products(ridge):
        scale = 1 / (spectrum.values + np.maximum(ridge, safe_ridge(equations.gram, 0.0))[:, None])
        NP, NE = P * scale, E * scale[owner]
        return NP @ M, _row_dots(NP, P), _row_dots(NP[owner], E), _row_dots(NE, E), NE @ M

    return _Products.stack(products(ridge) for ridge in ridges)


def _row_dots(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", A, B)
