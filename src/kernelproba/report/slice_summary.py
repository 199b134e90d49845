"""Slices of the rows that are predicted worst, and those that are worse than the model knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from numpy.typing import NDArray

from kernelproba.inspection import error_slices
from kernelproba.plain_text import name
from kernelproba.report.json_values import plain
from kernelproba.report.summary_types import ErrorSlice, SlicesSummary
from kernelproba.tables import TableError

if TYPE_CHECKING:
    import pandas as pd

#: Slices that are listed, and the chance that one is without cause.
_LISTED, _CHANCE = 10, 0.05

#: The same of slices that are said to be wrong: a claim about the data needs more.
_CHANCE_OF_ALARM = 0.001


def describe_slices(codes: NDArray, P: NDArray, classes: NDArray, frame: pd.DataFrame) -> SlicesSummary:
    """Return the slices that are clearly harder than other rows, and those that are so without reason.

    A slice is ``unexpected`` if its log loss clearly exceeds what the probabilities lead one to expect, and
    even that of stating the class frequencies: there the model does worse than knowing nothing.

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
    try:
        found = error_slices(codes, P, frame, classes=range(len(classes)))
    except TableError:  # a column of lists or the like
        return {"looked_at": 0, "harder": [], "unexpected": []}
    harder = found[found["p_value"] < _CHANCE]
    wrong = found[(found["p_unexpected"] < _CHANCE_OF_ALARM) & (found["log_loss"] > found["frequencies"])]
    return {
        "looked_at": len(found),
        "harder": _records(harder[:_LISTED]),
        "unexpected": _records(wrong.sort_values("p_unexpected", kind="stable")[:_LISTED]),
    }


def _records(table: pd.DataFrame) -> list[ErrorSlice]:
    records = [plain(line) for line in table.to_dict("records")]
    return [cast("ErrorSlice", each | {"column": name(each["column"])}) for each in records]
