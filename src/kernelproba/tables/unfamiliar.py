"""Columns of a table many of whose values are unlike all of training: other units, other codes, other times.

A column in inches where the model learnt centimetres is predicted from without complaint, and wrongly.
Counted is what lies beyond the training values by more than their range, and levels that were never seen.  A
few such values are outliers or news; many are a mistake more often than not.  So are numbers most of which
are smaller or larger than all of training, however little, and columns without values that had no gap before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernelproba.plain_text import shorten
from kernelproba.tables.columns import columns_of
from kernelproba.tables.encoder import TableEncoder
from kernelproba.tables.encoding.categories import CategoryEncoder, OrderedEncoder
from kernelproba.tables.encoding.dates import DateEncoder
from kernelproba.tables.encoding.numbers import NumberEncoder
from kernelproba.tables.fitted_column import FittedColumn
from kernelproba.typing import MatrixLike

#: Share of the numbers or dates of a column from which on it is named.
BEYOND = 0.05
#: The same of levels: columns of many levels have new ones as a matter of course.
UNSEEN = 0.9
#: The same of numbers that are outside those of training, if there are so many numbers at least.
OUTSIDE, _FEWEST = 0.5, 10
#: The same of gaps in a column that had none, if there are so many rows at least.
LOST = 0.9
#: Levels that are shown, and letters of each.
_SHOWN, _LETTERS = 4, 20


class UnfamiliarValues:
    """Counts, column by column, over the chunks of a table.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted.
    """

    def __init__(self, encoder: TableEncoder):
        self._columns = encoder._fitted_
        counts = np.zeros((4, len(self._columns)), dtype=int)
        self._known, self._missing, self._unfamiliar, self._outside = counts

    def add(self, X: MatrixLike) -> None:
        """Count the values of rows X (n, d), which are columns of training."""
        for j, (fitted, column) in enumerate(zip(self._columns, columns_of(X), strict=True)):
            self._known[j] += np.count_nonzero(~column.missing)
            self._missing[j] += np.count_nonzero(column.missing)
            self._unfamiliar[j] += np.count_nonzero(fitted.unfamiliar(column))
            self._outside[j] += np.count_nonzero(fitted.outside(column))

    def shares(self) -> dict[str, float]:
        """Return the names of the columns to speak of and the shares of their values, the largest first."""
        named = {
            fitted.description.name: float(outside if outside >= OUTSIDE else far)
            for fitted, far, outside in zip(self._columns, *self._shares(), strict=True)
            if far >= (UNSEEN if _levels(fitted) else BEYOND) or outside >= OUTSIDE
        }
        return dict(sorted(named.items(), key=lambda each: -each[1]))

    def _shares(self) -> tuple[NDArray, NDArray]:
        """Return the shares of unfamiliar values of each column, (d,), and of numbers outside those seen."""
        far, outside = (counts / np.maximum(self._known, 1) for counts in (self._unfamiliar, self._outside))
        return far, np.where(self._known >= _FEWEST, outside, 0)

    def lost(self) -> dict[str, float]:
        """Return columns without a gap in training and with hardly a value since, and the share of gaps."""
        rows = self._known + self._missing
        return {
            fitted.description.name: float(missing / n)
            for fitted, missing, n in zip(self._columns, self._missing, rows, strict=True)
            if n >= _FEWEST and missing >= LOST * n and not _had_gaps(fitted)
        }

    def notes(self) -> list[str]:
        """Return a line for each of these columns."""
        fitted = {each.description.name: each for each in self._columns}
        lost = [
            f"{share:.0%} of the values in column '{name}' are missing, and none was in training: the model "
            "cannot know what that means, check the file"
            for name, share in self.lost().items()
        ]
        return lost + [
            f"{share:.0%} of the values in column '{name}' {_unlike(fitted[name])}: the model cannot know "
            "what they mean, check units and codes"
            for name, share in self.shares().items()
        ]


def unfamiliar_cells(encoder: TableEncoder, X: MatrixLike) -> list[str]:
    """Return a line for each column in which one row X (1, d) is unlike all of training."""
    return [
        f"the value of this row in column '{fitted.description.name}' is unlike all of training, which had "
        f"{seen_values(fitted)}: the model cannot know what it means"
        for fitted, column in zip(encoder._fitted_, columns_of(X), strict=True)
        if fitted.unfamiliar(column)[0]
    ]


def _had_gaps(fitted: FittedColumn) -> bool:
    """Whether a column had gaps in training, or is one of which that does not matter or is not known."""
    encoder = fitted.encoder
    if isinstance(encoder, CategoryEncoder):
        return None in encoder.levels_
    return getattr(encoder, "has_gaps_", True)


def _unlike(fitted: FittedColumn) -> str:
    """Say of unfamiliar values what they are not."""
    if _levels(fitted):
        return f"were never seen in training, which had {seen_values(fitted)}"
    return f"are beyond those of training ({seen_values(fitted)})"


def seen_values(fitted: FittedColumn) -> str:
    """Say what a column had in training: some levels, or the ends of its numbers or dates; of texts none."""
    encoder = fitted.encoder
    if levels := _levels(fitted):
        shown = ", ".join(shorten(level, _LETTERS) for level in levels[:_SHOWN])
        return f"{shown}{', …' if len(levels) > _SHOWN else ''}"
    if isinstance(encoder, DateEncoder):
        low, high = (str(np.datetime64(round(end), "D")) for end in encoder.days_.ends())
        return f"{low} to {high}"
    if isinstance(encoder, NumberEncoder):
        low, high = (f"{end:.4g}" for end in encoder.ends())
        return f"{low} to {high}"
    return ""


def _levels(fitted: FittedColumn) -> list[str]:
    """Return the levels that a column had in training, none if it holds numbers, dates or texts."""
    if isinstance(fitted.encoder, OrderedEncoder):
        return [str(level) for level in fitted.encoder.levels]
    if isinstance(fitted.encoder, CategoryEncoder):
        return [level for level in fitted.encoder.levels_ if level is not None]
    return []
