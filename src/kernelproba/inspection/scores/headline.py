"""The four scores by which classifiers are compared (`kernelproba.scoring`), and their confidence intervals.

Error, log loss and Brier score are means over the rows, and the ECE is a function of the sums of the gaps
over fixed bins.  A resample changes only how often each row counts, so one pass over four vectors scores it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from kernelproba.inspection.scores.binning import wilson_interval
from kernelproba.inspection.scores.bootstrap import Interval, basic_interval, check_resampling
from kernelproba.inspection.scores.predictions import check_predictions
from kernelproba.scoring import ECE_BINS, ROW_SCORES, calibration_gaps, mean_scores

SCORE_NAMES = (*ROW_SCORES, "ece")

#: Range of each score.
_LARGEST = {"error": 1.0, "log_loss": np.inf, "brier": 2.0, "ece": 1.0}


def probability_scores(
    y: ArrayLike, P: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> dict[str, float]:
    """Compute the scores of a table of classifiers: error, log loss, Brier score and ECE.

    Parameters
    ----------
    y, P, classes, sample_weight
        As in `expected_calibration_error`.

    Returns
    -------
    dict
        ``error`` of the most probable label; ``log_loss``, with probabilities below the
        rounding unit of P raised to it, as scikit-learn does; ``brier``, between 0 and 2;
        ``ece``, top-label with 15 equal bins.

    See Also
    --------
    score_intervals : The same with intervals.

    Examples
    --------
    >>> from kernelproba.inspection import probability_scores
    >>> scores = probability_scores([0, 1, 1, 1], [0.2, 0.7, 0.9, 0.4])
    >>> {name: round(value, 3) for name, value in scores.items()}
    {'error': 0.25, 'log_loss': 0.4, 'brier': 0.25, 'ece': 0.3}
    """
    checked = check_predictions(y, P, classes, sample_weight)
    return mean_scores(checked.P, checked.codes, checked.weight)


def score_intervals(
    y: ArrayLike,
    P: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    random_state: int | np.random.RandomState | None = None,
) -> dict[str, Interval]:
    """Confidence intervals of `probability_scores`, in a fraction of the time of `bootstrap_interval`.

    The error is a share and gets Wilson's interval, which has a width even where no row is wrong; the
    others get the basic bootstrap interval, cut off where the score cannot be.

    Parameters
    ----------
    y, P, classes, n_resamples, confidence, random_state
        As in `bootstrap_interval`; the same seed gives the same intervals.

    Returns
    -------
    dict of Interval
        For ``error``, ``log_loss``, ``brier`` and ``ece``.

    See Also
    --------
    probability_scores : The scores alone.
    bootstrap_interval : Intervals of any score.

    Examples
    --------
    >>> intervals = score_intervals([0, 1] * 50, [[0.5, 0.5]] * 100, random_state=0)
    >>> tuple(map(float, intervals["brier"]))
    (0.5, 0.5, 0.5)
    """
    check_resampling(n_resamples, confidence)
    checked, rng = check_predictions(y, P, classes), check_random_state(random_state)
    score, n = weighted_scores(checked.P, checked.codes), len(checked.P)
    estimate = score(np.ones(n))
    draws = np.stack([score(np.bincount(rng.randint(n, size=n), minlength=n)) for _ in range(n_resamples)])
    intervals = {
        name: basic_interval(estimate[k], draws[:, k], confidence) for k, name in enumerate(SCORE_NAMES)
    }
    low, high = wilson_interval(estimate[0], np.array(n), confidence)
    # Rounding may put the ends of a share of 0 or 1 beside it.
    intervals["error"] = Interval(
        float(estimate[0]), min(float(low), estimate[0]), max(float(high), estimate[0])
    )
    return {name: _within_range(interval, _LARGEST[name]) for name, interval in intervals.items()}


def weighted_scores(P: np.ndarray, codes: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return the four scores, in the order of `SCORE_NAMES`, as a function of how often each row counts.

    Parameters
    ----------
    P : ndarray of shape (n, c)
        Probabilities.
    codes : ndarray of shape (n,)
        Class numbers.
    """
    means = np.stack([score(P, codes) for score in ROW_SCORES.values()])
    bins, gaps = calibration_gaps(P, codes)

    def score(times: np.ndarray) -> np.ndarray:
        return np.append(means @ times, abs(np.bincount(bins, times * gaps, ECE_BINS)).sum()) / len(P)

    return score


def _within_range(interval: Interval, largest: float) -> Interval:
    return interval._replace(low=float(max(0.0, interval.low)), high=float(min(largest, interval.high)))
