"""Coordinates in which an unpenalised linear model of features is well posed.

Basis functions overlap: as columns they are nearly collinear, sometimes exactly, and their Gram matrix
squares the trouble.  With weighted mean φ̄, scales S and the singular value decomposition

    √ω (Φ − φ̄) S⁻¹ = U Σ Vᵀ        (Σ of rank r, judged where all columns have length one)

the coordinates u = (φ − φ̄)ᵀM, M = S⁻¹ V Σ⁻¹ (p, r), are uncorrelated with variance one, whatever the
scale and the collinearity of φ.  A model Θ̂ in u is the model Θ = T Θ̂ in φ::

    f(x) = uᵀŴ + b̂ = φᵀW + b,       W = M Ŵ,   b = b̂ − φ̄ᵀW,       T = [M 0; −φ̄ᵀM 1]

Of all W with the same values on the rows it is the one with the least ‖S W‖.
"""

from dataclasses import dataclass

import numpy as np

#: A coefficient is determined by the data unless the null space holds more than this share of it.
NULL_SHARE = 1e-6


@dataclass(frozen=True)
class Coordinates:
    """An affine change of features u = (φ − φ̄)ᵀM and of the coefficients Θ = [W; b].

    Parameters
    ----------
    mean : array of shape (p,)
        φ̄.
    map : array of shape (p, r)
        M.
    identified : bool array of shape (p + 1,)
        Whether the rows determine each entry of W, and b.
    """

    mean: np.ndarray
    map: np.ndarray
    identified: np.ndarray

    @classmethod
    def unchanged(cls, p: int) -> "Coordinates":
        """The features themselves: u = φ."""
        return cls(np.zeros(p), np.eye(p), np.ones(p + 1, dtype=bool))

    @classmethod
    def of_row_space(cls, Phi: np.ndarray) -> "Coordinates":
        """Orthonormal coordinates of the span of n < p rows, which the solution of a ridge never leaves."""
        _, sigma, Vt = np.linalg.svd(Phi, full_matrices=False)
        rank = int((sigma > max(Phi.shape) * np.finfo(float).eps * sigma.max(initial=0.0)).sum())
        p = Phi.shape[1]
        return cls(np.zeros(p), Vt[:rank].T, np.ones(p + 1, dtype=bool))

    @property
    def rest(self) -> np.ndarray:
        """I − M Mᵀ (p, p) of an orthonormal M: the projection on what the coordinates leave out."""
        return np.eye(len(self.map)) - self.map @ self.map.T

    def features(self, Phi: np.ndarray) -> np.ndarray:
        """Coordinates u (n, r) of the rows of Phi (n, p)."""
        return (Phi - self.mean) @ self.map

    def back(self, *, intercept: bool) -> np.ndarray:
        """T (q, r̂) with Θ = T Θ̂; without an intercept, φ̄ must be zero and T is M."""
        if not intercept:
            return self.map
        p, r = self.map.shape
        T = np.zeros((p + 1, r + 1))
        T[:p, :r], T[p, :r], T[p, r] = self.map, -self.mean @ self.map, 1.0
        return T


def principal_coordinates(Phi: np.ndarray, weight: np.ndarray, *, center: bool) -> Coordinates:
    """Uncorrelated coordinates of full rank, as at the head of this module.

    Parameters
    ----------
    Phi : array of shape (n, p)
        Features, in float64.
    weight : array of shape (n,)
        Positive weights of the rows.
    center : bool
        Whether the model has an intercept; otherwise φ̄ = 0.
    """
    share = weight / weight.sum()
    mean = share @ Phi if center else np.zeros(Phi.shape[1])
    Z = (Phi - mean) * np.sqrt(share)[:, None]
    scale = np.linalg.norm(Z, axis=0)
    # What is left of a constant column is rounding; scaled to length one it would pass for a feature.
    rounding = 8 * np.sqrt(len(Phi)) * np.finfo(float).eps
    constant = scale <= rounding * np.abs(Phi).max(axis=0, initial=0.0)
    scale[constant], Z[:, constant] = 1.0, 0.0
    # The triangular factor has the same Σ and V, and never more rows than columns.
    _, sigma, Vt = np.linalg.svd(np.linalg.qr(Z / scale, mode="r"))
    rank = int((sigma > max(Phi.shape) * np.finfo(float).eps * sigma.max(initial=0.0)).sum())
    M = Vt[:rank].T / scale[:, None] / sigma[:rank]
    return Coordinates(mean, M, _identified(Vt[rank:].T, mean / scale))


def _identified(null: np.ndarray, scaled_mean: np.ndarray) -> np.ndarray:
    """Whether no null vector S W (columns, orthonormal) moves an entry of W, or b = −(S⁻¹φ̄)ᵀ(S W)."""
    moved = np.linalg.norm(null, axis=1)
    intercept_moved = np.linalg.norm(scaled_mean @ null) / np.hypot(1.0, np.linalg.norm(scaled_mean))
    return np.append(moved, intercept_moved) <= NULL_SHARE
