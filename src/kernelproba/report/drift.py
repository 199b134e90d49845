"""Columns whose values are not spread as they were in training."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, kstwo

from kernelproba.plain_text import name
from kernelproba.report.data_summary import as_frame
from kernelproba.report.summary_types import Shift
from kernelproba.tables.columns import Column, columns_of
from kernelproba.tables.readings import distinct_texts
from kernelproba.typing import MatrixLike

#: Chance that of all columns together one is named without cause.
_CHANCE = 0.001

#: A shift smaller than this hardly matters, however sure it is: of all rows, this share has moved.
_SHARE = 0.1


def drifts(training: MatrixLike, held_out: MatrixLike) -> list[Shift]:
    """Return the columns that have shifted, the most shifted first.

    Numbers and dates are compared by the largest gap between their distribution functions (Kolmogorov and
    Smirnov), levels by the share of rows that would have to change theirs (and a χ² test); a gap is a level.

    Parameters
    ----------
    training, held_out : array-likes or data frames of the same columns
        Rows then and now.

    Returns
    -------
    list of dict
        ``name`` and ``share``, that of the rows that have moved.
    """
    then, now = (columns_of(as_frame(X)) for X in (training, held_out))
    limit = _CHANCE / max(len(then), 1)
    found: list[Shift] = [
        {"name": name(old.name), "share": share}
        for old, new in zip(then, now, strict=True)
        for share, chance in [_shift(old, new)]
        if share > _SHARE and chance < limit
    ]
    return sorted(found, key=lambda each: -each["share"])


def _shift(old: Column, new: Column) -> tuple[float, float]:
    """Return the share of rows that have moved, and the chance of as much if nothing had changed."""
    if old.values.dtype != new.values.dtype:
        return 0.0, 1.0
    if old.values.dtype == object:
        return _shift_of_levels(old.values, new.values)
    numbers = [each.values[~each.missing].astype(np.float64) for each in (old, new)]
    gaps = _shift_of_levels(*(each.missing.astype(str).astype(object) for each in (old, new)))
    return max(_shift_of_numbers(*numbers), gaps, key=lambda shift: shift[0])


def _shift_of_numbers(old: NDArray, new: NDArray) -> tuple[float, float]:
    if not len(old) or not len(new):
        return 0.0, 1.0
    both = np.concatenate([old, new])
    cumulated = [np.searchsorted(np.sort(each), both, side="right") / len(each) for each in (old, new)]
    gap = float(abs(cumulated[0] - cumulated[1]).max())
    size = round(len(old) * len(new) / (len(old) + len(new)))
    return gap, float(kstwo.sf(gap, max(size, 1)))


def _shift_of_levels(old: NDArray, new: NDArray) -> tuple[float, float]:
    _, codes = distinct_texts(np.concatenate([old, new]))
    tables = [np.bincount(each + 1, minlength=codes.max() + 2) for each in np.split(codes, [len(old)])]
    shares = [table / table.sum() for table in tables]
    moved = float(abs(shares[0] - shares[1]).sum() / 2)
    return moved, _chance(np.array(tables))


def _chance(counts: NDArray) -> float:
    """Return the p-value of a χ² test; levels of few rows are taken together."""
    order = np.argsort(-counts.sum(axis=0))
    counts = counts[:, order]
    few = counts.sum(axis=0) * counts.sum(axis=1).min() / counts.sum() < 5
    if few.any():
        counts = np.column_stack([counts[:, ~few], counts[:, few].sum(axis=1)])
    counts = counts[:, counts.sum(axis=0) > 0]
    if counts.shape[1] < 2:
        return 1.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return float(chi2.sf((np.square(counts - expected) / expected).sum(), counts.shape[1] - 1))
