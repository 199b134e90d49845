"""Directions of earlier conjugate-gradient runs, kept to shorten the next one.

A Newton step solves (I + D̃K) Δ = −∇J, the next one the same with another D̃.  Of the directions z of the
first run K z is known, so that their products with *any* curvature, H z = z + D̃(K z), cost no product with K.
The next system is solved in their span at once, and conjugate gradients look for the rest among the
directions that are conjugate to all of them [Saad, Yeung, Erhel & Guyomarc'h 2000, "A deflated version of the
conjugate gradient algorithm"]:

    E = Zᵀ K H Z,     Δ₀ = Z E⁻¹ Zᵀ K r₀,     p = r − Z E⁻¹ (HZ)ᵀ K r + β p.

Single precision is enough where K is kept in it: an inexact E or Z only makes the start and the directions a
little worse, while residuals are updated by products with K itself.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh

from kernelproba.objective import KernelObjective

#: Directions kept.
MOST_DIRECTIONS = 24
#: Share of the kernel matrix that they may take of memory.
MEMORY_SHARE = 0.25
#: Fewer directions than this are not worth their cost.
FEWEST_DIRECTIONS = 8
#: Directions that a run must have followed before any are kept: to deflate a system costs as much as about so
#: many products of up to 1000 rows.
LONG_RUN = 16
#: Eigenvalues of E, scaled to a unit diagonal, below which a direction repeats others.
DEPENDENT = 1e-4


class RecycledDirections:
    """The last directions z (n, k) of unit curvature, with K z; none if they would take much memory."""

    def __init__(self, n: int, k: int, dtype: np.dtype):
        fitting = int(MEMORY_SHARE * n / (2 * k))
        most = min(MOST_DIRECTIONS, fitting)
        self.most = most if k > 1 and most >= FEWEST_DIRECTIONS else 0
        self.shape, self.dtype, self._kept = (k, n), dtype, 0
        self._next, self._pays = 0, False
        self._Z = self._KZ = np.empty((0, n * k), dtype=dtype)

    @staticmethod
    def of(objective: KernelObjective) -> "RecycledDirections":
        """None yet, of the shape and the precision of an objective's coefficients."""
        return RecycledDirections(len(objective.y), objective.n_scores, objective.K.dtype)

    def extend(self, followed: list[tuple[np.ndarray, np.ndarray, float]]) -> None:
        """Keep directions A, with KA and their curvature, the last in place of the oldest.

        None are kept before a run was long: a short one is over before they have paid.
        """
        self._pays |= len(followed) > LONG_RUN
        if not (self.most and self._pays):
            return
        if not self._kept:
            self._Z, self._KZ = np.empty((2, self.most, np.prod(self.shape)), dtype=self.dtype)
        for A, KA, curvature in followed[-self.most :]:
            scale = 1 / np.sqrt(curvature)
            np.multiply(A.T.ravel(), scale, out=self._Z[self._next], casting="same_kind")
            np.multiply(KA.T.ravel(), scale, out=self._KZ[self._next], casting="same_kind")
            self._next, self._kept = (self._next + 1) % self.most, min(self._kept + 1, self.most)

    def deflation(self, curvature_product: Callable[[np.ndarray], np.ndarray]) -> "Deflation | None":
        """What the directions are worth for another curvature, V ↦ D̃V; None where there are too few."""
        if self._kept < min(FEWEST_DIRECTIONS, self.most) or not self.most:
            return None
        Z, KZ = self._Z[: self._kept], self._KZ[: self._kept]
        HZ = np.empty_like(Z)
        for image, z, Kz in zip(HZ, Z, KZ, strict=True):
            np.add(z, curvature_product(Kz.reshape(self.shape).T).T.ravel(), out=image, casting="same_kind")
        # Rounding may leave a direction no positive length of its own: it has nothing to offer.
        lengths = np.einsum("ij,ij->i", KZ, HZ, dtype=np.float64)
        sound = np.isfinite(lengths) & (lengths > 0)
        if not sound.all():
            Z, KZ, HZ, lengths = Z[sound], KZ[sound], HZ[sound], lengths[sound]
        return Deflation(Z, KZ, HZ, lengths) if len(lengths) else None


class Deflation:
    """Directions Z (m, n k) with KZ, HZ and squared lengths, and the solution of the system in their span."""

    def __init__(self, Z: np.ndarray, KZ: np.ndarray, HZ: np.ndarray, lengths: np.ndarray):
        self.Z, self.KZ, self.HZ = Z, KZ, HZ
        E = (KZ @ HZ.T).astype(np.float64)
        scale = 1 / np.sqrt(lengths)
        values, vectors = eigh(scale[:, None] * (E + E.T) / 2 * scale)
        kept = values > DEPENDENT * values[-1]
        self._root = scale[:, None] * vectors[:, kept] / np.sqrt(values[kept])

    def _solve(self, v: np.ndarray) -> np.ndarray:
        """E⁻¹v, in the precision of the directions."""
        return (self._root @ (self._root.T @ v)).astype(self.Z.dtype)

    def start(self, A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Δ₀, KΔ₀ and HΔ₀ for a residual of kernel coefficients A (n, k)."""
        y = self._solve(self.KZ @ A.T.ravel().astype(self.Z.dtype, copy=False))
        return tuple((y @ M).reshape(A.T.shape).T for M in (self.Z, self.KZ, self.HZ))

    def project(self, A: np.ndarray, KA: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The part of a residual that is conjugate to all directions, and K times it."""
        y = self._solve(self.HZ @ KA.T.ravel().astype(self.Z.dtype, copy=False))
        return A - (y @ self.Z).reshape(A.T.shape).T, KA - (y @ self.KZ).reshape(A.T.shape).T
