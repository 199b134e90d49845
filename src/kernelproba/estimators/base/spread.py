"""Variance of all entries of rows that come in blocks."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Spread:
    """Entries of a block: their weight, their mean, and their weighted squares about it.

    The sum of two is that of their entries.  Squares about zero would leave no digit of the variance where
    the mean is large.

    Parameters
    ----------
    weight, mean, squares : float
        Σw, Σwx/Σw and Σw(x − mean)² over all entries.
    """

    weight: float
    mean: float
    squares: float

    @classmethod
    def of(cls, block: np.ndarray, weight: np.ndarray) -> "Spread":
        """Entries of rows (b, d) with weights (b,)."""
        total = float(weight.sum()) * block.shape[1]
        if total == 0:
            return cls(0.0, 0.0, 0.0)
        mean = float((weight @ block).sum()) / total
        return cls(total, mean, float((weight @ np.square(block - mean)).sum()))

    def __add__(self, other: "Spread") -> "Spread":
        total = self.weight + other.weight
        if total == 0:
            return self
        apart, share = other.mean - self.mean, other.weight / total
        squares = self.squares + other.squares + apart**2 * self.weight * share
        return Spread(total, self.mean + apart * share, squares)

    @property
    def variance(self) -> float:
        """Of the entries."""
        return self.squares / self.weight
