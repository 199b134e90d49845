"""The four scores by which classifiers are compared, and their confidence intervals.

    error     share of rows whose most probable label is wrong
    log loss  mean of −log p(own label), with p raised to the rounding unit as scikit-learn does
    Brier     mean of Σ_k (p_k − [y = k])², between 0 and 2
    ECE       Σ_b |Σ_{i∈b} d_i| / n, the top-label calibration error in 15 equal bins

The first three are means over the rows, and the last is a function of the sums of the gaps
d_i = p_i − [hit] over fixed bins.  A resample changes only how often each row counts, so one pass over four
vectors scores it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from kernelproba.inspection.scores.binning import assign_bins, wilson_interval
from kernelproba.inspection.scores.bootstrap import Interval, basic_interval, check_resampling
from kernelproba.inspection.scores.posterior_scores import expected_calibration_error, squared_distance
from kernelproba.inspection.scores.predictions import Predictions, check_predictions

_ECE_BINS = 15


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
    """
    checked = check_predictions(y, P, classes, sample_weight)
    means = {
        name: float(np.average(row, weights=checked.weight)) for name, row in _row_scores(checked).items()
    }
    ece = expected_calibration_error(
        y, P, n_bins=_ECE_BINS, classes=checked.classes, sample_weight=checked.weight
    )
    return means | {"ece": ece}


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
    others get the basic bootstrap interval, cut off at 0.

    Parameters
    ----------
    y, P, classes, n_resamples, confidence, random_state
        As in `bootstrap_interval`; the same seed gives the same intervals.

    Returns
    -------
    dict of Interval
        For ``error``, ``log_loss``, ``brier`` and ``ece``.

    Examples
    --------
    >>> intervals = score_intervals([0, 1] * 50, [[0.5, 0.5]] * 100, random_state=0)
    >>> tuple(map(float, intervals["brier"]))
    (0.5, 0.5, 0.5)
    """
    check_resampling(n_resamples, confidence)
    checked, rng = check_predictions(y, P, classes), check_random_state(random_state)
    rows, top, n = _row_scores(checked), checked.top_label(), len(checked.P)
    means = np.stack(list(rows.values()))
    gap = top.probability.astype(float) - top.outcome
    binning = assign_bins(top.probability, checked.weight, n_bins=_ECE_BINS, strategy="uniform")

    def score(times: np.ndarray) -> np.ndarray:
        return np.append(means @ times, abs(binning.sums(times * gap)).sum()) / n

    estimate = score(np.ones(n))
    draws = np.stack([score(np.bincount(rng.randint(n, size=n), minlength=n)) for _ in range(n_resamples)])
    intervals = {
        name: basic_interval(estimate[k], draws[:, k], confidence) for k, name in enumerate([*rows, "ece"])
    }
    low, high = wilson_interval(estimate[0], np.array(n), confidence)
    intervals["error"] = Interval(float(estimate[0]), float(low), float(high))
    return {name: interval._replace(low=max(0.0, interval.low)) for name, interval in intervals.items()}


def _row_scores(checked: Predictions) -> dict[str, np.ndarray]:
    """Error, log loss and Brier score of each row, each (n,)."""
    true = checked.P[np.arange(len(checked.P)), checked.codes].astype(float)
    return {
        "error": (checked.P.argmax(axis=1) != checked.codes).astype(float),
        "log_loss": -np.log(np.clip(true, np.finfo(checked.P.dtype).eps, 1)),
        "brier": squared_distance(checked),
    }
