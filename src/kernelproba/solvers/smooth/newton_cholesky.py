"""Newton–Raphson with the full block Hessian, for few coefficients (corona2016, eq. 20).

Each iteration forms ∇²J at O(n q² k²/2) and factorises it at O(q³k³/3), where Θ is (q, k).  The same steps
serve two stopping rules: the residual of all solvers, which rests on a unit ridge, and Newton's decrement,
which needs no penalty.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernelproba.linalg import solve_semidefinite
from kernelproba.objective import Objective
from kernelproba.solvers.line_search import backtrack
from kernelproba.solvers.smooth.information import contrasts, observed_information
from kernelproba.solvers.solution import Residual, Solution

#: Share of its curvature that a step must have kept to be Newton's: the ridge that a Hessian of digits lost
#: to rounding needs takes the rest.
KEPT_CURVATURE = 0.5
#: Steps without it after which no further one is taken: each lowers J by little, at the cost of many factors.
MOST_DAMPED_STEPS = 10


def newton_cholesky(objective: Objective, start: np.ndarray, *, tol: float, max_iter: int) -> Solution:
    """Minimise a smooth convex objective by Newton steps; stop once the residual is ≤ tol."""
    residual = Residual(objective, tol)
    last, n_iter = _iterate(objective, start, lambda at: residual.met(at.theta, at.gradient), max_iter)
    return residual.solution(last.theta, last.value, last.gradient, n_iter)


def newton_decrement(objective: Objective, start: np.ndarray, *, tol: float, max_iter: int) -> Solution:
    """Minimise a smooth convex objective by Newton steps; stop once the decrement is ≤ tol.

    The decrement λ = √(∇Jᵀ H⁻¹ ∇J) is the length of the next step in the metric of the Hessian.  If J is a
    negative log-likelihood, H⁻¹ is the covariance of the estimate, and no linear function of Θ is about to
    move by more than λ of its own standard errors.  The scale of the features plays no part; for that of
    the weights to play none either, the residual is λ/√ω̄, as if rows weighed one on average.  A gradient
    that has sunk into its own rounding errors counts as converged as well.
    """
    unit = 1 / np.sqrt(np.mean(objective.weights))

    def met(at: _Iterate) -> bool:
        if at.decrement * unit <= tol:
            return True
        return bool(np.linalg.norm(at.gradient) <= objective.gradient_noise(at.theta))

    last, n_iter = _iterate(objective, start, met, max_iter)
    return Solution(last.theta, last.value, float(last.decrement * unit), n_iter, met(last))


@dataclass
class _Iterate:
    """A point, J and ∇J there, and the Newton step from it, computed when first asked for."""

    objective: Objective
    theta: np.ndarray
    value: float
    gradient: np.ndarray
    damped: bool = False  # whether the step has lost most of its curvature

    @cached_property
    def step(self) -> np.ndarray:
        """−H⁻¹∇J, along contrasts of the classes: −Q (QᵀHQ)⁻¹ Qᵀ∇J."""
        Q = contrasts(self.objective)
        information, slope = observed_information(self.objective, self.theta), (self.gradient @ Q).T.ravel()
        delta = solve_semidefinite(information, slope)
        # Of H δ = g, δᵀHδ = gᵀδ; a ridge that outweighs H leaves less of the left-hand side.
        self.damped = not delta @ information @ delta >= KEPT_CURVATURE * (slope @ delta)
        return -delta.reshape(Q.shape[1], -1).T @ Q.T

    @property
    def decrement(self) -> float:
        """√(∇Jᵀ H⁻¹ ∇J)."""
        return float(np.sqrt(max(-np.vdot(self.gradient, self.step), 0.0)))


def _iterate(
    objective: Objective, start: np.ndarray, met: Callable[[_Iterate], bool], max_iter: int
) -> tuple[_Iterate, int]:
    """Take Newton steps until `met`, or until nothing improves; return the last iterate and their number."""
    Q = contrasts(objective)
    start = start @ Q @ Q.T  # steps keep to this gauge
    at, n_iter, n_damped = _Iterate(objective, start, *objective.value_and_gradient(start)), 0, 0
    while not met(at) and n_iter < max_iter and n_damped < MOST_DAMPED_STEPS:
        moved = backtrack(objective, at.theta, at.value, at.gradient, at.step)
        n_damped += at.damped
        if moved is None:
            break
        at, n_iter = _Iterate(objective, *moved), n_iter + 1
    return at, n_iter
