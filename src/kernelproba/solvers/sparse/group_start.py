"""The first steps of a group lasso: accelerated proximal gradients, in single precision.

    Θ ← prox(V − ∇ℓ(V)/(L h)),      V = Θ + β (Θ − Θ⁻),      hⱼ = Σᵢ K_ij²

From the null model, where all centres begin at once, they are as good as Newton's steps and cost two products
each; L is found by doubling.  Momentum is dropped when it leads uphill [O'Donoghue & Candès 2015].
"""

import numpy as np

from kernelproba.penalties import GroupLasso
from kernelproba.solvers.sparse.group_system import GroupCurvature
from kernelproba.solvers.sparse.objective import RestrictedObjective

#: L to begin with, its growth while a step is too long, and its fall from step to step.
FIRST_BOUND, GROWTH, FALL = 0.5, 1.5, 0.97
#: Power iterations for the largest curvature of a model, and the bound relative to what they find.
POWERS, BOUND_SHARE = 6, 1.1
#: Least curvature of a row relative to the mean.
DAMPED = 1e-3
#: Rounding of J in single precision.
ROUNDING = 1e-6


def accelerated_start(objective: RestrictedObjective, start: np.ndarray, steps: int) -> np.ndarray:
    """Θ (m + 1, k) after so many steps from `start`."""
    smooth, m = objective.smooth, len(objective.index)
    Phi = smooth.features.whole().T.astype(np.float32, order="C")
    h = np.einsum("ji,ji->j", Phi, Phi)
    if smooth.fit_intercept:
        Phi, h = np.vstack([Phi, np.ones((1, Phi.shape[1]), np.float32)]), np.append(h, 0.25 * Phi.shape[1])
    h, weights = h[:, None].astype(np.float32), smooth.weights.astype(np.float32)
    strength = (np.arange(len(h)) < m)[:, None].astype(np.float32)
    penalty, bound, t = objective.penalty, FIRST_BOUND, 1.0
    here = start.astype(np.float32)
    F = (here.T @ Phi).T
    ahead, F_ahead = here, F
    for _ in range(steps):
        value, G = smooth.loss.value_and_gradient(F_ahead, smooth.y, weights)
        slope = (G.T @ Phi.T).T
        while True:
            new = penalty.prox(ahead - slope / (bound * h), strength / (bound * h)).astype(np.float32, copy=False)
            moved, F_new = new - ahead, (new.T @ Phi).T
            there = smooth.loss.value_and_gradient(F_new, smooth.y, weights)[0]
            model = value + float(np.vdot(slope, moved)) + 0.5 * bound * float(np.vdot(moved, h * moved))
            if there <= model + ROUNDING * abs(value):
                break
            bound *= GROWTH
        if np.vdot(ahead - new, h * (new - here)) > 0:
            t = 1.0
        following = 0.5 * (1 + np.sqrt(1 + 4 * t * t))
        beta = np.float32((t - 1) / following)
        ahead, F_ahead = new + beta * (new - here), F_new + beta * (F_new - F)
        here, F, t, bound = new, F_new, following, bound * FALL
    return here.astype(np.float64)


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
    reach = 1 / (largest_curvature(curvature, h) * h)
    cut, penalty, t = strength[:, None].astype(h.dtype) * reach, GroupLasso(), 1.0
    here = ahead = start
    for _ in range(steps):
        new = penalty.prox(ahead - reach * (linear + curvature.product(ahead - start)), cut)
        if np.vdot((ahead - new) / reach, new - here) > 0:
            t = 1.0
        following = 0.5 * (1 + np.sqrt(1 + 4 * t * t))
        ahead = new + h.dtype.type((t - 1) / following) * (new - here)
        here, t = new, following
    return here.astype(np.float64)


def largest_curvature(curvature: GroupCurvature, h: np.ndarray) -> float:
    """Return a bound on ∇²ℓ relative to diag(h), by power iterations."""
    x = np.random.default_rng(0).standard_normal((len(h), curvature.state.shape[1])).astype(h.dtype)
    root = np.sqrt(h)
    for _ in range(POWERS):
        x = curvature.product(x / (root * np.linalg.norm(x))) / root
    return BOUND_SHARE * float(np.linalg.norm(x))
