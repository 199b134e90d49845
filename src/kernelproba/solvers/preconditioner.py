"""
One matrix that stands for the curvature of all scores at once.

For softmax the Hessian is bounded by Böhning's matrix ½(I − 11ᵀ/c) ⊗ Φ̃ᵀΩΦ̃ + pen″; near the optimum
the curvature of a row is far below ½ and a weight per row describes it better.  Either way one (p + 1)²
matrix M, factorised once, serves every class::

    M = Φ̃ᵀ diag(ωᵢ vᵢ) Φ̃ + pen″,     vᵢ = curvature_bound, or max_k p_ik (1 − p_ik)
"""

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from ..objective import Objective


class Preconditioner:
    """Cholesky factor of M = R Rᵀ for given row weights v."""

    def __init__(self, objective: Objective, row_weights: np.ndarray):
        M = objective.gram(row_weights)
        # M is positive definite up to rounding: ridge ≥ 0 plus a Gram matrix.
        diagonal = np.einsum("ii->i", M)
        diagonal += 4 * len(M) * np.finfo(float).eps * max(diagonal.max(), np.finfo(float).tiny)
        self.factor = cholesky(M, lower=True, overwrite_a=True, check_finite=False)

    @classmethod
    def from_bound(cls, objective: Objective) -> "Preconditioner":
        """M from the bound on the curvature, valid everywhere."""
        return cls(objective, objective.loss.curvature_bound * objective.weights)

    @classmethod
    def from_state(cls, objective: Objective, state: np.ndarray) -> "Preconditioner":
        """M from the curvature at a point, accurate near it."""
        return cls(objective, objective.weights * objective.loss.curvature_weight(state))

    def solve(self, G: np.ndarray) -> np.ndarray:
        """M⁻¹ G."""
        return cho_solve((self.factor, True), G, check_finite=False)

    def whiten(self, G: np.ndarray) -> np.ndarray:
        """R⁻¹ G: a gradient in the coordinates V = Rᵀ Θ, in which M is the identity."""
        return solve_triangular(self.factor, G, lower=True, check_finite=False)

    def unwhiten(self, V: np.ndarray) -> np.ndarray:
        """R⁻ᵀ V: coefficients from those coordinates."""
        return solve_triangular(self.factor, V, lower=True, trans=1, check_finite=False)

    def color(self, theta: np.ndarray) -> np.ndarray:
        """Rᵀ Θ."""
        return self.factor.T @ theta
