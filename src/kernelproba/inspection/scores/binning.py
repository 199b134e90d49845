"""Predictions of about the same probability, put together in bins.

A bin takes its upper edge and leaves out its lower one, as scikit-learn's
`calibration_curve` does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from kernelproba.inspection.scores.predictions import Event, check_option
from kernelproba.scoring import uniform_bins


@dataclass(frozen=True)
class Binning:
    """Bin number of every row (n,), and the edges of the bins (n_bins + 1,)."""

    index: np.ndarray
    edges: np.ndarray

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Sum of `values` (n,) over the rows of each bin, of shape (n_bins,)."""
        return np.bincount(self.index, weights=values, minlength=len(self.edges) - 1)


def assign_bins(probability: np.ndarray, weight: np.ndarray, *, n_bins: int, strategy: str) -> Binning:
    """Put rows into bins.

    Parameters
    ----------
    probability, weight : ndarray of shape (n,)
        What is binned, and how much each row counts.
    n_bins : int
        Some may stay empty.
    strategy : {"uniform", "quantile"}
        Bins of equal width on [0, 1], or of equal weight as far as ties allow.
    """
    check_option("strategy", strategy, ("uniform", "quantile"))
    if not isinstance(n_bins, int | np.integer) or n_bins < 1:
        raise ValueError(f"n_bins must be a positive whole number, not {n_bins!r}")
    if strategy == "uniform":
        return Binning(uniform_bins(probability, n_bins), np.linspace(0, 1, n_bins + 1))
    edges = _quantiles(probability, weight, n_bins)
    return Binning(np.searchsorted(edges[1:-1], probability, side="left"), edges)


def _quantiles(values: np.ndarray, weight: np.ndarray, n_bins: int) -> np.ndarray:
    """Smallest values with at least the share 0, 1/B, …, 1 of the weight at or below them."""
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weight[order]) / weight.sum()
    # The slack keeps a share of 3 · 0.1 from missing the quantile 0.3 by rounding.
    position = np.searchsorted(share, np.linspace(0, 1, n_bins + 1) - 1e-12)
    return values[order[np.minimum(position, len(values) - 1)]]


@dataclass(frozen=True)
class BinTable:
    """Stated probability and observed frequency of one event, for each bin with rows.

    Attributes
    ----------
    name : str
        Of the event.
    low, high : ndarray of shape (b,)
        Edges of the bin.
    count : ndarray of shape (b,)
        Rows in it.
    probability, frequency : ndarray of shape (b,)
        Mean of the stated probability, and share of the rows where the event happened.
    frequency_low, frequency_high : ndarray of shape (b,)
        Wilson's interval for the frequency.
    histogram : ndarray of shape (20,)
        Rows in twentieths of [0, 1], whatever the bins are.
    calibration_error : float
        Σ_b (weight of b) · |frequency − probability|, the ECE of this event.
    """

    name: str
    low: np.ndarray
    high: np.ndarray
    count: np.ndarray
    probability: np.ndarray
    frequency: np.ndarray
    frequency_low: np.ndarray
    frequency_high: np.ndarray
    histogram: np.ndarray
    calibration_error: float

    def columns(self) -> dict[str, np.ndarray]:
        """Columns of a table with one row for each bin."""
        names = ("low", "high", "count", "probability", "frequency", "frequency_low", "frequency_high")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def of(cls, event: Event, weight: np.ndarray, binning: Binning, *, confidence: float) -> BinTable:
        """Summarise an event over its bins."""
        mass = binning.sums(weight)
        kept = mass > 0
        share, mass = mass[kept] / weight.sum(), mass[kept]
        probability = binning.sums(weight * event.probability)[kept] / mass
        frequency = binning.sums(weight * event.outcome)[kept] / mass
        # With unequal weights a bin knows only as much as (Σw)²/Σw² rows.
        low, high = wilson_interval(frequency, mass**2 / binning.sums(weight**2)[kept], confidence)
        return cls(
            name=event.name,
            low=binning.edges[:-1][kept],
            high=binning.edges[1:][kept],
            count=np.bincount(binning.index, minlength=len(kept))[kept],
            probability=probability,
            frequency=frequency,
            frequency_low=low,
            frequency_high=high,
            histogram=np.histogram(event.probability, bins=20, range=(0, 1))[0],
            calibration_error=float(share @ abs(frequency - probability)),
        )


def wilson_interval(frequency: np.ndarray, n: np.ndarray, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's score interval for a binomial proportion.

    The p with |frequency − p| ≤ z √(p(1 − p)/n): never outside [0, 1], and of
    positive width at frequencies 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence!r}")
    z2 = ndtri(0.5 + confidence / 2) ** 2
    centre = (frequency + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (frequency * (1 - frequency) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    return np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)
