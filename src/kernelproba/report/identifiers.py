"""Columns that name or number the rows: those that a model learns from, and those that were left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kernelproba.plain_text import name
from kernelproba.report.summary_types import LeftOutColumn
from kernelproba.tables import TableClassifier, TableError
from kernelproba.tables.columns import Column, columns_of
from kernelproba.tables.kinds import DROPPED, why_key, why_named_key
from kernelproba.tables.readings import TEXT, distinct_texts, recognise
from kernelproba.typing import Classifier

if TYPE_CHECKING:
    import pandas as pd


def used_identifiers(model: Classifier, frame: pd.DataFrame) -> list[LeftOutColumn]:
    """Return the columns that only tell rows apart and that a model takes nevertheless.

    Parameters
    ----------
    model : classifier
        Fitted.
    frame : DataFrame of shape (n, d)
        Rows such as those of the fit.
    """
    try:
        columns = columns_of(frame)
    except TableError:  # a column of lists or the like
        return []
    found = {each.name: why_named_key(each) for each in columns}
    kept = columns
    if isinstance(model, TableClassifier):  # it leaves out identifiers unless it is told to keep them
        dropped = {each.name for each in model.encoder_.columns_ if each.kind == DROPPED}
        found = {column: why for column, why in found.items() if column not in dropped}
        kept = [each for each in columns if each.name in model.encoder_.keep]
    found |= {each.name: why for each in kept if not _is_readable(each) and (why := why_key(each))}
    return [{"name": name(column), "why": why} for column, why in found.items() if why is not None]


def _is_readable(column: Column) -> bool:
    """Whether texts are numbers or dates, which may be different in every row."""
    if column.values.dtype != object:
        return False
    reading, _ = recognise(distinct_texts(column.values)[0])
    return reading.kind != TEXT


def left_out_columns(model: Classifier | None, known: Mapping[str, str]) -> list[LeftOutColumn]:
    """Return the columns that were left out of a table, before the fit or by the model itself.

    Parameters
    ----------
    model : classifier or None
        Fitted.
    known : mapping of str to str
        Names and reasons of those that were left out before.
    """
    own = model.encoder_.columns_ if isinstance(model, TableClassifier) else []
    reasons = dict(known) | {each.name: each.why for each in own if each.kind == DROPPED}
    return [{"name": name(column), "why": name(why)} for column, why in reasons.items()]
