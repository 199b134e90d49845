"""
Iteratively re-weighted least squares in the dual, by conjugate gradients (roth2001, eq. 9).

A Newton step minimises a weighted least-squares problem.  With K = ΦΦᵀ, curvature ωᵢ∂²ℓᵢ = BᵢBᵢᵀ and
working residual h (B h = −ω∂ℓ) its dual, eq. 9 multiplied from both sides by the root of the weights, is

    (I + BᵀKB) u = Bᵀ(F − b) + h,      α = B u,      W = Φᵀα,      Σᵢ αᵢ = 0 when b is free,

for binary labels as in the paper, where B = √(ωπ(1−π)), and for softmax with the row-wise root
B = √ω(diag(√p) − p√pᵀ).  The matrix stays well posed as weights vanish.  The free intercept confines u
to the subspace 1ᵀB u = 0, where conjugate gradients stay by projection.
"""

import numpy as np
from scipy.linalg import cho_solve, cholesky

from ..objective import Objective
from .conjugate_gradient import conjugate_gradient
from .line_search import backtrack
from .solution import Residual, Solution

INNER_ITERATIONS = 1000
PRECONDITIONER_RANK = 400


def irls(objective: Objective, start: np.ndarray, *, tol: float, max_iter: int) -> Solution:
    """Minimise a smooth objective with unit ridge by IRLS; stop once the residual is ≤ tol."""
    if objective.penalty.curvature != 1:
        raise ValueError("irls solves problems with the penalty ½‖W‖²; scale C instead of the penalty.")
    residual = Residual(objective, tol)
    theta, n_iter = start, 0
    value, gradient = objective.value_and_gradient(theta)
    first = np.linalg.norm(gradient)
    while not residual.met(theta, gradient) and n_iter < max_iter:
        rtol = min(0.1, np.linalg.norm(gradient) / first)
        target = _weighted_least_squares(objective, theta, rtol)
        moved = backtrack(objective, theta, value, gradient, target - theta)
        if moved is None:
            break
        theta, value, gradient = moved
        n_iter += 1
    return residual.solution(theta, value, gradient, n_iter)


def _weighted_least_squares(objective: Objective, theta: np.ndarray, rtol: float) -> np.ndarray:
    """Θ that minimises the quadratic model of J at theta, through the dual system."""
    dual = _Dual(objective, theta)
    u = conjugate_gradient(
        lambda U: dual.project(dual.product(U)),
        dual.project(dual.rhs),
        rtol=rtol,
        max_iter=INNER_ITERATIONS,
        precondition=lambda R: dual.project(dual.precondition(R)),
    )
    W = dual.weights(u)
    return np.vstack([W, dual.multiplier(dual.rhs - dual.product(u))]) if objective.fit_intercept else W


class _Dual:
    """The dual system at one point: product, right-hand side, projection and preconditioner."""

    def __init__(self, objective: Objective, theta: np.ndarray):
        self.objective, self.rows, self.loss = objective, objective.features, objective.loss
        F = objective.scores(theta)
        self.state = self.loss.curvature(F)
        self.root = np.sqrt(objective.weights)[:, None]
        self.rhs = self.transposed(F) + self.root * self.loss.root_residual(self.state, F, objective.y)
        if objective.fit_intercept:
            # Σᵢ BᵢBᵢᵀ is singular along shifts of all scores of a softmax.
            total = np.array([self.forward(self.transposed(np.broadcast_to(e, F.shape))).sum(axis=0)
                              for e in np.eye(F.shape[1])])  # fmt: skip
            self.inverse_total = np.linalg.pinv(total, hermitian=True)
        # K ≈ Φ₁Φ₁ᵀ by the leading columns, the pivots of the Cholesky factor: N⁻¹ by Woodbury, with
        # N = I + √v Φ₁Φ₁ᵀ √v and one weight v per row for all classes.
        self.v = self.root * np.sqrt(self.loss.curvature_weight(self.state))[:, None]
        small = self.rows.fold(lambda Phi, v: _gram(v * Phi[:, :PRECONDITIONER_RANK]), self.v)
        self.small = cholesky(small + np.eye(len(small)), lower=True)

    def forward(self, U):
        """B U."""
        return self.root * self.loss.root_product(self.state, U, transpose=False)

    def transposed(self, V):
        """Bᵀ V."""
        return self.loss.root_product(self.state, self.root * V, transpose=True)

    def weights(self, U):
        """W = ΦᵀB U."""
        return self.rows.fold(lambda Phi, A: Phi.T @ A, self.forward(U))

    def product(self, U):
        """(I + BᵀKB) U."""
        W = self.weights(U)
        return U + self.transposed(self.rows.map(lambda Phi: Phi @ W))

    def multiplier(self, R):
        """B with the least ‖R − Bᵀ1b‖: the intercept that explains a residual."""
        return self.inverse_total @ self.forward(R).sum(axis=0)

    def project(self, R):
        """Nearest point with 1ᵀB R = 0."""
        if not self.objective.fit_intercept:
            return R
        return R - self.transposed(np.broadcast_to(self.multiplier(R), R.shape))

    def precondition(self, R):
        """N⁻¹ R."""
        q = len(self.small)
        inner = self.rows.fold(lambda Phi, S: Phi[:, :q].T @ S, self.v * R)
        inner = cho_solve((self.small, True), inner)
        return R - self.v * self.rows.map(lambda Phi: Phi[:, :q] @ inner)


def _gram(A: np.ndarray) -> np.ndarray:
    return A.T @ A
