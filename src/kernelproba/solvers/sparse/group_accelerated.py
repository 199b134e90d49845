"""Accelerated proximal gradients for the second-order models of group lassos of many entries.

    X ← prox(V − (c + ∇²ℓ (V − X⁰))/(L h)),      V = X + β (X − X⁻),      h = diag ∇²ℓ

They have all the curvature between the scores and cost two products each, mostly in single precision.
Momentum is dropped when it leads uphill [O'Donoghue & Candès 2015].
"""

import numpy as np

from kernelproba.penalties import GroupLasso
from kernelproba.solvers.sparse.group_system import GroupCurvature

#: Power iterations for the largest curvature of a model, and the bound relative to what they find.
POWERS, BOUND_SHARE = 6, 1.1
#: Least curvature of a row relative to the mean.
DAMPED = 1e-3


def accelerated_model(
    curvature: GroupCurvature, linear: np.ndarray, strength: np.ndarray, start: np.ndarray, steps: int
) -> np.ndarray:
    """X (p, k) after so many steps from `start` towards the minimum of a quadratic and norms of rows.

        ⟨c, X − X⁰⟩ + ½ ⟨X − X⁰, ∇²ℓ (X − X⁰)⟩ + Σⱼ λⱼ ‖Xⱼ‖

    Parameters
    ----------
    curvature : GroupCurvature
        ∇²ℓ.
    linear : array of shape (p, k)
        c.
    strength : array of shape (p,)
        λ ≥ 0.
    start : array of shape (p, k)
        X⁰.
    steps : int
        How many.
    """
    h = curvature.diagonal()[:, None]
    h += DAMPED * h.mean() + np.finfo(h.dtype).tiny
    linear, start = (A.astype(h.dtype) for A in (linear, start))
    reach = 1 / (_largest_curvature(curvature, h) * h)
    cut, penalty, t = strength[:, None].astype(h.dtype) * reach, GroupLasso(), 1.0
    here = ahead = start
    for _ in range(steps):
        new = penalty.prox(ahead - reach * (linear + curvature.product(ahead - start)), cut)
        beta, t = _momentum(t, float(np.vdot(ahead - new, (new - here) / reach)))
        ahead, here = new + beta * (new - here), new
    return here.astype(np.float64)


def _momentum(t: float, uphill: float) -> tuple[np.float32, float]:
    """β and the next t of accelerated gradients; both begin anew where momentum leads uphill."""
    t = 1.0 if uphill > 0 else t
    following = 0.5 * (1 + (1 + 4 * t * t) ** 0.5)
    return np.float32((t - 1) / following), following


def _largest_curvature(curvature: GroupCurvature, h: np.ndarray) -> float:
    """Return a bound on ∇²ℓ relative to diag(h), by power iterations."""
    x = np.random.default_rng(0).standard_normal((len(h), curvature.state.shape[1])).astype(h.dtype)
    root = np.sqrt(h)
    for _ in range(POWERS):
        x = curvature.product(x / (root * np.linalg.norm(x))) / root
    return BOUND_SHARE * float(np.linalg.norm(x))
