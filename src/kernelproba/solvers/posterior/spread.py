"""How much of its variance the rows believe of a Gaussian posterior.

Where classes can be separated, the scores of a row are bounded on one side only: their posterior is skewed,
its mode lies at its near end, and the Gaussian around the mode puts mass on scores that the label of the row
excludes [Kuss & Rasmussen 2005].  Averaged over it, labels of which the fit is sure become improbable.  The
share λ of the variance is therefore taken as large as the rows allow: on average their labels may lose 3 % of
their probability,

    Σᵢ sᵢ (log p(yᵢ|xᵢ) − log ∫ p(yᵢ|f) N(f; f̂ᵢ, λΣᵢ) df) ≤ 0.03 Σᵢ sᵢ

which is λ = 1 where classes overlap and rows are many.
"""

import numpy as np
from scipy.optimize import brentq

from kernelproba.solvers.posterior.probabilities import POINTS, score_deviations

#: Mean loss of log-probability that averaging may cost.
MOST_LOSS = 0.03
#: Least share, and what its logarithm is found to.
LEAST_SHARE, PRECISION = 1e-6, 1e-2


def believable_share(
    F: np.ndarray, S: np.ndarray, Q: np.ndarray, y: np.ndarray, weights: np.ndarray
) -> float:
    """Return λ in (0, 1].

    Parameters
    ----------
    F, S, Q : arrays of shape (n, k), (n, q, q), (k, q)
        Scores of rows by the fit, their covariance, and the contrasts that it refers to.
    y, weights : arrays of shape (n,)
        Class indices and weights s.
    """
    weights = weights / weights.sum()
    if F.shape[1] == 1:  # of two classes the first has the score 0
        F, Q = np.hstack([np.zeros_like(F), F]), np.vstack([np.zeros_like(Q), Q])
    deviations, row = score_deviations(S, Q, POINTS), np.arange(len(y))
    # 1/p_y = Σ_b exp(f_b − f_y)
    behind = (F - F[row, y][:, None])[:, None, :]
    deviations = deviations - deviations[row, :, y][:, :, None]

    def spare(log_share: float) -> float:
        """Log-probability that labels may still lose."""
        with np.errstate(over="ignore"):
            P = (1 / np.exp(behind + np.exp(log_share / 2) * deviations).sum(axis=2)).mean(axis=1)
        return float(weights @ np.log(np.maximum(P, np.finfo(float).tiny))) - bound

    bound = 0.0
    bound = spare(-np.inf) - MOST_LOSS
    if spare(0.0) >= 0:
        return 1.0
    least = np.log(LEAST_SHARE)
    if spare(least) <= 0:
        return LEAST_SHARE
    return float(np.exp(brentq(spare, least, 0.0, xtol=PRECISION)))
