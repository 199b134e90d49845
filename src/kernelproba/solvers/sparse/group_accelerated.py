"""Accelerated proximal gradients for group lassos of many entries, in single precision.

    Θ ← prox(V − ∇ℓ(V)/(L h)),      V = Θ + β (Θ − Θ⁻),      hⱼ = Σᵢ K_ij²

From the null model, where all centres begin at once, they are as good as Newton's steps and cost two products
each; L grows until it bounds the loss.  They minimise the second-order models of later steps as well.
Momentum is dropped when it leads uphill [O'Donoghue & Candès 2015].
"""

import numpy as np

from kernelproba.penalties import GroupLasso
from kernelproba.solvers.sparse.group_system import GroupCurvature
from kernelproba.solvers.sparse.newton_system import features_of
from kernelproba.solvers.sparse.objective import RestrictedObjective

#: L to begin with, its growth while a step is too long, and its fall from step to step.
FIRST_BOUND, GROWTH, FALL = 0.5, 1.5, 0.97
#: Curvature of the intercept relative to Σ 1: that of one score is at most a quarter.
INTERCEPT_SHARE = 0.25
#: Power iterations for the largest curvature of a model, and the bound relative to what they find.
POWERS, BOUND_SHARE = 6, 1.1
#: Least curvature of a row relative to the mean.
DAMPED = 1e-3
#: Rounding of J in single precision.
ROUNDING = 1e-6


def accelerated_start(objective: RestrictedObjective, start: np.ndarray, steps: int) -> np.ndarray:
    """Θ (m + 1, k) after so many steps from `start`."""
    smooth, m = objective.smooth, len(objective.index)
    Phi = features_of(smooth, np.arange(len(start))).T.astype(np.float32, order="C")
    weights = smooth.weights.astype(np.float32)
    h = np.einsum("ji,ji->j", Phi, Phi)[:, None]
    h[m:] *= INTERCEPT_SHARE
    strength = (np.arange(len(h)) < m)[:, None].astype(np.float32)
    bound, t = FIRST_BOUND, 1.0
    here = ahead = start.astype(np.float32)
    F = F_ahead = (here.T @ Phi).T
    for _ in range(steps):
        value, G = smooth.loss.value_and_gradient(F_ahead, smooth.y, weights)
        slope = (G.T @ Phi.T).T
        while True:
            reach = np.float32(1 / bound) / h
            new = objective.penalty.prox(ahead - reach * slope, strength * reach)
            moved, F_new = new - ahead, (new.T @ Phi).T
            there = smooth.loss.value_and_gradient(F_new, smooth.y, weights)[0]
            model = value + float(np.vdot(slope, moved)) + 0.5 * bound * float(np.vdot(moved, h * moved))
            if there <= model + ROUNDING * abs(value):
                break
            bound *= GROWTH
        beta, t = _momentum(t, float(np.vdot(ahead - new, h * (new - here))))
        ahead, F_ahead = new + beta * (new - here), F_new + beta * (F_new - F)
        here, F, bound = new, F_new, bound * FALL
    return here.astype(np.float64)


def _momentum(t: float, uphill: float) -> tuple[np.float32, float]:
    """β and the next t of accelerated gradients; both begin anew where momentum leads uphill."""
    t = 1.0 if uphill > 0 else t
    following = 0.5 * (1 + (1 + 4 * t * t) ** 0.5)
    return np.float32((t - 1) / following), following


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


def _largest_curvature(curvature: GroupCurvature, h: np.ndarray) -> float:
    """Return a bound on ∇²ℓ relative to diag(h), by power iterations."""
    x = np.random.default_rng(0).standard_normal((len(h), curvature.state.shape[1])).astype(h.dtype)
    root = np.sqrt(h)
    for _ in range(POWERS):
        x = curvature.product(x / (root * np.linalg.norm(x))) / root
    return BOUND_SHARE * float(np.linalg.norm(x))
