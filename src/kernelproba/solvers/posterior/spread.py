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

from kernelproba.solvers.posterior.probabilities import average_probabilities

#: Mean loss of log-probability that averaging may cost.
MOST_LOSS = 0.03
#: Least share, and halvings of the logarithm in the search for it.
LEAST_SHARE, HALVINGS = 1e-6, 12


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
    row, weights = np.arange(len(y)), weights / weights.sum()

    def log_likelihood(share: float) -> float:
        P = average_probabilities(F, share * S, Q)[row, y]
        return float(weights @ np.log(np.maximum(P, np.finfo(float).tiny)))

    bound = log_likelihood(0.0) - MOST_LOSS
    if log_likelihood(1.0) >= bound:
        return 1.0
    low, high = np.log(LEAST_SHARE), 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if log_likelihood(np.exp(middle)) >= bound else (low, middle)
    return float(np.exp(low))
