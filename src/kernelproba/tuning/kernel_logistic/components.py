"""Principal components of correlated columns as further features, where rows held out gain by them.

Length and width of a stone are nearly the same, and how round it is lies in what they differ by.  To a kernel
that compares columns one by one that difference is next to nothing, however the columns are weighed.  So the
columns z of more than two values are seen along the axes v of their correlations as well,

    z ↦ (z, c vₐᵀD⁻¹z/√λₐ),      D = diag(σ),      D⁻¹ cov(z) D⁻¹ = Σₐ λₐ vₐvₐᵀ,      c² = mean of σ²

each as far spread as a column in the mean.  For the RBF kernel that is a metric with a matrix, for the
Laplacian one more edges to its cubes.  All features are then weighed as in `feature_relevance`, which finds
the axes that matter, as long as that gains.  Weights and axes are those of a sample; other rows judge them.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kernelproba.kernels import Laplacian
from kernelproba.tuning.kernel_logistic.feature_relevance import (
    MIN_WEIGHT,
    WeighedFeatures,
    mean_squared_absolute_slopes,
    mean_squared_slopes,
)
from kernelproba.tuning.kernel_logistic.search import Candidate
from kernelproba.tuning.kernel_logistic.sized_fits import SizedFits
from kernelproba.tuning.kernel_logistic.stages import SelectedModel
from kernelproba.tuning.scaling import has_two_values

#: Kernels that compare features by their differences, and columns up to which axes are worth a try.
KERNELS, MOST_COLUMNS = ("rbf", "laplacian"), 64
#: Least variance of an axis relative to the largest: what is less may be rounding; and the one above which
#: columns are so little correlated that their axes say nothing new.
LEAST_VARIANCE, UNCORRELATED = 1e-7, 0.25
#: Rounds of weights, after the one in which all weigh the same.
ROUNDS = 2


def principal_components(Z: np.ndarray) -> np.ndarray | None:
    """Axes (d, r) of the correlations of rows Z (n, d), None if there is nothing to find."""
    spread = Z.std(axis=0, dtype=np.float64)
    columns = np.flatnonzero(~has_two_values(Z) & (spread > 0))
    if not 2 <= len(columns) <= MOST_COLUMNS:
        return None
    spread = spread[columns]
    variance, axes = np.linalg.eigh(np.corrcoef(Z[:, columns], rowvar=False))
    kept = variance > LEAST_VARIANCE * variance[-1]
    if variance[kept][0] > UNCORRELATED * variance[-1]:
        return None
    found = np.zeros((Z.shape[1], int(kept.sum())))
    size = np.sqrt(np.mean(np.square(spread)))
    found[columns] = size * axes[:, kept] / spread[:, None] / np.sqrt(variance[kept])
    return found


def with_components(
    selected: SelectedModel, fits_of: Callable[[SelectedModel], SizedFits], gain: float
) -> SelectedModel:
    """The model with components as features, if rows held out are then predicted better.

    Parameters
    ----------
    selected : SelectedModel
        What was found on fewer rows.
    fits_of : callable
        SelectedModel → its fits to a sample in random order.
    gain : float
        What the score must gain.
    """
    if selected.best.view.kernel not in KERNELS:
        return selected
    fits = fits_of(selected)
    Z = fits.spanned.rows.X
    axes = principal_components(Z) if isinstance(Z, np.ndarray) else None
    if axes is None:
        return selected
    best, model = fits.evaluate(None, *selected.best.point), selected
    fits.forget()
    weights = np.ones(sum(axes.shape))
    for number in range(1 + ROUNDS):
        tried = _seen(selected, axes, weights)
        fits = fits_of(tried)
        found = fits.evaluate(None, _gamma(selected, Z, fits), selected.best.C)
        better = found.score > best.score + gain
        if better:
            best, model = found, tried._replace(best=found, fits=fits.spanned)
        if number == ROUNDS or not (better or number == 0):
            break
        weights = weights * np.sqrt(_mean_squared_slopes(fits, found))
        weights = np.maximum(weights / weights.mean(), MIN_WEIGHT)
        fits.forget()
    fits.forget()
    return model


def _seen(selected: SelectedModel, axes: np.ndarray, weights: np.ndarray) -> SelectedModel:
    """The model with features and components of these weights (d + r,)."""
    d = len(axes)
    view = selected.view.weighed(weights[:d]).extended(np.sqrt(weights[d:] / weights[:d, None]) * axes)
    # What a column counts in squared distances, by itself and in all components.
    counts = weights[:d] + np.square(axes) @ weights[d:]
    if selected.weighed is not None:
        counts = counts * selected.weighed.weights
    best = replace(selected.best, view=selected.best.view._replace(weighed=True))
    return selected._replace(best=best, view=view, weighed=WeighedFeatures(counts / counts.mean(), 1.0, None))


def _gamma(selected: SelectedModel, Z: np.ndarray, fits: SizedFits) -> float:
    """Gamma that leaves the mean distance, squared or absolute, of rows Z (n, d) what it was."""
    assert selected.best.gamma is not None
    absolute = _is_laplacian(fits, selected.best.gamma)
    before, now = (_spread(rows, absolute=absolute) for rows in (Z, fits.spanned.rows.X))
    return selected.best.gamma * before / now


def _spread(Z: np.ndarray, *, absolute: bool) -> float:
    if absolute:
        return float(np.abs(Z - np.median(Z, axis=0)).mean(axis=0).sum())
    return float(Z.var(axis=0, dtype=np.float64).sum())


def _mean_squared_slopes(fits: SizedFits, found: Candidate) -> np.ndarray:
    """Mean squares (d + r,) of the slopes of the scores along the features of a fit."""
    spanned, (gamma, C) = fits.spanned, found.point
    assert gamma is not None
    slopes = mean_squared_absolute_slopes if _is_laplacian(fits, gamma) else mean_squared_slopes
    return slopes(spanned.rows.X, spanned.matrix(gamma), spanned.fit(gamma, C), spanned.rows.weight)


def _is_laplacian(fits: SizedFits, gamma: float) -> bool:
    return isinstance(fits.spanned.kernel(gamma), Laplacian)
