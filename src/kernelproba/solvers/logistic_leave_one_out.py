"""Approximate leave-one-out of a binary kernel logistic fit, from its last re-weighting.

At the optimum the fit is a least-squares fit to z = f + α/w with weights w = ωπ(1 − π), and leaving row i
out of *that* has a closed form [Cawley & Talbot 2008].  With B = I + W^½KW^½ and α = ω(y − π),

    f₍₋ᵢ₎(xᵢ) = fᵢ − αᵢ gᵢ,      gᵢ = (1/Mᵢᵢ − 1/wᵢ),      M = W^½B⁻¹W^½ (less M11ᵀM/1ᵀM1 for an intercept).

It ignores that the weights of the other rows would change: the error is of second order in the influence
of one row.  Cost: one Cholesky factor and its inverse, n³.
"""

import numpy as np
from scipy.linalg import lapack
from scipy.special import expit, log_expit


def leave_one_out_scores(
    K: np.ndarray, alpha: np.ndarray, intercept: float, weights: np.ndarray, *, fit_intercept: bool
) -> np.ndarray:
    """Scores (n,) of each row by the fit without it.

    Parameters
    ----------
    K : array of shape (n, n)
        Kernel matrix.
    alpha, intercept : array of shape (n,), float
        The fit.
    weights : array of shape (n,)
        ω = C·weight.
    fit_intercept : bool
        Whether the intercept was free.
    """
    f = K @ alpha + intercept
    w = np.maximum(weights * expit(f) * expit(-f), 1e-12)
    root = np.sqrt(w)
    B = root[:, None] * K * root
    B[np.diag_indices_from(B)] += 1
    factor, _ = lapack.dpotrf(B, lower=1, overwrite_a=1)
    inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)  # lower triangle of B⁻¹
    diagonal = w * inverse.diagonal()
    if fit_intercept:
        full = np.tril(inverse) + np.tril(inverse, -1).T
        M1 = root * (full @ root)
        diagonal = diagonal - M1**2 / M1.sum()
    return f - alpha * (1 / np.maximum(diagonal, 1e-300) - 1 / w)


def leave_one_out_loss(K, labels, weight, C, function) -> float:
    """Weighted mean log loss of the leave-one-out scores of a binary `LogisticFunction`."""
    scores = leave_one_out_scores(
        K,
        function.dual[:, 0],
        float(function.intercept[0]),
        C * weight,
        fit_intercept=len(function.solution.coef) > len(labels),
    )
    return float(-(weight @ log_expit(np.where(labels == 1, scores, -scores))) / weight.sum())
