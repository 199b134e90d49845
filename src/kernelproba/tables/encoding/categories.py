"""Categories: one column per level, rare levels pooled; a pair of levels needs one column only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernelproba.tables.encoding.numbers import STANDARD, NumberEncoder
from kernelproba.tables.readings import distinct_texts, of_each_text

#: Names of what is not a level of its own.
MISSING, POOLED = "missing", "others"


class CategoryEncoder:
    """Rows of different levels differ by √2, whatever the levels and however many there are.

    That is why the columns should not be standardised again: a level of one row in a hundred would then weigh
    as much as ten.  A missing level is a level if there was one in training.  Levels of few rows are pooled;
    a level never seen is one of those, or none if none were pooled.

    Parameters
    ----------
    min_count : float
        Weight of the rows that a level of its own must have.

    Attributes
    ----------
    levels_ : list of str or None
        One per column; None is the missing level.
    pools_ : bool
        Whether there is one column more, of the pooled levels.
    """

    def __init__(self, min_count: float = 1.0):
        self.min_count = min_count

    def fit(self, values: NDArray, weight: NDArray) -> CategoryEncoder:
        """Learn from texts (n,), some of them None, with weights (n,)."""
        distinct, codes = distinct_texts(values)
        mass = np.bincount(codes + 1, weight, minlength=len(distinct) + 1)
        seen = sorted((text, m) for text, m in zip(distinct, mass[1:], strict=True) if m > 0)
        self.levels_: list[str | None] = [text for text, m in seen if m >= self.min_count]
        self.pools_ = len(self.levels_) < len(seen)
        if mass[0] > 0:
            self.levels_.append(None)
        return self

    def transform(self, values: NDArray) -> NDArray:
        """Return texts (n,) as columns (n, k)."""
        place = {level: j for j, level in enumerate(self.levels_)}
        k = len(self.levels_) + self.pools_
        other = k - 1 if self.pools_ else k  # one past the end is nowhere
        codes = of_each_text(values, lambda text: place.get(text, other))
        columns = (codes[:, None] == np.arange(k)).astype(np.float64)
        if k == 2:  # (1, 0) and (0, 1) differ by √2, and so do √½ and −√½; (0, 0) is between them
            return (columns[:, 1:] - columns[:, :1]) * np.sqrt(0.5)
        return columns

    def unfamiliar(self, values: NDArray) -> NDArray:
        """Return which of the texts (n,) were never seen; where levels were pooled that is not known."""
        known = {*self.levels_, None}
        return of_each_text(values, lambda text: not self.pools_ and text not in known)

    def names(self, name: str) -> list[str]:
        """Return the names of the columns."""
        levels = [MISSING if level is None else level for level in self.levels_] + [POOLED] * self.pools_
        return [f"{name}={level}" for level in (levels[1:] if len(levels) == 2 else levels)]


class OrderedEncoder(NumberEncoder):
    """Ordered levels as the numbers 0, 1, 2, …; a level never seen is as good as missing.

    Parameters
    ----------
    levels : sequence of str
        The lowest first.
    """

    def __init__(self, levels):
        super().__init__(STANDARD)
        self.levels = levels

    def fit(self, values: NDArray, weight: NDArray) -> OrderedEncoder:
        """Learn from texts (n,), some of them None, with weights (n,)."""
        super().fit(self._ranks(values), weight)
        return self

    def transform(self, values: NDArray) -> NDArray:
        """Return texts (n,) as columns (n, 1) or (n, 2)."""
        return super().transform(self._ranks(values))

    def unfamiliar(self, values: NDArray) -> NDArray:
        """Return which of the texts (n,) are no level."""
        known = {*self.levels, None}
        return of_each_text(values, lambda text: text not in known)

    def _ranks(self, values: NDArray) -> NDArray:
        place = {level: float(rank) for rank, level in enumerate(self.levels)}
        return of_each_text(values, lambda text: np.nan if text is None else place.get(text, np.nan))
