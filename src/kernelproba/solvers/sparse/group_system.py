"""The Newton system of a group lasso: all scores share the centres, and each has curvature of its own.

A product with the Hessian is two products with the kernel columns for all scores at once.  Conjugate
gradients are preconditioned by one curvature for all scores, the largest of each row of the data, with the
curvature of the penalty, which is less along Wⱼ itself than across it (uⱼ = Wⱼ/‖Wⱼ‖):

    M = A ⊗ I − Σⱼ cⱼ (eⱼ⊗uⱼ)(eⱼ⊗uⱼ)ᵀ,      pen″ⱼ ≈ hⱼ I − cⱼ uⱼuⱼᵀ
    A = Σᵢ ωᵢ maxₖ p_ik (1 − p_ik) φᵢφᵢᵀ + diag(h)

Its inverse takes the inverses of two matrices of the size of A alone, since the scores meet in ⟨uⱼ, uₗ⟩ only:

    M⁻¹R = B + A⁻¹ V S⁻¹ Vᵀ B,      B = A⁻¹R,      S = diag(1/c) − A⁻¹ ∘ (⟨uⱼ, uₗ⟩),      V q = (qⱼ uⱼ)ⱼ

Rows of next to no curvature are left out, and where the columns exceed the cache all is in single precision:
a step is rough, and the slope that it is judged by is exact.
"""

import numpy as np
from scipy.linalg import get_lapack_funcs

from kernelproba.linalg import jittered_cholesky
from kernelproba.objective import Objective
from kernelproba.penalties import GroupLasso
from kernelproba.solvers.sparse.newton_system import damping, features_of
from kernelproba.solvers.sparse.objective import RestrictedObjective

#: Curvature of a row's loss, in units of the penalty's slope, up to which it is left out.
STRAIGHT = 2e-2
#: Kernel values beyond which all is in single precision.
DOUBLE_VALUES = 1_000_000
#: Rows of Θ whose features are copied at a time.
CHUNK = 256
#: Share of the penalty's curvature that a group must lack along itself to have a term.
LEAST_SHARE = 0.1
#: The least share that is left of it: S is a difference of two numbers which are all but equal, and groups
#: whose norms are smaller are held by what is left.
LEFT = {np.dtype(np.float64): 1e-8, np.dtype(np.float32): 1e-6}
#: Ridge of a factor in single precision, relative to the mean diagonal.
SINGLE_RIDGE = 1e-5


class GroupCurvature:
    """Hessian of the loss on some rows of Θ, for all scores.

    Parameters
    ----------
    smooth : Objective
        The loss.
    rows : array of shape (p,)
        The rows of Θ that move.
    state : array of shape (n, k)
        Curvature of the loss there.
    """

    def __init__(self, smooth: Objective, rows: np.ndarray, state: np.ndarray):
        self.loss = smooth.loss
        shared = smooth.weights * self.loss.curvature_weight(state)
        data = np.flatnonzero(shared > STRAIGHT * min(1.0, float(smooth.weights.max())))
        self.dtype = np.dtype(np.float64 if len(rows) * len(data) <= DOUBLE_VALUES else np.float32)
        self.Phi = np.empty((len(rows), len(data)), dtype=self.dtype)
        for start in range(0, len(rows), CHUNK):
            self.Phi[start : start + CHUNK] = features_of(smooth, rows[start : start + CHUNK], data).T
        self.state = np.asfortranarray(state[data], dtype=self.dtype)
        self.weights = smooth.weights[data, None].astype(self.dtype)
        self.shared = shared[data].astype(self.dtype)

    def product(self, D: np.ndarray) -> np.ndarray:
        """∇²ℓ D for D (p, k)."""
        F = (D.T.astype(self.dtype, copy=False) @ self.Phi).T
        bent = self.weights * self.loss.curvature_product(self.state, F)
        return (bent.T @ self.Phi.T).T

    def diagonal(self) -> np.ndarray:
        """Σᵢ ωᵢ maxₖ p_ik (1 − p_ik) φᵢ², (p,)."""
        return np.einsum("ji,ji,i->j", self.Phi, self.Phi, self.shared)

    def gram(self) -> np.ndarray:
        """The matrix of the curvature for all scores, (p, p)."""
        scaled = self.Phi * np.sqrt(self.shared)
        return scaled @ scaled.T


