"""What leave-one-out probabilities say of a model: how good it is out of sample, too bold or too timid."""

import numpy as np

from kernelproba.calibration import fit_power

#: Gain in log-likelihood that a temperature must bring, in nats: twice that is χ² with one degree of freedom,
#: and exceeds 4 by chance once in twenty times.
WORTHWHILE = 2.0
#: Bins of the calibration error.
BINS = 15


def fit_temperature(log_P: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    """Temperature T of p ∝ p^(1/T) that lowers the log loss of unseen rows, 1 if none does so beyond chance.

    Parameters
    ----------
    log_P : array of shape (n, c)
        Log-probabilities of rows that the model has not seen.
    y, weight : arrays of shape (n,)
        Class indices and weights.
    """
    power = fit_power(np.exp(log_P), y, weight, floors=(np.finfo(float).tiny,))
    row = np.arange(len(y))
    gain = tempered(log_P, 1 / power.exponent)[row, y] - log_P[row, y]
    return 1 / power.exponent if weight @ gain > WORTHWHILE else 1.0


def tempered(log_P: np.ndarray, temperature: float) -> np.ndarray:
    """Log of p^(1/T), normalised, (n, c)."""
    Z = log_P / temperature
    Z = Z - Z.max(axis=1, keepdims=True)
    return Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))


def out_of_sample_scores(log_P: np.ndarray, y: np.ndarray, weight: np.ndarray) -> dict[str, float]:
    """Error, log loss, Brier score (0 to 2) and top-label calibration error (15 bins) of unseen rows.

    Parameters
    ----------
    log_P : array of shape (n, c)
        Log-probabilities.
    y, weight : arrays of shape (n,)
        Class indices and weights.
    """
    P, row, share = np.exp(log_P), np.arange(len(y)), weight / weight.sum()
    right = P.argmax(axis=1) == y
    gap = P.copy()
    gap[row, y] -= 1
    confidence = P.max(axis=1)
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    return {
        "error": float(share @ ~right),
        "log_loss": float(-(share @ log_P[row, y])),
        "brier": float(share @ np.square(gap).sum(axis=1)),
        "ece": float(np.abs(np.bincount(bins, weights=share * (confidence - right))).sum()),
    }
