"""How good the posterior of every model of a grid is, judged on rows that the models have not seen."""

import numpy as np

from kernelproba.calibration import Clipping, UnseenScores, fit_power

#: Floors of the calibration that are tried for each model: fewer than for the one that is chosen.
_FLOORS = (1e-3, 1e-2, 1e-1)


def grid_scores(rows: UnseenScores, prior: np.ndarray, calibration: str | None, scoring: str) -> np.ndarray:
    """Scores (g, a), the larger the better.

    Parameters
    ----------
    rows : UnseenScores
        Scores (g, a, r, c) of r rows by models of a (g, a) grid, class indices and weights (r,).
    prior : array of shape (c,)
        Class priors.
    calibration : {"power", None}
        Whether to judge calibrated probabilities.
    scoring : {"log_loss", "brier", "accuracy"}
        What counts.
    """
    share = rows.weight / rows.weight.sum()
    scores = np.empty(rows.Q.shape[:2])
    for point in np.ndindex(scores.shape):
        P = Clipping(prior).probabilities(rows.Q[point])
        if calibration is not None:
            P = np.exp(fit_power(P, rows.y, rows.weight, _FLOORS).log_probabilities(P))
        scores[point] = share @ SCORINGS[scoring](P, rows.y)
    return scores


def _log_likelihood(P: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.log(np.maximum(P[np.arange(len(y)), y], 1e-15))


def _negative_brier(P: np.ndarray, y: np.ndarray) -> np.ndarray:
    # Σ_k (p_k − 1[k = y])² = Σ_k p_k² − 2 p_y + 1
    return 2 * P[np.arange(len(y)), y] - 1 - np.einsum("ij,ij->i", P, P)


def _hit(P: np.ndarray, y: np.ndarray) -> np.ndarray:
    return P.argmax(axis=1) == y


#: Function (P (r, c), y (r,)) → what each row adds to the score.
SCORINGS = {"log_loss": _log_likelihood, "brier": _negative_brier, "accuracy": _hit}
