"""What a Gaussian posterior of scores says of the class probabilities.

The log-odds of class a, gₐ = fₐ − log Σ_{b≠a} exp f_b, are linear in the scores for two classes and nearly so
for more: around the mean their gradient is vₐ = eₐ − q, q_b = p_b/(1 − pₐ), and their variance
vₐᵀ Q Σ Qᵀ vₐ.  An interval that holds a share γ of the posterior of pₐ = σ(gₐ) leaves out α = 1 − γ, τ below
and α − τ above; of these the shortest is taken: about symmetric in the middle, and one-sided where pₐ is
nearly 0 or 1.

The average of the probabilities over the posterior is their mean at points spread evenly over the Gaussian.
"""

import numpy as np
from scipy.special import expit, logsumexp, ndtri, softmax
from scipy.stats import qmc

#: Splits of α that are tried.
SPLITS = 21
#: Points that stand for the posterior; with their mirror images twice as many.
POINTS = 128


def probability_intervals(F: np.ndarray, S: np.ndarray, Q: np.ndarray, confidence: float) -> np.ndarray:
    """Return the least and the largest probability (n, c, 2) of every class in the shortest interval.

    Parameters
    ----------
    F : array of shape (n, k)
        Mean of the scores: one for two classes, else one per class.
    S : array of shape (n, q, q)
        Their covariance.
    Q : array of shape (k, q)
        Contrasts that S refers to.
    confidence : float
        γ.
    """
    odds, variance = _log_odds(F, S, Q)
    deviation = np.sqrt(np.maximum(variance, 0.0))[..., None]
    alpha = 1 - confidence
    # No more than half on one side: the mean stays inside, however small γ is.
    below = np.linspace(max(alpha - 0.5, 0.0), min(alpha, 0.5), SPLITS)
    low = expit(odds[..., None] + _scaled(deviation, ndtri(below)))
    high = expit(odds[..., None] + _scaled(deviation, ndtri(below + confidence)))
    shortest = (high - low).argmin(axis=-1)[..., None]
    return np.concatenate([np.take_along_axis(end, shortest, axis=-1) for end in (low, high)], axis=-1)


def average_probabilities(F: np.ndarray, S: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Return the mean (n, c) of the probabilities over the posterior; arguments as above."""
    scores = F[:, None, :] + score_deviations(S, Q, POINTS)
    if F.shape[1] == 1:
        positive = expit(scores[:, :, 0]).mean(axis=1)
        return np.column_stack([1 - positive, positive])
    return softmax(scores, axis=2).mean(axis=1)


def score_deviations(S: np.ndarray, Q: np.ndarray, n_points: int) -> np.ndarray:
    """Return deviations (n, 2 · n_points, k) of scores from their mean, spread evenly over the Gaussian.

    Parameters
    ----------
    S, Q : arrays of shape (n, q, q), (k, q)
        Covariance of the scores, and the contrasts that it refers to.
    n_points : int
        A power of two; as many are their mirror images.
    """
    points = ndtri(qmc.Sobol(Q.shape[1], scramble=False).random(n_points) + 0.5 / n_points)
    values, U = np.linalg.eigh(S)
    half = Q @ (U * np.sqrt(np.maximum(values, 0.0))[:, None, :])
    deviations = np.matmul(points, half.transpose(0, 2, 1))
    return np.concatenate([deviations, -deviations], axis=1)


def _log_odds(F: np.ndarray, S: np.ndarray, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance (n, c) of the log-odds of every class."""
    if F.shape[1] == 1:
        return np.hstack([-F, F]), np.repeat(S[:, :, 0], 2, axis=1)
    c = F.shape[1]
    others = np.where(np.eye(c, dtype=bool), -np.inf, F[:, None, :])
    against = logsumexp(others, axis=2)
    V_Q = (np.eye(c) - np.exp(others - against[:, :, None])) @ Q
    return F - against, np.einsum("naj,njk,nak->na", V_Q, S, V_Q)


def _scaled(deviation: np.ndarray, quantiles: np.ndarray) -> np.ndarray:
    """Deviation · quantile, 0 · ∞ being ∞: an open end stays open where nothing is in doubt."""
    with np.errstate(invalid="ignore"):
        shift = deviation * quantiles
    return np.where(np.isinf(quantiles), quantiles, shift)
