"""Hastie and Tibshirani's coupling: the p whose μ_ij = p_i/(p_i + p_j) is nearest to r_ij in KL divergence.

    min_p  Σ_{i<j} n_ij [r_ij log(r_ij/μ_ij) + r_ji log(r_ji/μ_ji)]          (10) of Roth 2001
    score equations:  Σ_{j≠i} n_ij μ_ij = Σ_{j≠i} n_ij r_ij,  i = 1 … c      (11)

In θ = log p this is the maximum likelihood of a Bradley–Terry model: convex, with r entering through
the "wins" Σ_j n_ij r_ij alone.  The fixed point of the paper, p_i ← p_i Σ_j r_ij / Σ_j μ_ij, needs
thousands of steps for 26 classes; Newton's method needs about eight, each one c × c system per row.

**Rows with r in {0, 1}.**  The optimum then lies at infinity.  r is clipped to [1e-12, 1 − 1e-12],
where the optimum exists, is unique and moves continuously with r; it is within about c·(1e-12 + tol) of
the limit, in which the classes that nothing else beats outright share all the probability.
"""

import numpy as np
from scipy.special import log_softmax, logit
from sklearn.exceptions import ConvergenceWarning

from kernelproba.caller_warning import warn_caller

CLIP = 1e-12
MAX_ITER = 200
# exp overflows beyond 709; a μ of exp(−700) is 0 for every purpose here.
LARGEST_EXPONENT = 700.0


def hastie_tibshirani(R: np.ndarray, weights: np.ndarray, tol: float) -> np.ndarray:
    """Solve the score equations (11) by a damped Newton method, all rows at once.

    Stops a row once max_i |Σ_j n_ij (μ_ij − r_ij)| ≤ tol; a row that has converged costs nothing more.

    Parameters
    ----------
    R : ndarray of shape (n, c, c)
        r_ij with r_ij + r_ji = 1; the diagonal is ignored.
    weights : ndarray of shape (c, c)
        n_ij, symmetric, with a zero diagonal.
    tol : float
        Largest residual of (11) to leave.

    Returns
    -------
    ndarray of shape (n, c)
        log p.
    """
    R = np.clip(R, CLIP, 1.0 - CLIP)
    wins = np.einsum("ij,bij->bi", weights, R)
    # Exact whenever the r_ij agree with one p: Σ_j log(p_i/p_j) = c log p_i + constant.
    theta = logit(R).mean(axis=2)
    mu, residual = _score(theta, wins, weights)
    left = np.arange(len(R))
    for _ in range(MAX_ITER):
        unsolved = np.abs(residual).max(axis=1, initial=0.0) > tol
        left, mu, residual = left[unsolved], mu[unsolved], residual[unsolved]
        if left.size == 0:
            break
        step = _newton_step(mu, residual, weights)
        theta[left], mu, residual = _move(theta[left], step, wins[left], weights)
    else:
        warn_caller(
            f"The coupling of {left.size} row(s) stopped at a residual of {np.abs(residual).max():.1e}, "
            f"above tol={tol:.1e}: raise tol, which rounding bounds below by about 1e-14 per class.",
            ConvergenceWarning,
        )
    return log_softmax(theta, axis=1)


def _score(theta, wins, weights):
    """Return μ_ij = 1/(1 + exp(θ_j − θ_i)) and the residual of (11), which is the gradient in θ."""
    mu = theta[:, np.newaxis, :] - theta[:, :, np.newaxis]
    np.minimum(mu, LARGEST_EXPONENT, out=mu)
    np.exp(mu, out=mu)
    mu += 1.0
    np.reciprocal(mu, out=mu)
    return mu, np.einsum("ij,bij->bi", weights, mu) - wins


def _newton_step(mu, residual, weights):
    """Solve H s = g, where H is the Laplacian of the graph of classes with edges n_ij μ_ij μ_ji."""
    edges = mu * mu.transpose(0, 2, 1)
    edges *= weights
    degrees = edges.sum(axis=2)
    diagonal = np.arange(edges.shape[1])
    # H1 = 0 as p is free up to scale.  Adding a multiple of 11ᵀ lifts that direction and nothing else,
    # because Σ_i g_i = 0; the multiple keeps it within the range of the other eigenvalues.
    system = (degrees.mean(axis=1) / edges.shape[1])[:, np.newaxis, np.newaxis] - edges
    system[:, diagonal, diagonal] += degrees
    return np.linalg.solve(system, residual[:, :, np.newaxis])[:, :, 0]


def _move(theta, step, wins, weights):
    """Take the full step where it is safe and ln(1 + d)/d of it elsewhere; return θ, μ, residual.

    With d = max_ij |s_i − s_j|, the third derivative along s is at most d times the second.  Hence (Sun and
    Tran-Dinh 2019, generalised self-concordance) the fraction ln(1 + d)/d always descends, and so does the
    full step if d ≤ 1.  A full step that still points downhill at its end has descended even further.
    """
    moved = theta - step
    mu, residual = _score(moved, wins, weights)
    length = np.ptp(step, axis=1)
    unsafe = (length > 1.0) & ((residual * step).sum(axis=1) < 0.0)
    if unsafe.any():
        fraction = np.log1p(length[unsafe]) / length[unsafe]
        moved[unsafe] = theta[unsafe] - fraction[:, np.newaxis] * step[unsafe]
        mu[unsafe], residual[unsafe] = _score(moved[unsafe], wins[unsafe], weights)
    return moved, mu, residual
