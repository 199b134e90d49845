"""The Newton system of a group lasso with its cones, preconditioned by the rows that bend the loss.

    A = Σₐ λₐ (φₐ ⊗ uₐ)(φₐ ⊗ uₐ)ᵀ + B⁻¹,      B = diag_j bⱼ (I + rⱼ vⱼvⱼᵀ)

The curvature of a row is a sum of terms λ u uᵀ, few of which are of any size: that between the two or three
classes which the row may be of.  However many centres and scores there are, A⁻¹ takes one Cholesky factor of
the size of these terms a:

    A⁻¹ = B − B Φ̃ᵀ (diag(1/λ) + G)⁻¹ Φ̃ B,      G_ab = Σⱼ φ_aj φ_bj bⱼ (⟨uₐ, u_b⟩ + rⱼ ⟨uₐ, vⱼ⟩⟨u_b, vⱼ⟩)

Terms of little curvature are left to conjugate gradients.
"""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import get_blas_funcs, get_lapack_funcs

from kernelproba.solvers.conjugate_gradient import conjugate_gradient
from kernelproba.solvers.sparse.cones import Scaling
from kernelproba.solvers.sparse.group_system import GroupCurvature
from kernelproba.solvers.sparse.newton_system import damping
from kernelproba.solvers.sparse.objective import RestrictedObjective

#: Most terms, at all (the factor takes 0.2 GB) and for each row.
MOST, MOST_PER_ROW = 7000, 2
#: Time of a multiplication in products with a few columns, in units of that in factors.
THIN = 2.5
#: Largest bⱼ and bⱼ rⱼ in units of the mean curvature of the loss along one entry: single precision.
LARGEST = 1e5
#: Terms whose products are formed at a time.
CHUNK = 512
#: Most conjugate gradients.
MOST_ITERATIONS = 100


class RowSystem:
    """∇²ℓ + (S²)_ww⁻¹ on all rows of Θ.

    Parameters
    ----------
    objective : RestrictedObjective
        J.
    state : array of shape (n, k)
        Curvature of the loss.
    scaling : Scaling
        S of the groups.
    straight : float
        Curvature of a term, in units of the penalty's slope, up to which it is left out.
    """

    def __init__(self, objective: RestrictedObjective, state: np.ndarray, scaling: Scaling, straight: float):
        self.scaling, self.m, self.products = scaling, len(objective.index), 0
        p = self.m + objective.smooth.fit_intercept
        self.curvature = GroupCurvature(objective.smooth, np.arange(p), state)
        mean = float(self.curvature.diagonal().mean())
        self.damping = damping(mean)
        self.definite = mean > 0 and self._find_terms(objective, straight) > 0
        if self.definite:
            self._invert_cones(p, LARGEST / mean)
            self._factorise()

    def _invert_cones(self, p: int, largest: float) -> None:
        """Find bⱼ, vⱼ and bⱼ rⱼ; intercepts have the largest b."""
        scaling, dtype = self.scaling, self.curvature.dtype
        self.b = np.append(np.minimum(scaling.square, largest), np.full(p - self.m, largest)).astype(dtype)
        self.units = (scaling.rest / np.sqrt(np.maximum(scaling.bend, np.finfo(float).tiny))[:, None]).astype(
            dtype
        )
        along = np.minimum(scaling.square * (1 + 2 * scaling.bend), largest)
        self.r = np.maximum(along - self.b[: self.m], 0.0).astype(dtype)

    def _find_terms(self, objective: RestrictedObjective, straight: float) -> int:
        """Find the terms, uₐ, λₐ and the rows they belong to, and return how many there are."""
        curvature = self.curvature
        row, U, bend = objective.smooth.loss.curvature_terms(curvature.state)
        bend = bend * curvature.weights[row, 0]
        size = bend * np.einsum("ak,ak->a", U, U)
        least = min(
            straight * min(1.0, float(objective.smooth.weights.max())), 0.5 * float(size.max(initial=0.0))
        )
        most = min(MOST, MOST_PER_ROW * curvature.Phi.shape[1])
        if np.count_nonzero(size > least) > most:
            least = float(np.partition(size, -most)[-most])
        kept = np.flatnonzero(size > least)
        self.U, self.bend = U[kept], bend[kept]
        rows, self.row = np.unique(row[kept], return_inverse=True)
        self.Phi = curvature.Phi[:, rows]
        ones, shape = np.ones(len(kept), dtype=U.dtype), (len(rows), len(kept))
        self.sum = sp.csr_array((ones, (self.row, np.arange(len(kept)))), shape=shape)
        return len(kept)

    def _factorise(self) -> None:
        """Find the factor of diag(1/λ) + G, of which only one triangle is computed."""
        # A triangle and one vector: `potrs` takes three times as long.
        syrk, self._trsv = get_blas_funcs(("syrk", "trsv"), (self.Phi,))
        (potrf,) = get_lapack_funcs(("potrf",), (self.Phi,))
        at_terms = self.Phi[:, self.row]
        scaled = at_terms * np.sqrt(self.b)[:, None]
        G = syrk(1.0, scaled.T, lower=1)
        for start in range(0, len(self.U), CHUNK):
            G[start:, start : start + CHUNK] *= self.U[start:] @ self.U[start : start + CHUNK].T
        scaled = at_terms[: self.m]
        scaled *= self.units @ self.U.T
        scaled *= np.sqrt(self.r)[:, None]
        G = syrk(1.0, scaled.T, beta=1.0, c=G, lower=1, overwrite_c=1)
        G[np.diag_indices_from(G)] += 1 / self.bend
        self.factor, info = potrf(G, lower=1, overwrite_a=1, clean=0)
        self.definite = info == 0

    def product(self, D: np.ndarray) -> np.ndarray:
        """A D for D (p, k)."""
        self.products += 1
        out = self.curvature.product(D) + self.damping * D
        out[: self.m] += self.scaling.stiffness(D[: self.m])
        return out

    def precondition(self, R: np.ndarray) -> np.ndarray:
        """A⁻¹R, by the terms."""
        spread = self._spread(R.astype(self.U.dtype))
        at_terms = np.einsum("ak,ak->a", (spread.T @ self.Phi).T[self.row], self.U)
        half = self._trsv(self.factor, at_terms, lower=1)
        solved = self._trsv(self.factor, half, lower=1, trans=1)
        back = self.sum @ (self.U * solved[:, None])
        return (spread - self._spread((back.T @ self.Phi.T).T)).astype(np.float64)

    def _spread(self, R: np.ndarray) -> np.ndarray:
        """B R."""
        out = R * self.b[:, None]
        out[: self.m] += self.units * (self.r * np.einsum("jk,jk->j", self.units, R[: self.m]))[:, None]
        return out

    def solve(self, rhs: np.ndarray, rtol: float) -> np.ndarray:
        """A⁻¹ rhs up to a share of it."""
        return conjugate_gradient(
            self.product, rhs, rtol=rtol, max_iter=MOST_ITERATIONS, precondition=self.precondition
        )

    def balance(self) -> float:
        """Time of the factor relative to that of the products so far."""
        p, rows = self.curvature.Phi.shape
        terms, k = self.U.shape
        factor = terms**2 * (2 * p + terms / 3)
        # A product with A and one with its preconditioner, to the rows and back.
        return factor / (THIN * self.products * 4 * p * k * (rows + len(self.Phi.T)))

    def size(self, R: np.ndarray) -> float:
        """Norm in which `solve` takes its share."""
        return float(np.sqrt(np.vdot(R, self.precondition(R))))
