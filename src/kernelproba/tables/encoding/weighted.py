"""Means, deviations and quantiles in which a weight of two is a row seen twice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def mean_and_deviation(values: NDArray, weight: NDArray) -> tuple[NDArray, NDArray]:
    """Return mean and standard deviation of each column of values (n, k), both (k,)."""
    share = weight / weight.sum()
    mean = share @ values
    return mean, np.sqrt(share @ np.square(values - mean))


def quantiles(values: NDArray, weight: NDArray, shares: tuple[float, ...]) -> NDArray:
    """Return for each share the least of the values (n,) that so much of the weight does not exceed."""
    order = np.argsort(values, kind="stable")
    mass = np.cumsum(weight[order]) / weight.sum()
    # What rounding takes off a sum must not decide which side of a step a quantile is on.
    return values[order][np.searchsorted(mass, np.array(shares) - 1e-9)]
