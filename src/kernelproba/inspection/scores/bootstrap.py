"""Bootstrap intervals for any score of predictions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from kernelproba.inspection.scores.predictions import check_predictions


class Interval(NamedTuple):
    """An estimate with the ends of its confidence interval.

    See Also
    --------
    bootstrap_interval : Returns it.

    Examples
    --------
    >>> from kernelproba.inspection import score_intervals
    >>> interval = score_intervals([0, 1, 1, 0], [0.2, 0.7, 0.9, 0.4], random_state=0)["error"]
    >>> interval.low <= interval.estimate <= interval.high
    True
    """

    estimate: float
    low: float
    high: float


def bootstrap_interval(
    score: Callable[..., object],
    y: ArrayLike,
    P: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    random_state: int | np.random.RandomState | None = None,
) -> Interval | dict[str, Interval]:
    """Confidence interval of a score, by resampling the rows.

    This is the *basic* interval [2s − q_hi, 2s − q_lo] about the score s, with q the
    quantiles of the resampled scores.  The calibration error of a resample exceeds that
    of the sample, as resampling adds noise to the frequencies; the percentile interval
    would add this bias once more, the basic one takes it off.  It may then lie below an s
    that chance has raised, and is extended so as to reach s.

    Parameters
    ----------
    score : callable
        ``score(y, P, classes=…)``, as all scores of this package are.  It returns a
        number, or several as a dict or named tuple.  A score that takes ``sample_weight``
        gets a resample as weights: estimates from pairs of rows, such as
        `squared_calibration_error`, must not take a row drawn twice for a pair.
    y, P, classes
        As in `expected_calibration_error`.
    n_resamples : int, default=1000
        The ends scatter less with more.
    confidence : float, default=0.95
        Wanted probability that the interval covers the truth.
    random_state : int, RandomState or None
        Seed of the resampling.

    Returns
    -------
    Interval, or dict of Interval
        A dict if the score returns several numbers.

    See Also
    --------
    score_intervals : Intervals of the usual scores.

    Examples
    --------
    >>> from kernelproba.inspection import brier_score
    >>> interval = bootstrap_interval(brier_score, [0, 1] * 50, [[0.5, 0.5]] * 100, random_state=0)
    >>> tuple(map(float, interval))
    (0.5, 0.5, 0.5)
    """
    check_resampling(n_resamples, confidence)
    checked = check_predictions(y, P, classes)
    labels, rng = np.asarray(y), check_random_state(random_state)

    weighs = "sample_weight" in inspect.signature(score).parameters

    def score_rows(rows: np.ndarray) -> dict[str, float]:
        if weighs:
            times = np.bincount(rows, minlength=len(labels))
            return _by_name(score(labels, checked.P, classes=checked.classes, sample_weight=times))
        return _by_name(score(labels[rows], checked.P[rows], classes=checked.classes))

    estimate = score_rows(np.arange(len(labels)))
    draws = [score_rows(rng.randint(len(labels), size=len(labels))) for _ in range(n_resamples)]
    intervals = {
        name: basic_interval(s, [draw[name] for draw in draws], confidence) for name, s in estimate.items()
    }
    return intervals.get("", intervals)


def check_resampling(n_resamples: int, confidence: float) -> None:
    """Raise a ValueError unless both make sense."""
    if n_resamples < 1:
        raise ValueError(f"n_resamples must be at least 1, not {n_resamples!r}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence!r}")


def _by_name(result: Any) -> dict[str, float]:
    """Name the numbers of a score; a lone number has the empty name."""
    if isinstance(result, Mapping):
        return dict(result)
    return result._asdict() if hasattr(result, "_asdict") else {"": float(result)}


def basic_interval(estimate: float, draws: ArrayLike, confidence: float) -> Interval:
    """Reflect the quantiles of the draws at the estimate s, [2s − q_hi, 2s − q_lo], and reach s."""
    low, high = np.quantile(np.asarray(draws, dtype=float), [(1 - confidence) / 2, (1 + confidence) / 2])
    ends = 2 * estimate - np.array([high, low])
    return Interval(float(estimate), float(min(ends[0], estimate)), float(max(ends[1], estimate)))