class GroupSystem:
    """Hessian of J on some rows of Θ, for all scores.

    Parameters
    ----------
    objective : RestrictedObjective
        J.
    theta : array of shape (m + 1, k)
        Where.
    rows : array of shape (p,)
        The rows of Θ that move.
    state : array of shape (n, k)
        Curvature of the loss there.
    """

    def __init__(
        self, objective: RestrictedObjective, theta: np.ndarray, rows: np.ndarray, state: np.ndarray
    ):
        self.penalty, self.rows, self.W = objective.penalty, rows, theta[: len(objective.index)]
        self.curvature = GroupCurvature(objective.smooth, rows, state)
        gram = self.curvature.gram()
        mean = float(gram.trace()) / max(len(gram), 1)
        self.damping = damping(mean)
        bend = np.append(self.penalty.curvature_bound(self.W), np.zeros(len(theta) - len(self.W)))[rows]
        ridge = SINGLE_RIDGE * mean if gram.dtype == np.float32 else self.damping
        self.inverse = definite_inverse(gram, bend + ridge)
        self._find_terms(theta, bend)

    def _find_terms(self, theta: np.ndarray, bend: np.ndarray) -> None:
        """Find uⱼ and S⁻¹ of the groups along which the penalty bends less than across."""
        m, dtype = len(self.W), self.inverse.dtype
        units = theta / np.maximum(GroupLasso().dual_norm(theta), np.finfo(float).tiny)[:, None]
        along = np.zeros(len(theta))
        along[:m] = np.einsum("jk,jk->j", units[:m], self.penalty.curvature_product(self.W, units[:m]))
        lacking = np.minimum(bend - along[self.rows], (1 - LEFT[dtype]) * bend)
        self.terms = np.flatnonzero((lacking > LEAST_SHARE * bend) & (bend > 0))
        self.units = units[self.rows[self.terms]].astype(dtype)
        S = -self.inverse[np.ix_(self.terms, self.terms)] * (self.units @ self.units.T)
        self.coupling = definite_inverse(S, 1 / lacking[self.terms])

    def product(self, D: np.ndarray) -> np.ndarray:
        """∇²J D for D that vanishes off the rows."""
        out, m = self.damping * D, len(self.W)
        out[:m] += self.penalty.curvature_product(self.W, D[:m])
        out[self.rows] += self.curvature.product(D[self.rows])
        return out

    def precondition(self, R: np.ndarray) -> np.ndarray:
        """M⁻¹R."""
        out = np.zeros_like(R)
        solved = self.inverse @ R[self.rows].astype(self.inverse.dtype)
        share = self.coupling @ np.einsum("jk,jk->j", self.units, solved[self.terms])
        bent = np.zeros_like(solved)
        bent[self.terms] = self.units * share[:, None]
        out[self.rows] = solved + self.inverse @ bent
        return out


def definite_inverse(A: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
    """Inverse of A + diag(diagonal) in the precision of A, or in double if that does not suffice."""
    if not len(A):
        return A
    potrf, potri = get_lapack_funcs(("potrf", "potri"), (A,))
    shifted = np.array(A, order="F")
    shifted[np.diag_indices_from(shifted)] += diagonal.astype(A.dtype)
    factor, info = potrf(shifted, lower=1, overwrite_a=1)
    if info != 0 or not np.isfinite(factor.diagonal()).all():
        factor = jittered_cholesky(A, diagonal)
        potri = get_lapack_funcs("potri", (factor,))
    inverse = potri(factor, lower=1, overwrite_c=1)[0]
    for start in range(0, len(A), CHUNK):
        stop = start + CHUNK
        corner = np.tril(inverse[start:stop, start:stop])
        inverse[start:stop, start:stop] = corner + np.tril(corner, -1).T
        inverse[start:stop, stop:] = inverse[stop:, start:stop].T
    return inverse.astype(A.dtype, copy=False)
