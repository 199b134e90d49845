"""Scores of stated probabilities: calibration error, Brier score and its parts.

With d_i = p_i − o_i the stated probability of an event minus whether it happened
(1 or 0), bins b of about equal p, rows weighted by w_i and w_b = Σ_{i∈b} w_i / Σ w_i:

    ECE    = Σ_b w_b |d̄_b|                         expected calibration error
    SCE    = Σ_b w_b d̄_b²                          squared calibration error
    Brier  = Σ_k mean (p_k − o_k)²                  over the classes k, between 0 and 2

An event is either "the most probable class is right" (``kind="top-label"``), or "the
class is k" (``"class-wise"``), whose errors are averaged over the classes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kernelproba.inspection.scores.binning import Binning, assign_bins
from kernelproba.inspection.scores.predictions import Event, Predictions, check_predictions
from kernelproba.scoring import row_brier_scores


def expected_calibration_error(
    y: ArrayLike,
    P: ArrayLike,
    *,
    n_bins: int = 15,
    kind: str = "top-label",
    strategy: str = "uniform",
    debiased: bool = False,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Gap between stated probability and observed frequency.

    Parameters
    ----------
    y : array-like of shape (n,)
        True labels.
    P : array-like of shape (n, c), or (n,) for two classes
        Probabilities.
    n_bins : int, default=15
        Number of bins.
    kind : {"top-label", "class-wise"}, default="top-label"
        Which probabilities count: the largest of each row, or all.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width or of equal weight.
    debiased : bool, default=False
        The plain error is positive even for true probabilities, because frequencies
        in bins scatter.  If True, return √max(0, SCE) with the unbiased estimate of
        the squared error, see `squared_calibration_error`.  That is a quadratic mean
        of the gaps: compare it with its like only.
    classes : array-like of shape (c,), optional
        Labels of the columns of P; needed when y lacks some.
    sample_weight : array-like of shape (n,), optional
        How much each row counts.  A weight of 2 is a row seen twice, except for
        `debiased`, which takes rows for independent.

    Returns
    -------
    float
        0 is perfect.

    See Also
    --------
    squared_calibration_error : Without the bias of bins.
    ReliabilityDisplay : The bins in a figure.

    Examples
    --------
    >>> float(expected_calibration_error(["a", "b"], [[1.0, 0.0], [0.5, 0.5]]))
    0.25
    """
    checked = check_predictions(y, P, classes, sample_weight)
    if debiased:
        return float(np.sqrt(max(0.0, _squared_error(checked, n_bins, kind, strategy))))
    errors = []
    for event, binning in _binned(checked, kind, n_bins, strategy):
        # w_b |d̄_b| = |Σ_{i∈b} w_i d_i| / Σ w
        gap = binning.sums(checked.weight * (event.probability - event.outcome))
        errors.append(abs(gap).sum() / checked.weight.sum())
    return float(np.mean(errors))


