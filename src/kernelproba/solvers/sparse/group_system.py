"""The Newton system of a group lasso: all scores share the centres, and each has curvature of its own.

A product with the Hessian is two products with the kernel columns for all scores at once.  Conjugate
gradients need a preconditioner that knows each score's curvature: one curvature per row of the data for all
scores, the largest, is far too steep for most of 26 of them.  A score bends its loss at few rows, and few
centres are near these; on the others the penalty's own curvature rules.  So each score has a block of the
centres at which

    Σᵢ ωᵢ p_ik (1 − p_ik) K_ij²  >  SHARE · pen″ⱼ

and the rest is a diagonal.
"""

import numpy as np
from scipy.linalg import lapack

from kernelproba.linalg import jittered_cholesky
from kernelproba.solvers.sparse.newton_system import damping, features_of
from kernelproba.solvers.sparse.objective import RestrictedObjective

#: Curvature of a centre in one score, relative to the penalty's, from which on it is in the score's block.
SHARE = 0.3
#: Kernel values beyond which products are in single precision: they no longer fit the cache.
DOUBLE_VALUES = 8_000_000


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
    matters : bool array of shape (n, k)
        The scores that count.
    """

    def __init__(
        self,
        objective: RestrictedObjective,
        theta: np.ndarray,
        rows: np.ndarray,
        state: np.ndarray,
        matters: np.ndarray,
    ):
        self.penalty, self.loss, self.rows = objective.penalty, objective.smooth.loss, rows
        self.W = theta[: len(objective.index)]
        data = np.flatnonzero(matters.any(axis=1))
        Phi = features_of(objective.smooth, rows, data).T
        self.state, self.weights = np.asfortranarray(state[data]), objective.smooth.weights[data, None]
        bend = np.append(self.penalty.curvature_bound(self.W), np.zeros(len(theta) - len(self.W)))[rows]
        self._factorise(Phi, bend, matters[data])
        self.dtype = np.dtype(np.float64 if Phi.size <= DOUBLE_VALUES else np.float32)
        self.Phi = Phi.astype(self.dtype, copy=False)

    def _factorise(self, Phi: np.ndarray, bend: np.ndarray, matters: np.ndarray) -> None:
        """Find the diagonal and each score's block."""
        k = self.state.shape[1]
        V = np.column_stack([self.loss.curvature_block(self.state, j, j) for j in range(k)]) * self.weights
        curvature = np.square(Phi) @ V
        self.damping = damping(float(curvature.mean()))
        self.diagonal = curvature + (bend + self.damping)[:, None]
        self.blocks = []
        for j in range(k):
            near = np.flatnonzero(curvature[:, j] > SHARE * bend)
            own = np.flatnonzero(matters[:, j])
            scaled = Phi[np.ix_(near, own)] * np.sqrt(V[own, j])
            self.blocks.append((near, jittered_cholesky(scaled @ scaled.T, bend[near] + self.damping)))

    def product(self, D: np.ndarray) -> np.ndarray:
        """∇²J D for D that vanishes off the rows."""
        F = (D[self.rows].T.astype(self.dtype) @ self.Phi).T
        bent = self.weights * self.loss.curvature_product(self.state, F)
        out, m = self.damping * D, len(self.W)
        out[:m] += self.penalty.curvature_product(self.W, D[:m])
        out[self.rows] += (bent.T.astype(self.dtype, copy=False) @ self.Phi.T).T
        return out

    def precondition(self, R: np.ndarray) -> np.ndarray:
        """Solve with the blocks, and with the diagonal elsewhere."""
        out, own = np.zeros_like(R), R[self.rows] / self.diagonal
        for j, (near, factor) in enumerate(self.blocks):
            if len(near):
                own[near, j] = lapack.dpotrs(factor, R[self.rows[near], j], lower=1)[0]
        out[self.rows] = own
        return out
