"""Two models on the same rows: by how much one is better, with the noise that they share taken out."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from kernelproba.inspection.scores.bootstrap import Interval, basic_interval, check_resampling
from kernelproba.inspection.scores.headline import SCORE_NAMES, weighted_scores
from kernelproba.inspection.scores.predictions import check_predictions


def score_differences(
    y: ArrayLike,
    P: ArrayLike,
    Q: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    random_state: int | np.random.RandomState | None = None,
) -> dict[str, Interval]:
    """Confidence intervals of how much larger the scores of P are than those of Q on the same rows.

    Both are scored on the same resamples: a row that is hard for both adds nothing to the difference, so that
    the interval is narrower than those of the two scores let one think.

    Parameters
    ----------
    y : array-like of shape (n,)
        True labels.
    P, Q : array-likes of shape (n, c), or (n,) for two classes
        Probabilities of two models, for the same rows and classes.
    classes, n_resamples, confidence, random_state
        As in `bootstrap_interval`.

    Returns
    -------
    dict of Interval
        For ``error``, ``log_loss``, ``brier`` and ``ece``; below zero, P is better.

    See Also
    --------
    score_intervals : Scores of one model.
    kernelproba.report.compare : Fits methods and compares them by folds.

    Examples
    --------
    >>> sure, right = [0.9] * 50 + [0.1] * 50, [1] * 50 + [0] * 50
    >>> score_differences(right, sure, [0.5] * 100, random_state=0)["log_loss"].high < 0
    True
    """
    check_resampling(n_resamples, confidence)
    rng = check_random_state(random_state)
    ours, theirs = (check_predictions(y, each, classes) for each in (P, Q))
    score, other = (weighted_scores(each.P, each.codes) for each in (ours, theirs))
    n = len(ours.P)
    times = [np.ones(n), *(np.bincount(rng.randint(n, size=n), minlength=n) for _ in range(n_resamples))]
    found = np.stack([score(each) - other(each) for each in times])
    return {name: basic_interval(found[0, k], found[1:, k], confidence) for k, name in enumerate(SCORE_NAMES)}
