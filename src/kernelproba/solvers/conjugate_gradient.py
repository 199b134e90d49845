"""Preconditioned conjugate gradients for symmetric positive semi-definite systems."""

from collections.abc import Callable

import numpy as np


def conjugate_gradient(
    product: Callable[[np.ndarray], np.ndarray],
    rhs: np.ndarray,
    *,
    rtol: float,
    max_iter: int,
    precondition: Callable[[np.ndarray], np.ndarray] = np.copy,
) -> np.ndarray:
    """Solve ``A X = rhs`` from zero; stop once ‖A X − rhs‖ ≤ rtol ‖rhs‖ in the norm of the preconditioner.

    Arrays may have any shape; the inner product is that of their entries.  The iterate is returned as it
    stands when curvature vanishes along the search direction, which happens only at rounding level.
    """
    x = np.zeros_like(rhs)
    residual = rhs.copy()
    z = precondition(residual)
    direction = z
    rho = np.vdot(residual, z)
    goal = rtol**2 * rho
    for _ in range(max_iter):
        if not rho > goal:
            break
        image = product(direction)
        curvature = np.vdot(direction, image)
        if not curvature > 0:
            break
        step = rho / curvature
        x += step * direction
        residual -= step * image
        z = precondition(residual)
        rho, previous = np.vdot(residual, z), rho
        direction = z + (rho / previous) * direction
    return x
