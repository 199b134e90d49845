"""Where a fit may set out from if another function's scores at the rows are all that is known.

Coefficients are of one kernel matrix.  For another width, or without some of the rows, the same coefficients
are another function, and a bad start.  Scores at the rows hardly change: the curvature of the loss there is
nearly that at the solution.  So the quadratic model of the loss at these scores s₀ is minimised over all f,
as by a step of Newton's method that starts from no function of the space,

    (I + D̃K) α = D̃s₀ − ω∂ℓ(s₀),      D = ω∂²ℓ(s₀), less what the intercepts absorb,

by conjugate gradients as in `irls`, which goes on from there.
"""

import numpy as np

from kernelproba.objective import KernelObjective
from kernelproba.solvers.smooth.irls import (
    Coefficients,
    Curvature,
    KernelSolution,
    best_intercept,
    newton_direction,
)
from kernelproba.solvers.smooth.recycled_directions import RecycledDirections

#: Relative error in the function space of the first step.
ERROR = 0.1


def from_scores(objective: KernelObjective, F: np.ndarray, recycled: RecycledDirections) -> KernelSolution:
    """A function to set out from, which is not claimed to be a solution.

    Parameters
    ----------
    objective : KernelObjective
        The problem.
    F : array of shape (n, k)
        Scores of its rows by a function that is thought to be near.
    recycled : RecycledDirections
        To which the directions of this step are added.
    """
    F = np.asfortranarray(F)
    b, terms = best_intercept(objective, F, np.zeros(objective.n_scores))
    F = F + b
    system = Curvature(objective, terms.curvature)
    A = np.asfortranarray(terms.gradient - system.product(F))
    f, _ = newton_direction(system, Coefficients(A, objective.K.product(A)), ERROR, recycled)
    b = system.intercept_change(f.KA - F)
    coef = np.vstack([f.A, b]) if objective.fit_intercept else f.A
    return KernelSolution(coef, np.inf, np.inf, 0, False, f.KA)
