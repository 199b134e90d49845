"""Iteratively re-weighted least squares in the dual, by conjugate gradients (roth2001, eq. 9).

A Newton step solves a weighted least-squares problem.  With K = ΦΦᵀ and curvature ωᵢ∂²ℓᵢ = BᵢBᵢᵀ the dual
of that problem, eq. 9 for the change of α and multiplied from both sides by the root of the weights, is::

    (I + BᵀKB) v = Bᵀ(Φ ∇_W J − δb),      ΔW = ΦᵀB v − ∇_W J,      Σᵢ Bᵢvᵢ = ∇_b J when b is free

B = √(ωπ(1−π)) for binary labels as in the paper; for softmax B = √ω(diag(√p) − p√pᵀ), row by row.  The
matrix stays well posed as weights vanish.  The free intercept confines v to an affine subspace, in which
conjugate gradients stay by projection.  Every iterate of theirs yields a descent direction.
"""

import numpy as np
from scipy.linalg import cho_solve, cholesky

from ..objective import Objective
from .conjugate_gradient import conjugate_gradient
from .line_search import backtrack
from .solution import Residual, Solution

INNER_ITERATIONS = 1000
PRECONDITIONER_RANK = 200


def irls(objective: Objective, start: np.ndarray, *, tol: float, max_iter: int) -> Solution:
    """Minimise a smooth objective with unit ridge by IRLS; stop once the residual is ≤ tol."""
    if objective.penalty.curvature != 1:
        raise ValueError("irls solves problems with the penalty ½‖W‖²; scale C instead of the penalty.")
    residual = Residual(objective, tol)
    theta, n_iter = start, 0
    value, gradient = objective.value_and_gradient(theta)
    first = np.linalg.norm(gradient)
    while not residual.met(theta, gradient) and n_iter < max_iter:
        # ΔW is what is left of two terms of the size of the gradient: a rough dual solution would lose it.
        rtol = min(1e-4, float(np.linalg.norm(gradient) / first))
        step = _Dual(objective, theta).step(gradient, rtol)
        moved = backtrack(objective, theta, value, gradient, step)
        if moved is None:
            break
        theta, value, gradient = moved
        n_iter += 1
    return residual.solution(theta, value, gradient, n_iter)


class _Dual:
    """The dual system at one point: product, projection and preconditioner."""

    def __init__(self, objective: Objective, theta: np.ndarray):
        self.objective, self.rows, self.loss = objective, objective.features, objective.loss
        self.state = objective.curvature(theta)
        self.root = np.sqrt(objective.weights)[:, None]
        if objective.fit_intercept:
            # Σᵢ BᵢBᵢᵀ is singular along shifts of all scores of a softmax.
            self.inverse_total = np.linalg.pinv(self._total_curvature(), hermitian=True)
        # K ≈ Φ₁Φ₁ᵀ by the leading columns, the first pivots of the Cholesky factor: N⁻¹ by Woodbury, with
        # N = I + √v Φ₁Φ₁ᵀ √v and one weight v per row for all classes.
        self.v = self.root * np.sqrt(self.loss.curvature_weight(self.state))[:, None]
        small = self.rows.fold(lambda Phi, v: _gram(v * Phi[:, :PRECONDITIONER_RANK]), self.v)
        self.small = cholesky(small + np.eye(len(small)), lower=True)

    def step(self, gradient: np.ndarray, rtol: float) -> np.ndarray:
        """The change of Θ, to a relative error rtol of the dual solution."""
        g_W, g_b = self.objective.split(gradient)
        rhs = self.transposed(self.rows.map(lambda Phi: Phi @ g_W))
        origin = self.spread(g_b) if self.objective.fit_intercept else np.zeros_like(rhs)
        v = origin + conjugate_gradient(
            lambda U: self.project(self.product(U)),
            self.project(rhs - self.product(origin)),
            rtol=rtol,
            max_iter=INNER_ITERATIONS,
            precondition=lambda R: self.project(self.precondition(R)),
        )
        change = self.weights(v) - g_W
        if not self.objective.fit_intercept:
            return change
        return np.vstack([change, self.multiplier(rhs - self.product(v))])

    def forward(self, U):
        """B U."""
        return self.root * self.loss.root_product(self.state, U, transpose=False)

    def transposed(self, V):
        """Bᵀ V."""
        return self.loss.root_product(self.state, self.root * V, transpose=True)

    def weights(self, U):
        """ΦᵀB U."""
        return self.rows.fold(lambda Phi, A: Phi.T @ A, self.forward(U))

    def product(self, U):
        """(I + BᵀKB) U."""
        W = self.weights(U)
        return U + self.transposed(self.rows.map(lambda Phi: Phi @ W))

    def multiplier(self, R):
        """The δb with the least ‖R − Bᵀ1δb‖."""
        return self.inverse_total @ self.forward(R).sum(axis=0)

    def spread(self, total):
        """The shortest V with Σᵢ Bᵢvᵢ = total."""
        return self.transposed(np.broadcast_to(self.inverse_total @ total, self.state.shape))

    def project(self, R):
        """Nearest point with Σᵢ Bᵢrᵢ = 0."""
        return R - self.spread(self.forward(R).sum(axis=0)) if self.objective.fit_intercept else R

    def precondition(self, R):
        """N⁻¹ R."""
        q = len(self.small)
        inner = self.rows.fold(lambda Phi, S: Phi[:, :q].T @ S, self.v * R)
        inner = cho_solve((self.small, True), inner)
        return R - self.v * self.rows.map(lambda Phi: Phi[:, :q] @ inner)

    def _total_curvature(self):
        """Σᵢ BᵢBᵢᵀ, (k, k)."""
        units = np.eye(self.state.shape[1])
        columns = [self.transposed(np.broadcast_to(e, self.state.shape)) for e in units]
        return np.array([self.forward(U).sum(axis=0) for U in columns])


def _gram(A: np.ndarray) -> np.ndarray:
    return A.T @ A
