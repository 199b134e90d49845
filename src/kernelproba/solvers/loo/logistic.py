"""Approximate leave-one-out of a binary kernel logistic fit, from its last re-weighting.

At the optimum the fit is a least-squares fit to z = f + α/w with weights w = ωπ(1 − π), and leaving row i
out of *that* has a closed form [Cawley & Talbot 2008].  With B = I + W^½KW^½ and α = ω(y − π),

    f₍₋ᵢ₎(xᵢ) = fᵢ − αᵢ gᵢ,      gᵢ = (1/Mᵢᵢ − 1/wᵢ),      M = W^½B⁻¹W^½ (less M11ᵀM/1ᵀM1 for an intercept).

Of a row that stands for several identical observations one is left out, a share s of its weight:

    f₍₋ᵢ₎(xᵢ) = fᵢ − sα (w − M) / (w ((1 − s)w + sM))

It ignores that the weights of the other rows would change: the error is of second order in the influence
of one row.  Cost: a Cholesky factor of B and the inverse of that, ⅔n³.
"""

import numpy as np
from scipy.linalg import lapack
from scipy.special import expit, log_expit

from kernelproba.linalg import triangular_inverse


def logistic_loo_scores(
    K: np.ndarray,
    f: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray,
    *,
    fit_intercept: bool,
    share: np.ndarray | None = None,
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
    """
    sign = np.where(y == 1, 1.0, -1.0)
    alpha = weights * sign * expit(-sign * f)
    w = np.maximum(weights * expit(f) * expit(-f), 1e-12)
    root = np.sqrt(w)
    B = (K * root).astype(np.float64, copy=False)
    B *= root[:, None]
    B.flat[:: len(f) + 1] += 1
    factor, _ = lapack.dpotrf(B.T, lower=1, clean=1, overwrite_a=1)
    half = triangular_inverse(factor)  # B⁻¹ = halfᵀ half
    diagonal = w * np.einsum("ji,ji->i", half, half)
    if fit_intercept:
        M1 = root * (half.T @ (half @ root))
        diagonal = diagonal - M1**2 / M1.sum()
    share = np.ones(len(f)) if share is None else share
    rest = np.maximum((1 - share) * w + share * diagonal, 1e-300)
    return f - share * alpha * np.maximum(w - diagonal, 0.0) / (w * rest)


def leave_one_out_loss(K, labels, weight, C, function) -> float:
    """Weighted mean log loss of the leave-one-out scores of a binary `LogisticFunction`."""
    free = len(function.solution.coef) > len(labels)
    f = K @ function.dual[:, 0] + function.intercept[0]
    scores = logistic_loo_scores(K, f, labels, C * weight, fit_intercept=free)
    return float(-(weight @ log_expit(np.where(labels == 1, scores, -scores))) / weight.sum())
