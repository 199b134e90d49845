"""Approximate leave-one-out of a binary kernel logistic fit, from its last re-weighting.

At the optimum the fit is a least-squares fit to z = f + α/w with weights w = ωπ(1 − π), and leaving row i
out of *that* has a closed form [Cawley & Talbot 2008].  With B = I + W^½KW^½ and α = ω(y − π),

    f₍₋ᵢ₎(xᵢ) = fᵢ − αᵢ gᵢ,      gᵢ = (1/Mᵢᵢ − 1/wᵢ),      M = W^½B⁻¹W^½ (less M11ᵀM/1ᵀM1 for an intercept).

Rows with the same features are one row with their weights and forces together; gᵢ is then the variance of the
score without any of them, and the observations that stay are put back exactly (`solvers.loo.locations`).

It ignores that the weights of the other rows would change: the error is of second order in the influence
of one row.  Cost: a Cholesky factor of B and the inverse of that, ⅔n³.
"""

import numpy as np
from scipy.linalg import get_lapack_funcs
from scipy.special import expit, log_expit

from kernelproba.linalg import triangular_inverse
from kernelproba.number_range import LARGEST
from kernelproba.solvers.loo.locations import Locations, readmitted

#: Bound on the eigenvalues of B up to which it is inverted in single precision.
SINGLE_PRECISION_RANGE = 3e5


def logistic_loo_scores(
    K: np.ndarray,
    f: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray,
    *,
    fit_intercept: bool,
    share: np.ndarray | None = None,
    locations: Locations | None = None,
) -> np.ndarray:
    """Scores (n,) of each row by the fit without it, or without one of the observations it stands for.

    Parameters
    ----------
    K : array of shape (n, n)
        Kernel matrix.
    f, y : arrays of shape (n,)
        Scores of the rows by the fit to all, and labels 0 or 1.
    weights : array of shape (n,)
        ω = C·weight.
    fit_intercept : bool
        Whether the intercept was free.
    share : array of shape (n,), optional
        Share s in (0, 1] of the weight of each row that is left out; all of it by default.
    locations : Locations, optional
        Which rows have the same features; none by default.
    """
    n = len(f)
    locations = Locations.distinct(n) if locations is None else locations
    share = np.ones(n) if share is None else share
    sign = np.where(y == 1, 1.0, -1.0)
    first, total = locations.first, locations.totals(weights)
    alpha = locations.totals(weights * sign * expit(-sign * f))
    w = np.maximum(total * expit(f[first]) * expit(-f[first]), 1e-12)
    variance = _cavity_variances(K if len(first) == n else K[np.ix_(first, first)], w, fit_intercept)
    with np.errstate(over="ignore"):  # weights far apart: a score beyond all others is as good as infinite
        start = np.clip(f[first] - alpha * variance, -LARGEST, LARGEST)
    remaining = locations.remaining(y, weights, share, 2)
    # f = f₁ − f₀, of which the difference of length one is f/√2
    cavity, Q = variance[locations.which, None, None] / 2, np.array([[-1.0], [1.0]]) / np.sqrt(2)
    left_out = readmitted(cavity, start[locations.which, None] / np.sqrt(2), remaining, Q)
    return np.sqrt(2) * left_out[:, 0]


def _precision(diagonal: np.ndarray, w: np.ndarray) -> type:
    """Single where 1 ≤ B ≤ 1 + tr W^½KW^½ leaves B⁻¹ known to a small share of its rounding."""
    return np.float32 if 1 + w @ diagonal <= SINGLE_PRECISION_RANGE else np.float64


def _cavity_variances(K: np.ndarray, w: np.ndarray, fit_intercept: bool) -> np.ndarray:
    """1/Mᵢᵢ − 1/wᵢ, (n,)."""
    root = np.sqrt(w).astype(_precision(K.diagonal(), w))
    B = K.astype(root.dtype)
    B *= root
    B *= root[:, None]
    B.flat[:: len(w) + 1] += 1
    factor, _ = get_lapack_funcs("potrf", (B,))(B.T, lower=1, clean=1, overwrite_a=1)
    half = triangular_inverse(factor)  # B⁻¹ = halfᵀ half
    diagonal = w * np.einsum("ji,ji->i", half, half)
    if fit_intercept:
        M1 = (root * (half.T @ (half @ root))).astype(np.float64)
        diagonal = diagonal - M1 * (M1 / max(M1.sum(), 1e-300))
    # 0 ≤ Mᵢᵢ ≤ wᵢ, which rounding does not know of where K is singular.
    diagonal = np.clip(diagonal, 1e-300, w)
    return (1 - diagonal / w) / diagonal


def leave_one_out_loss(K, labels, weight, C, function) -> float:
    """Weighted mean log loss of the leave-one-out scores of a binary `LogisticFunction`."""
    free = len(function.solution.coef) > len(labels)
    f = K @ function.dual[:, 0] + function.intercept[0]
    scores = logistic_loo_scores(K, f, labels, C * weight, fit_intercept=free)
    return float(-(weight @ log_expit(np.where(labels == 1, scores, -scores))) / weight.sum())
