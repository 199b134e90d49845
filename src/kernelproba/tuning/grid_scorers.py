"""How good the posterior of every model of a grid is, judged on rows that the models have not seen."""

import numpy as np

from kernelproba.calibration import Clipping, HeldOutScores, fit_power
from kernelproba.scoring import row_brier_scores, row_errors, row_log_losses

#: Floors of the calibration that are tried for each model: fewer than for the one that is chosen.
_FLOORS = (1e-3, 1e-2, 1e-1)


def grid_scores(rows: HeldOutScores, prior: np.ndarray, calibration: str | None, scoring: str) -> np.ndarray:
    """Scores (g, a), the larger the better.

    Parameters
    ----------
    rows : HeldOutScores
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


#: Function (P (r, c), y (r,)) → what each row adds to the score.
SCORINGS = {
    "log_loss": lambda P, y: -row_log_losses(P, y),
    "brier": lambda P, y: -row_brier_scores(P, y),
    "accuracy": lambda P, y: 1 - row_errors(P, y),
}
