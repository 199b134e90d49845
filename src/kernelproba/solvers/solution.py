"""What a solver returns, and the one rule by which a smooth fit counts as converged.

With whitened features J is strongly convex with modulus one in W, hence ‖W − W*‖ ≤ ‖∇J(W)‖ and, since
‖φ(x)‖² = k(x, x), every score obeys |f(x) − f*(x)| ≤ √k(x, x) ‖∇J‖.  The residual is that bound for an
average row, relative to the size of the function::

    residual(Θ) = √k̄ ‖∇J(Θ)‖ / (1 + √k̄ ‖W‖),        k̄ = mean k(xᵢ, xᵢ)

It does not depend on the units of the kernel, of C or of the weights, and it cannot be fooled by small
steps.  A gradient that has sunk into its own rounding errors counts as converged as well.
"""

from dataclasses import dataclass

import numpy as np

from kernelproba.objective import Objective


@dataclass(frozen=True)
class Solution:
    """Minimiser Θ, value J(Θ), residual, iterations, and whether the residual met the tolerance."""

    coef: np.ndarray
    value: float
    residual: float
    n_iter: int
    converged: bool


class Residual:
    """The relative residual above for one objective, remembering its scale."""

    def __init__(self, objective: Objective, tol: float):
        self.objective, self.tol = objective, tol
        squares = objective.features.fold(lambda Phi: np.float64(np.vdot(Phi, Phi)))
        self.scale = float(np.sqrt(squares / max(len(objective.features), 1)))

    def __call__(self, theta: np.ndarray, gradient: np.ndarray) -> float:
        W, _ = self.objective.split(theta)
        return float(self.scale * np.linalg.norm(gradient) / (1 + self.scale * np.linalg.norm(W)))

    def met(self, theta: np.ndarray, gradient: np.ndarray) -> bool:
        """Whether the residual is within the tolerance or the gradient is nothing but rounding."""
        if self(theta, gradient) <= self.tol:
            return True
        return bool(np.linalg.norm(gradient) <= self.objective.gradient_noise(theta))

    def solution(self, theta: np.ndarray, value: float, gradient: np.ndarray, n_iter: int) -> Solution:
        """Wrap up a finished run."""
        return Solution(theta, value, self(theta, gradient), n_iter, self.met(theta, gradient))
