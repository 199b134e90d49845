"""The kind of a column: how it is to be encoded, or why it is left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernelproba.plain_text import number_text, shorten
from kernelproba.tables.columns import CATEGORY, FLAG, ORDERED, Column
from kernelproba.tables.errors import TableError
from kernelproba.tables.readings import DATE, NUMBER, TEXT, TIME, distinct_texts

#: Left out.
DROPPED = "dropped"

KINDS = (NUMBER, FLAG, CATEGORY, ORDERED, DATE, TIME, TEXT, DROPPED)

#: Fewer rows than these tell nothing of a column that is different in each.
_FEW, _MANY = 10, 50

#: A name that says that numbers only name rows.
_KEY_NAME = re.compile(
    r"(?i)(^|.*[\W_])(id|nr|no|key|index|uuid|rownames?)$|^unnamed: 0$|^.*(?-i:[a-z]I[Dd])$"
)

#: A name that says so even of numbers that come back, as those of patients do.
_GROUP_NAME = re.compile(r"(?i)(^|.*[\W_])(id|nr|key|uuid)$|^.*(?-i:[a-z]I[Dd])$")

#: Years, which count up and are worth learning from.
_YEARS = (1500, 2200)


@dataclass(frozen=True)
class ColumnKind:
    """What a column is taken for.

    Attributes
    ----------
    name : str
        Of the column.
    kind : str
        One of `KINDS`.
    why : str
        For people.
    """

    name: str
    kind: str
    why: str


def check_kind(name: str, kind: object) -> None:
    """Complain of a kind that a user may not give a column: neither a name of one nor a list of levels."""
    if isinstance(kind, str) and kind not in KINDS:
        raise TableError(f"column '{name}' cannot be of kind '{kind}': choose from {', '.join(KINDS)}")
    if kind == ORDERED:
        raise TableError(f"column '{name}' is to be ordered: give the list of its levels, the lowest first")
    if not isinstance(kind, str) and (not isinstance(kind, Sequence) or len(kind) < 2):
        raise TableError(f"column '{name}' needs the name of a kind or a list of levels, not {kind!r}")


def kind_of(column: Column, max_levels: int, *, keep: bool = False) -> ColumnKind:
    """Return what a column is taken for.

    Parameters
    ----------
    column : Column
        Numbers, dates, or texts that are neither.
    max_levels : int
        Texts with more levels than this are no categories.
    keep : bool, default=False
        Whether it is kept even if it seems to number or name the rows.
    """
    missing = column.missing
    known = column.values[~missing]
    dropped = _why_empty(known, gaps=bool(missing.any()))
    if dropped is None and not keep:
        dropped = why_key(column)
    if dropped is not None:
        return ColumnKind(column.name, DROPPED, dropped)
    if column.declared is not None:
        return ColumnKind(column.name, column.declared, f"the table says so{_levels_said(column, known)}")
    if column.values.dtype.kind == "M":
        return ColumnKind(column.name, DATE, "dates")
    if column.values.dtype.kind == "f":
        return ColumnKind(column.name, NUMBER, f"{len(np.unique(known)):,} different numbers")
    return ColumnKind(column.name, *_kind_of_texts(known, max_levels))


def _levels_said(column: Column, known: NDArray) -> str:
    return "" if column.declared == FLAG else f"; {len(set(known)):,} levels"


def _kind_of_texts(known: NDArray, max_levels: int) -> tuple[str, str]:
    levels = len(set(known))
    if levels <= max_levels and 2 * levels <= len(known):
        return CATEGORY, f"{levels:,} different texts in {len(known):,} rows"
    if levels > max_levels:
        return TEXT, f"{levels:,} different texts, more than the {max_levels} levels that a category may have"
    return TEXT, f"{levels:,} different texts in {len(known):,} rows, too few rows of each for categories"


def _why_empty(known: NDArray, *, gaps: bool) -> str | None:
    """Return why a column says nothing, None if it says something."""
    if len(known) == 0:
        return "it has no values"
    if not gaps and len(known) > 1 and _is_constant(known):
        return f"it is always {_shown(known[0])}"
    return None


def why_key(column: Column) -> str | None:
    """Return why a column only tells rows apart, None if it does not."""
    if column.declared is not None or column.missing.any():
        return None
    if column.values.dtype.kind == "f" and _numbers_rows(column.name, column.values):
        return "it numbers the rows"
    if column.values.dtype == object and _names_rows(column.values):
        return "it looks like an identifier, different in almost every row"
    return None


def why_named_key(column: Column) -> str | None:
    """Return why a column is named for telling rows or groups of rows apart, None if it is not."""
    known = column.values[~column.missing]
    whole = known.dtype == object or (known.dtype.kind == "f" and bool((known == np.rint(known)).all()))
    if column.declared is not None or not whole or _GROUP_NAME.match(column.name) is None:
        return None
    levels = len(set(known.tolist()))
    if levels < _FEW:
        return None
    return f"it is named like an identifier, with {levels:,} different values in {len(known):,} rows"


def _is_constant(known: NDArray) -> bool:
    return len(set(known)) == 1 if known.dtype == object else bool((known == known[0]).all())


def _numbers_rows(name: str, known: NDArray) -> bool:
    """Whether whole numbers are all different and count rows: one by one, or with few gaps, or by name."""
    if len(known) < _FEW or not np.isfinite(known).all() or (known != np.rint(known)).any():
        return False
    low, high = known.min(), known.max()
    if len(np.unique(known)) < len(known) or (_YEARS[0] <= low and high <= _YEARS[1]):
        return False
    one_by_one = bool((np.diff(known) == 1).all())
    # Whole numbers drawn at random repeat themselves long before they fill a third of their range.
    dense = len(known) >= _MANY and len(known) >= (high - low + 1) / 3
    return one_by_one or dense or _KEY_NAME.match(name) is not None


def _names_rows(known: NDArray) -> bool:
    """Whether single words are different in almost every row."""
    distinct, _ = distinct_texts(known)
    share = 1.0 if len(known) < _MANY else 0.95
    return (
        len(known) >= _FEW
        and len(distinct) >= share * len(known)
        and not any(" " in text for text in distinct)
    )


def _shown(value: object) -> str:
    return number_text(value, 6) if isinstance(value, float) else shorten(str(value), 40)
