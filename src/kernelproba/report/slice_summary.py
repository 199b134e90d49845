"""Slices of the rows that are predicted worst, and those that are worse than the model knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from kernelproba.inspection import error_slices
from kernelproba.inspection.scores.slices import N_BINS, slices_of
from kernelproba.plain_text import name
from kernelproba.report.json_values import json_value
from kernelproba.report.summary_types import ErrorSlice, SlicesSummary
from kernelproba.tables import TableError
from kernelproba.tables.columns import columns_of

if TYPE_CHECKING:
    import pandas as pd

#: Slices that are listed, and the chance that one is without cause.
_LISTED, _CHANCE = 10, 0.05

#: The same of slices that are said to be wrong: a claim about the data needs more.
_WRONG, _CHANCE_OF_ALARM = 3, 0.001


def describe_slices(codes: NDArray, P: NDArray, classes: NDArray, frame: pd.DataFrame) -> SlicesSummary:
    """Return the slices that are clearly harder than other rows, and those that are so without reason.

    A slice is ``unexpected`` if its log loss clearly exceeds what the probabilities lead one to expect, and
    even that of stating the class frequencies: there the model does worse than knowing nothing.  The clearest
    one comes first, and the next is looked for among the other rows: a slice is not blamed for rows that it
    shares with one that was named.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Class numbers of held-out rows.
    P : ndarray of shape (n, c)
        Their probabilities.
    classes : ndarray of shape (c,)
        Labels.
    frame : DataFrame of shape (n, d)
        The rows.
    """
    numbers = range(len(classes))
    try:
        found = error_slices(codes, P, frame, classes=numbers)
    except TableError:  # a column of lists or the like
        return {"looked_at": 0, "harder": [], "unexpected": []}
    wrong: list[ErrorSlice] = []
    rows, judged = np.arange(len(codes)), found
    while len(wrong) < _WRONG and len(worst := _alarming(judged)):
        wrong.append(_record(worst.iloc[0]))
        rows = rows[~_inside(frame.iloc[rows], worst.iloc[0])]
        judged = error_slices(codes[rows], P[rows], frame.iloc[rows], classes=numbers)
    harder = found[found["p_value"] < _CHANCE][:_LISTED]
    listed = [_record(harder.iloc[k]) for k in range(len(harder))]
    return {"looked_at": len(found), "harder": listed, "unexpected": wrong}


def _alarming(found: pd.DataFrame) -> pd.DataFrame:
    """The slices where the model does worse than it says and than guessing, the clearest first."""
    wrong = found[(found["p_unexpected"] < _CHANCE_OF_ALARM) & (found["log_loss"] > found["frequencies"])]
    return wrong.sort_values("p_unexpected", kind="stable")


def _inside(frame: pd.DataFrame, part: pd.Series) -> NDArray:
    """Which rows (n,) a slice of theirs holds."""
    return next(
        inside
        for column in columns_of(frame)
        if column.name == part["column"]
        for words, inside in slices_of(column, N_BINS)
        if words == part["slice"]
    )


def _record(part: pd.Series) -> ErrorSlice:
    return cast("ErrorSlice", json_value(part.to_dict()) | {"column": name(part["column"])})
