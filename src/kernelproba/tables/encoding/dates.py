"""Dates: how long ago, which time of the year, which day of the week, which time of the day."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2_contingency

from kernelproba.tables.encoding.numbers import STANDARD, NumberEncoder
from kernelproba.tables.encoding.weighted import mean_and_deviation

#: Days of the cycles that a date may be in.
CYCLES = {"season": 365.2425, "weekday": 7.0, "hour": 1.0}

#: Into how many parts they are cut to see whether they matter.
_PARTS = {"season": 12, "weekday": 7, "hour": 24}

#: The first Monday after the beginning of 1970, in days.
MONDAY = 4.0


#: A cycle whose part has no bearing on the class would be noise: what chance does so rarely is taken for one.
_CHANCE = 0.01


class DateEncoder:
    """Days since 1970 as a number, and each cycle that matters as a point on a circle.

    A cycle matters if the dates differ in it and, where there are labels, if its parts (months, weekdays,
    hours) have different shares of the classes.  A missing date is the median.  If dates were missing in
    training, one more column says so.

    Attributes
    ----------
    days_ : NumberEncoder
        Of the days.
    cycles_ : list of str
        Those that matter.
    mean_, scale_ : ndarray of shape (2 · number of cycles,)
        Of the points; a cycle counts as much as a number.
    """

    def fit(self, values: NDArray, weight: NDArray, labels: NDArray | None = None) -> DateEncoder:
        """Learn from dates (n,), some of them NaT, with weights (n,) and class numbers (n,)."""
        days = _days(values)
        self.days_ = NumberEncoder(STANDARD).fit(days, weight)
        known = ~np.isnan(days)
        self.cycles_ = [name for name in CYCLES if _differs(name, days[known])]
        if labels is not None:
            part = (weight[known], labels[known])
            self.cycles_ = [name for name in self.cycles_ if _matters(_part(name, days[known]), *part)]
        if self.cycles_:
            points = self._points(days[known])
            self.mean_, deviation = mean_and_deviation(points, weight[known])
            self.scale_ = np.sqrt(2) * np.where(deviation > 1e-6, deviation, 1.0)
        return self

    @property
    def has_gaps_(self) -> bool:
        """Whether the last column tells missing dates."""
        return self.days_.has_gaps_

    def scale_gaps(self, scale: float) -> None:
        """Set what that column says of a missing date."""
        self.days_.scale_gaps(scale)

    def transform(self, values: NDArray) -> NDArray:
        """Return dates (n,) as columns (n, k)."""
        days = _days(values)
        number = self.days_.transform(days)
        if not self.cycles_:
            return number
        filled = np.where(np.isnan(days), self.days_.median_, days)
        return np.column_stack(
            [number[:, :1], (self._points(filled) - self.mean_) / self.scale_, number[:, 1:]]
        )

    def unfamiliar(self, values: NDArray) -> NDArray:
        """Return which of the dates (n,) lie beyond those of training by more than their range."""
        return self.days_.unfamiliar(_days(values))

    def names(self, name: str) -> list[str]:
        """Return the names of the columns."""
        circle = [f"{name} {cycle} {axis}" for cycle in self.cycles_ for axis in ("sin", "cos")]
        return [f"{name} days", *circle, *([f"{name} missing"] if self.has_gaps_ else [])]

    def _points(self, days: NDArray) -> NDArray:
        """Return sine and cosine of each cycle, (n, 2 · number of cycles)."""
        turns = [2 * np.pi * (_within(name, days) / CYCLES[name]) for name in self.cycles_]
        return np.column_stack([axis(turn) for turn in turns for axis in (np.sin, np.cos)])


def _days(values: NDArray) -> NDArray:
    """Return days since 1970 (n,), NaN where there is no date."""
    days = values.astype("datetime64[us]").astype(np.int64) / 86_400e6
    return np.where(np.isnat(values), np.nan, days)


def _within(cycle: str, days: NDArray) -> NDArray:
    """Return how far into its cycle each day is; days of the week are whole."""
    return np.floor(days - MONDAY) % 7 if cycle == "weekday" else days % CYCLES[cycle]


def _part(cycle: str, days: NDArray) -> NDArray:
    """Return the number of the month, weekday or hour."""
    return (_within(cycle, days) / CYCLES[cycle] * _PARTS[cycle]).astype(int)


def _differs(cycle: str, days: NDArray) -> bool:
    """Whether dates are spread over the cycle: more than a third of a year, several weekdays or hours."""
    if len(days) == 0 or (cycle == "season" and np.ptp(days) < CYCLES[cycle] / 3):
        return False
    return len(np.unique(np.round(_within(cycle, days), 6))) > 2


def _matters(part: NDArray, weight: NDArray, labels: NDArray) -> bool:
    """Whether the shares of the classes differ between parts of a cycle beyond chance (χ² test)."""
    counts = np.zeros((part.max() + 1, labels.max() + 1))
    np.add.at(counts, (part, labels), weight)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    return bool(min(counts.shape) > 1 and chi2_contingency(counts).pvalue < _CHANCE)
