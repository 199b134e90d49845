"""Numbers: on one scale, outliers drawn in if wanted, gaps filled and marked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernelproba.tables.encoding.weighted import mean_and_deviation, quantiles

#: Interquartile range of the standard normal distribution.
_NORMAL_RANGE = 1.3489795003921634

#: Where squashed numbers end, in standard deviations of a normal bulk.
LIMIT = 3.0


#: Numbers beyond are taken for these: their squares would be infinite.
_LARGEST = 1e150

#: What becomes of numbers.
STANDARD, SQUASH = "standard", "squash"


class NumberEncoder:
    """Numbers on a common scale, as they are or squashed, and where they are missing.

    "standard" takes off the mean and divides by the standard deviation.  "squash" takes off the median,
    divides by the deviation of the bulk (the interquartile range over that of a normal distribution, or the
    standard deviation where half of the values are the same), and takes z to z / √(1 + (z/3)²), which hardly
    changes the bulk and draws in whatever is beyond.

    A missing number is the median.  If numbers were missing in training, a second column says so.

    Parameters
    ----------
    rule : {"standard", "squash"}
        As above.

    Attributes
    ----------
    median_ : float
        Of the training values.
    center_, scale_ : float
        What is taken off, and what is divided by.
    low_, high_ : float
        Numbers beyond are taken for these: the ends of the training values, and their range on either side.
    has_gaps_ : bool
        Whether there is a second column.
    gap_scale_ : float
        What it says of a missing number.
    """

    def __init__(self, rule: str = SQUASH):
        self.rule = rule

    def fit(self, values: NDArray, weight: NDArray) -> NumberEncoder:
        """Learn from numbers (n,), some of them NaN or infinite, with weights (n,)."""
        finite = np.isfinite(values)
        known, mass = (values[finite], weight[finite]) if finite.any() else (np.zeros(1), np.ones(1))
        known = np.clip(known, -_LARGEST, _LARGEST)
        low, self.median_, high = quantiles(known, mass, (0.25, 0.5, 0.75)).tolist()
        mean, deviation = _moments(known, mass)
        squashed = self.rule == SQUASH
        self.center_ = self.median_ if squashed else mean
        self.scale_ = (squashed and (high - low) / _NORMAL_RANGE) or deviation or 1.0
        self.low_, self.high_ = float(known.min() - np.ptp(known)), float(known.max() + np.ptp(known))
        self.has_gaps_ = bool(np.isnan(values[weight > 0]).any())
        self.gap_scale_ = float(np.sqrt(2.0))
        return self

    def scale_gaps(self, scale: float) -> None:
        """Set what the second column says of a missing number."""
        self.gap_scale_ = scale

    def transform(self, values: NDArray) -> NDArray:
        """Return numbers (n,) as columns (n, 1) or (n, 2)."""
        missing = np.isnan(values)
        columns = [self._scaled(np.where(missing, self.median_, values))]
        if self.has_gaps_:
            columns.append(self.gap_scale_ * missing)
        return np.column_stack(columns)

    def unfamiliar(self, values: NDArray) -> NDArray:
        """Return which of the numbers (n,) lie beyond the training values by more than their range."""
        return (values < self.low_) | (values > self.high_)

    def outside(self, values: NDArray) -> NDArray:
        """Return which of the numbers (n,) are below or above all of training."""
        low, high = self.ends()
        slack = 1e-9 * (high - low)  # the ends come from others
        return (values < low - slack) | (values > high + slack)

    def ends(self) -> tuple[float, float]:
        """Return the smallest and the largest number of training."""
        spread = (self.high_ - self.low_) / 3
        return self.low_ + spread, self.high_ - spread

    def names(self, name: str) -> list[str]:
        """Return the names of the columns."""
        return [name, f"{name} missing"] if self.has_gaps_ else [name]

    def _scaled(self, values: NDArray) -> NDArray:
        z = (np.clip(values, self.low_, self.high_) - self.center_) / self.scale_
        # sin(arctan(t)) is t / √(1 + t²), without a square that could overflow
        return LIMIT * np.sin(np.arctan(z / LIMIT)) if self.rule == SQUASH else z


def _moments(values: NDArray, weight: NDArray) -> tuple[float, float]:
    """Return mean and standard deviation of values (n,); the latter is 0 if it is all rounding."""
    mean, deviation = mean_and_deviation(values[:, None], weight)
    return float(mean[0]), float(deviation[0]) if deviation[0] > 1e-12 * abs(mean[0]) else 0.0