def squared_calibration_error(
    y: ArrayLike,
    P: ArrayLike,
    *,
    n_bins: int = 15,
    kind: str = "top-label",
    strategy: str = "uniform",
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Unbiased estimate of the squared calibration error; negative by chance if there is none.

    In each bin the square of the mean gap is estimated from distinct pairs of rows,

        Σ_{i≠j} d_i d_j / (n_b (n_b − 1))  =  d̄_b² − s_b²/n_b,

    where s_b² is the sample variance of the gaps d_i in the bin.  When all p in the bin
    are equal, s_b²/n_b is ō(1 − ō)/(n_b − 1) and this is the estimator of Kumar, Liang & Ma
    (2019) and Bröcker (2012); else theirs counts the spread of p as noise and subtracts too
    much.  A bin with a single row has no pair and counts as 0.

    Parameters
    ----------
    y, P, n_bins, kind, strategy, classes, sample_weight
        As in `expected_calibration_error` with ``debiased=True``, whose root this is the square of.  For
        an interval of the root, take the roots of the ends of an interval of the square, with 0 for those
        below it: at 0 the root is too bent for the bootstrap.

    Returns
    -------
    float
        In units of squared probability.

    See Also
    --------
    expected_calibration_error : In units of probability.

    Examples
    --------
    >>> from kernelproba.inspection import squared_calibration_error
    >>> round(squared_calibration_error([0, 0, 1, 1], [0.9, 0.9, 0.9, 0.9]), 3)
    0.077
    """
    return _squared_error(check_predictions(y, P, classes, sample_weight), n_bins, kind, strategy)


def _squared_error(checked: Predictions, n_bins: int, kind: str, strategy: str) -> float:
    errors = []
    for event, binning in _binned(checked, kind, n_bins, strategy):
        weighted = checked.weight * (event.probability - event.outcome)
        mass = binning.sums(checked.weight)
        # With weights: Σ_{i≠j} w_i w_j d_i d_j / Σ_{i≠j} w_i w_j, both sums as square − diagonal.
        products = binning.sums(weighted) ** 2 - binning.sums(weighted**2)
        pairs = mass**2 - binning.sums(checked.weight**2)
        paired = pairs > 1e-12 * mass**2
        errors.append(mass[paired] @ (products[paired] / pairs[paired]) / mass.sum())
    return float(np.mean(errors))


def _binned(checked: Predictions, kind: str, n_bins: int, strategy: str) -> list[tuple[Event, Binning]]:
    return [
        (event, assign_bins(event.probability, checked.weight, n_bins=n_bins, strategy=strategy))
        for event in checked.events(kind)
    ]


def brier_score(
    y: ArrayLike, P: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> float:
    """Mean squared distance of the stated probabilities from the truth, Σ_k (p_k − [y = k])².

    It lies between 0 and 2, and is twice the one-column score that is usual for two
    classes (scikit-learn's ``brier_score_loss(…, scale_by_half=True)``).

    See Also
    --------
    brier_decomposition : Its parts.
    probability_scores : All usual scores.

    Examples
    --------
    >>> from kernelproba.inspection import brier_score
    >>> round(brier_score([0, 1, 1], [0.2, 0.7, 0.9]), 3)
    0.093
    """
    checked = check_predictions(y, P, classes, sample_weight)
    return float(np.average(row_brier_scores(checked.P, checked.codes), weights=checked.weight))


class BrierDecomposition(NamedTuple):
    """Parts of the Brier score, which is reliability − resolution + uncertainty + within_bin.

    Attributes
    ----------
    reliability : float
        Squared gap between stated probability and frequency; 0 is calibrated.
    resolution : float
        How much the frequency differs between bins; large is informative.
    uncertainty : float
        Brier score of stating the base rates; a property of the data alone.
    within_bin : float
        Remainder from probabilities that differ within a bin; 0 if none do.

    See Also
    --------
    brier_decomposition : Returns it.

    Examples
    --------
    >>> from kernelproba.inspection import brier_decomposition
    >>> parts = brier_decomposition([0, 0, 1, 1], [0.0, 0.5, 0.5, 1.0], n_bins=4)
    >>> round(parts.uncertainty, 3), round(parts.reliability, 3)
    (0.5, 0.0)
    """

    reliability: float
    resolution: float
    uncertainty: float
    within_bin: float

    @property
    def score(self) -> float:
        """The Brier score, put together again."""
        return self.reliability - self.resolution + self.uncertainty + self.within_bin


def brier_decomposition(
    y: ArrayLike,
    P: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: str = "uniform",
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> BrierDecomposition:
    """Split the Brier score into reliability, resolution and uncertainty (Murphy 1973).

    Each class is binned by its own probability and the parts are summed over the classes.
    Murphy's identity needs equal probabilities within a bin; the remainder
    Σ_b w_b (var_b(p) − 2 cov_b(p, o)) of Stephenson et al. (2008) makes it exact for any.

    Parameters
    ----------
    y, P, n_bins, strategy, classes, sample_weight
        As in `expected_calibration_error`.

    See Also
    --------
    brier_score : The sum of the parts.

    Examples
    --------
    >>> from kernelproba.inspection import brier_decomposition, brier_score
    >>> y, p = [0, 0, 1, 1], [0.1, 0.4, 0.6, 0.8]
    >>> parts = brier_decomposition(y, p)
    >>> total = parts.reliability - parts.resolution + parts.uncertainty + parts.within_bin
    >>> bool(abs(total - brier_score(y, p)) < 1e-12)
    True
    """
    checked = check_predictions(y, P, classes, sample_weight)
    parts = [
        _murphy(event, checked.weight, bins)
        for event, bins in _binned(checked, "class-wise", n_bins, strategy)
    ]
    return BrierDecomposition(*np.sum(parts, axis=0).tolist())


def _murphy(event: Event, weight: np.ndarray, binning: Binning) -> list[float]:
    """Reliability, resolution, uncertainty and remainder of one event."""
    w = weight / weight.sum()
    p, o = event.probability.astype(float), event.outcome
    mass = binning.sums(w)
    safe = np.where(mass > 0, mass, 1)
    p_bin, o_bin = binning.sums(w * p) / safe, binning.sums(w * o) / safe
    base = min(float(w @ o), 1.0)  # weights add up to 1 but for rounding
    dp, do = p - p_bin[binning.index], o - o_bin[binning.index]
    return [
        float(mass @ (p_bin - o_bin) ** 2),
        float(mass @ (o_bin - base) ** 2),
        float(base * (1 - base)),
        float(w @ (dp**2 - 2 * dp * do)),
    ]
