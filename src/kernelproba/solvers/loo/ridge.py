"""Leave-one-out scores of a ridge regression in closed form.

A row i of weight wᵢ may stand for several identical observations.  What is left out is one of them, a weight
sᵢ ≤ wᵢ, and without it the equations (G + αSI) A = M of `normal_equations` become

    (G − sᵢφᵢφᵢᵀ + ρᵢ I) A₋ᵢ = M − sᵢφᵢyᵢᵀ,        ρᵢ = α (S − sᵢ)

With N = (G + ρᵢI)⁻¹, fit ŷᵢ = MᵀNφᵢ and leverage ℓᵢ = sᵢ φᵢᵀNφᵢ, Sherman and Morrison give the score
of row i by the model that has not seen it::

    q₋ᵢ = (ŷᵢ − ℓᵢ yᵢ) / (1 − ℓᵢ)

**The row may be a centre as well.**  A model trained without row i (all of it: sᵢ = wᵢ) would not have the
basis function that stands on it, say number z.  Dropping it takes from the solution A₋ᵢ its part along
N₋ᵢe_z, where N₋ᵢ is the inverse after the row has gone, and the score is taken without φ_z, that is on
φ̃ = φᵢ − κe_z::

    q₋ᵢ,₋z = φ̃ᵀA₋ᵢ − (φ̃ᵀN₋ᵢe_z) (e_zᵀA₋ᵢ) / (e_zᵀN₋ᵢe_z)

Every term follows from u = φ̃ᵀNφ̃, t = φ̃ᵀNe_z, v = e_zᵀNe_z, φ̃ᵀNM and e_zᵀNM.  They are small where φ̃ is, so
that even the faint scores of narrow kernels keep their digits.
Leaving the row out and its basis function in is far too pessimistic for narrow kernels: a bump remains that
only the other classes see, and they press it down.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernelproba.solvers.least_squares.normal_equations import (
    ForwardSolver,
    NormalEquations,
    Spectrum,
    cholesky_factor,
    safe_ridge,
)

#: Rows of one weight share a factorisation; with more weights than this a decomposition is cheaper.
_MAX_WEIGHTS = 8


@dataclass(frozen=True)
class LeftOutRows:
    """Rows to leave out, one at a time; of a stack of p models (`ridge_stack`) the arrays begin with (p, …).

    Parameters
    ----------
    Phi : array of shape (r, b) or (p, r, b)
        Their features, without weights.
    Y : array of shape (r, k) or (p, r, k)
        Their targets.
    weight : array of shape (r,)
        s, the weight that is left out of the sums.
    center : array of shape (r,) or (p, r)
        Number of the basis function that goes with the row, −1 for none, or if weight of the row stays.
    """

    Phi: np.ndarray
    Y: np.ndarray
    weight: np.ndarray
    center: np.ndarray

    @cached_property
    def owner(self) -> tuple[np.ndarray, ...]:
        """Indices ((model and) row) of the rows that have a basis function of their own."""
        return np.nonzero(self.center >= 0)

    @property
    def owner_of_each(self) -> tuple[slice | np.ndarray, ...]:
        """The same behind an axis of penalties."""
        return (slice(None), *self.owner)

    @cached_property
    def own(self) -> tuple[np.ndarray, ...]:
        """Indices of these basis functions in Phi."""
        return (*self.owner, self.center[self.owner])

    @property
    def strangers(self) -> np.ndarray:
        """Φ̃: the features without those that go with their row."""
        Phi = self.Phi.copy()
        Phi[self.own] = 0
        return Phi

    def at(self, index: np.ndarray) -> "LeftOutRows":
        """Some of the rows."""
        return LeftOutRows(self.Phi[index], self.Y[index], self.weight[index], self.center[index])


class LeaveOneOut:
    """Scores of rows by the models that have not seen them, for one penalty, block after block of rows.

    Rows of one weight share a factorisation, which is kept: r b² operations for r rows.  With more than eight
    weights one spectral decomposition serves all.

    Parameters
    ----------
    equations : NormalEquations
        Sums over all rows.
    alpha : float
        Penalty α.
    total : float
        S, the weight of all rows.
    solver : {"cholesky", "eigh"}
        "eigh" decomposes whatever the weights.
    """

    def __init__(self, equations: NormalEquations, alpha: float, total: float, solver: str = "cholesky"):
        self._equations, self._alpha, self._total = equations, alpha, total
        self._spectrum = Spectrum.of(equations) if solver == "eigh" else None
        self._factors: dict[float, ForwardSolver] = {}

    def scores(self, rows: LeftOutRows) -> np.ndarray:
        """Return q₋ᵢ (r, k) of some of the rows."""
        weights = np.unique(rows.weight).tolist()
        if self._spectrum is None and len({*self._factors, *weights}) > _MAX_WEIGHTS:
            self._spectrum = Spectrum.of(self._equations)
            self._factors.clear()
        if self._spectrum is not None:
            ridges = self._alpha * (self._total - rows.weight)
            return left_out_scores(rows, _spectral_products(self._equations, self._spectrum, rows, ridges))[0]
        Q = np.empty(rows.Y.shape)
        for s in weights:
            index = np.flatnonzero(rows.weight == s)
            group = rows.at(index)
            Q[index] = left_out_scores(group, _cholesky_products(self._equations, group, [self._factor(s)]))[
                0
            ]
        return Q

    def _factor(self, weight: float) -> ForwardSolver:
        """L⁻¹ for L Lᵀ = G + α (S − s) I."""
        if weight not in self._factors:
            ridge = self._alpha * (self._total - weight)
            self._factors[weight] = ForwardSolver(cholesky_factor(self._equations.gram, ridge))
        return self._factors[weight]


@dataclass(frozen=True)
class LeftOutProducts:
    """Of a penalties φ̃ᵀNM (a, …, r, k), u (a, …, r); at o own centres t, v (a, o) and e_zᵀNM (a, o, k)."""

    fitted: np.ndarray
    square: np.ndarray
    cross: np.ndarray
    own: np.ndarray
    coef: np.ndarray

    @classmethod
    def stack(cls, parts: Iterable[tuple[np.ndarray, ...]]) -> "LeftOutProducts":
        """Products of all penalties from those of each."""
        return cls(*(np.stack(part) for part in zip(*parts, strict=True)))


def left_out_scores(rows: LeftOutRows, products: LeftOutProducts) -> np.ndarray:
    """q₋ᵢ for every penalty (a, …, r, k), without the row's own basis function where it has one.

    Not finite where the penalty is lost in the rounding of a row's leverage.
    """
    leverage = (rows.weight * products.square)[..., None]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        # Rows without a centre of their own: φ̃ = φ, and q = (ŷ − ℓy)/(1 − ℓ).
        Q = (products.fitted - leverage * rows.Y) / (1 - leverage)
        Q[rows.owner_of_each] = _ownerless_scores(rows, products)
    return Q


def _ownerless_scores(rows: LeftOutRows, products: LeftOutProducts) -> np.ndarray:
    """q₋ᵢ,₋z (a, o, k) of the rows that have a centre z of their own."""
    kappa, weight = rows.Phi[rows.own], rows.weight[rows.owner[-1]]
    u, t, v = products.square[rows.owner_of_each], products.cross, products.own
    u_phi, t_phi = u + kappa * t, t + kappa * v  # φ̃ᵀNφ and φᵀNe_z
    fitted, coef = products.fitted[rows.owner_of_each], products.coef
    # gain = sᵢ/(1 − ℓᵢ), and ŷᵢ − yᵢ for φ = φ̃ + κe_z
    gain = weight / (1 - weight * (u_phi + kappa * t_phi))
    error = fitted + kappa[:, None] * coef - rows.Y[rows.owner]
    score = fitted + (gain * u_phi)[..., None] * error
    a_z = coef + (gain * t_phi)[..., None] * error
    return score - ((t + gain * u_phi * t_phi) / (v + gain * t_phi**2))[..., None] * a_z


def _cholesky_products(
    equations: NormalEquations, rows: LeftOutRows, factors: Iterable[ForwardSolver]
) -> LeftOutProducts:
    """With N = L⁻ᵀL⁻¹ all are inner products of columns of L⁻¹[Φ̃ᵀ, E, M]."""
    (r, b), k = rows.Phi.shape, rows.Y.shape[1]
    owner, z = rows.own
    B = np.zeros((b, r + len(owner) + k), dtype=equations.gram.dtype, order="F")
    B[:, :r] = rows.strangers.T
    B[z, r + np.arange(len(owner))] = 1
    B[:, -k:] = equations.moment

    def products(factor):
        whitened = factor(B).T
        P, E, M = whitened[:r], whitened[r:-k], whitened[-k:]
        return P @ M.T, row_dots(P, P), row_dots(P[owner], E), row_dots(E, E), E @ M.T

    return LeftOutProducts.stack(products(factor) for factor in factors)


def _spectral_products(
    equations: NormalEquations, spectrum: Spectrum, rows: LeftOutRows, ridges: np.ndarray
) -> LeftOutProducts:
    """N = U diag(1/(γ + ρᵢ)) Uᵀ with a ρ for each row (r,), so for any weights."""
    owner, z = rows.own
    P, E, M = rows.strangers @ spectrum.vectors, spectrum.vectors[z], spectrum.moment

    scale = 1 / (spectrum.values + np.maximum(ridges, safe_ridge(equations.gram, 0.0))[:, None])
    NP, NE = P * scale, E * scale[owner]
    parts = (NP @ M, row_dots(NP, P), row_dots(NP[owner], E), row_dots(NE, E), NE @ M)
    return LeftOutProducts.stack([parts])


def row_dots(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Inner products of the rows of two arrays (…, b)."""
    return np.einsum("...j,...j->...", A, B)
