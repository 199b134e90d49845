"""The Newton system of a group lasso: all scores share the centres, and each has curvature of its own.

A product with the Hessian is two products with the kernel columns for all scores at once.  Conjugate
gradients are preconditioned by one curvature for all scores, the largest of each row of the data, with the
bound of the penalty's:

    Σᵢ ωᵢ maxₖ p_ik (1 − p_ik) φᵢφᵢᵀ + diag(pen″ⱼ)

That bound is 1/‖Wⱼ‖, but along Wⱼ itself pen″ vanishes.  Groups that are so small that it makes a difference
get a term uⱼuⱼᵀ/hⱼ beside, with uⱼ = Wⱼ/‖Wⱼ‖ and hⱼ the curvature along it.

Rows of next to no curvature are left out, and where the columns exceed the cache all is in single precision:
a step is rough, and the slope that it is judged by is exact.
"""

import numpy as np
from scipy.linalg import get_lapack_funcs, lapack

from kernelproba.linalg import jittered_cholesky
from kernelproba.objective import Objective
from kernelproba.penalties import GroupLasso
from kernelproba.solvers.sparse.newton_system import damping, features_of
from kernelproba.solvers.sparse.objective import RestrictedObjective

#: Curvature of a row's loss, in units of the penalty's slope, up to which it is left out.
STRAIGHT = 2e-2
#: Kernel values beyond which all is in single precision.
DOUBLE_VALUES = 1_000_000
#: Steps that share a Gram matrix.
RENEWED = 4
#: Curvature of the penalty's bound, relative to that along a group, from which on the latter has a term.
SHORT = 10.0
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
        self.Phi = features_of(smooth, rows, data).T.astype(self.dtype, order="C", copy=False)
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


class LaggingGram:
    """Gram matrix of all rows of Θ, anew every RENEWED steps: it costs more than anything else in a step."""

    def __init__(self):
        self._age, self._gram = 0, np.empty((0, 0))

    def at(self, curvature: GroupCurvature) -> np.ndarray:
        """Return the matrix of this curvature, or of one a few steps before."""
        if self._age % RENEWED == 0:
            self._gram = curvature.gram()
        self._age += 1
        return self._gram


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
    grams : LaggingGram, optional
        Where Gram matrices of the same rows are kept.
    """

    def __init__(
        self,
        objective: RestrictedObjective,
        theta: np.ndarray,
        rows: np.ndarray,
        state: np.ndarray,
        grams: LaggingGram | None = None,
    ):
        self.penalty, self.rows, self.W = objective.penalty, rows, theta[: len(objective.index)]
        self.curvature = GroupCurvature(objective.smooth, rows, state)
        bend = np.append(self.penalty.curvature_bound(self.W), np.zeros(len(theta) - len(self.W)))[rows]
        gram = self.curvature.gram() if grams is None else grams.at(self.curvature)
        mean = float(gram.trace()) / max(len(gram), 1)
        self.damping = damping(mean)
        self.factor = _factor(gram, bend, mean)
        self._free_along(theta, bend)
        self._solve = get_lapack_funcs(("potrs",), (self.factor,))[0]

    def _free_along(self, theta: np.ndarray, bend: np.ndarray) -> None:
        """Find groups so small that the bound of pen″ is far too steep along them, and what it is there."""
        m = len(self.W)
        U = theta / np.maximum(GroupLasso().dual_norm(theta), np.finfo(float).tiny)[:, None]
        along = self.curvature.diagonal().astype(float)
        bent = np.zeros(len(theta))
        bent[:m] = np.einsum("jk,jk->j", U[:m], self.penalty.curvature_product(self.W, U[:m]))
        along += bent[self.rows] + self.damping
        self.short = np.flatnonzero(bend > SHORT * along)
        self.units = U[self.rows[self.short]]
        self.along = along[self.short]

    def product(self, D: np.ndarray) -> np.ndarray:
        """∇²J D for D that vanishes off the rows."""
        out, m = self.damping * D, len(self.W)
        out[:m] += self.penalty.curvature_product(self.W, D[:m])
        out[self.rows] += self.curvature.product(D[self.rows])
        return out

    def precondition(self, R: np.ndarray) -> np.ndarray:
        """Solve with the factor."""
        out = np.zeros_like(R)
        own = R[self.rows]
        solved = self._solve(self.factor, own.astype(self.factor.dtype), lower=1)[0].astype(np.float64)
        along = np.einsum("jk,jk->j", self.units, own[self.short]) / self.along
        solved[self.short] += self.units * along[:, None]
        out[self.rows] = solved
        return out


def _factor(gram: np.ndarray, bend: np.ndarray, mean: float) -> np.ndarray:
    """Lower factor of the Gram matrix, of this mean diagonal, plus a diagonal, in its precision."""
    if gram.dtype == np.float32:
        shifted = gram + np.diag((bend + SINGLE_RIDGE * mean).astype(np.float32))
        factor, info = lapack.spotrf(shifted.T, lower=1, overwrite_a=1)
        if info == 0 and np.isfinite(factor.diagonal()).all():
            return factor
    return jittered_cholesky(gram, bend + damping(mean))
