"""A table to learn from: features, labels, and what was left out and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelproba.tables.errors import TableError
from kernelproba.tables.files.arrow_columns import question_of, reading_of, to_frame, without_texts
from kernelproba.tables.files.table_file import Progress, TableFile
from kernelproba.tables.kinds import DROPPED, check_kind
from kernelproba.tables.labels import check_classes, label_kind, quantity_note, read_labels
from kernelproba.tables.number_styles import CONTINENTAL, written_as
from kernelproba.tables.readings import Reading

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True)
class TrainingTable:
    """Rows to learn from.

    Attributes
    ----------
    X : DataFrame of shape (n, d)
        Features; the index has the number of each row in the file, from 1, without the header.
    y : ndarray of shape (n,)
        Labels.
    readings : dict of str to Reading
        How each feature is read.
    reasons : dict of str to str
        Why so.
    target, target_kind : str
        Name of the target and what its labels are.
    notes : list of str
        What the reader did that the user should know.
    beside : Series of length n or None
        The column that was to be read beside the features.
    """

    X: pd.DataFrame
    y: np.ndarray
    readings: dict[str, Reading]
    reasons: dict[str, str]
    target: str
    target_kind: str
    notes: list[str]
    beside: pd.Series | None = None

    def rows(self, positions: np.ndarray) -> TrainingTable:
        """Return some of the rows."""
        beside = None if self.beside is None else self.beside.iloc[positions]
        return replace(self, X=self.X.iloc[positions], y=self.y[positions], beside=beside)


@dataclass(frozen=True)
class TableSelection:
    """Which part of a table to learn from, and how to read it.

    Attributes
    ----------
    target : str
        Column of labels.
    exclude, only : sequences of str
        Columns to leave out; columns to take, all others left out, if there are any.
    max_rows : int, callable or None
        Draw so many rows at random if there are more; a function of the numbers of columns and of classes.
    seed : int
        Of the draw.
    kinds : mapping
        Name of a column → its kind, as in `TableEncoder`.
    decimal, day_first
        As in `TableEncoder`.
    beside : str or None
        A column to be read beside the features, such as one that tells how to split the rows.
    """

    target: str
    exclude: Sequence[str] = ()
    only: Sequence[str] = ()
    max_rows: int | Callable[[int, int], int] | None = None
    seed: int = 0
    kinds: Mapping[str, object] = field(default_factory=dict)
    decimal: str | None = None
    day_first: bool | None = None
    beside: str | None = None


def read_training_table(
    file: TableFile, choice: TableSelection, progress: Progress = lambda _: None
) -> TrainingTable:
    """Read a table and take from it what is to be learnt from; rows without a label are left out.

    Parameters
    ----------
    file : TableFile
        The table.
    choice : TableSelection
        What is to be learnt from.
    progress : callable, optional
        Called with the share that has been read of a table that is read in parts.
    """
    beside = [] if choice.beside is None else [choice.beside]
    for name in (choice.target, *choice.exclude, *choice.only, *choice.kinds, *beside):
        check_column(file, name)
    for name, kind in choice.kinds.items():
        check_kind(name, kind)
    # What exceeds memory is drawn from: the labels are known of all rows, all else of those that are drawn.
    table = None if file.exceeds_memory else file.read()
    column = file.column(choice.target) if table is None else table.column(choice.target)
    kind = label_kind(choice.target, column, as_words=choice.target in choice.kinds)
    y, present = read_labels(column, kind)
    check_classes(choice.target, y)
    notes = file.notes + _missing_labels(choice.target, present) + quantity_note(choice.target, y, kind)
    features = _features(file.names, choice)
    size = choice.max_rows
    chosen = draw_rows(y, size(len(features), len(np.unique(y))) if callable(size) else size, choice.seed)
    if len(chosen) < len(y):
        notes.append(f"learning from {len(chosen):,} of {len(y):,} rows, drawn at random: see --max-rows")
    positions = np.flatnonzero(present)[chosen]
    columns = list(dict.fromkeys([*features, *beside]))
    if table is None:
        table, kept = file.rows(positions, columns, progress), np.arange(len(positions))
        notes.append(f"{file.name} is read in parts: columns are known by the rows that were drawn")
    else:
        table, kept = without_texts(table, ~present), positions
    read = read_columns(table, columns, choice)
    readings = {name: read[name][0] for name in features}
    notes += _open_questions(table, readings, choice)
    X = to_frame(table, readings).iloc[kept].set_axis(positions + 1)
    reasons = {name: read[name][1] for name in features}
    others = to_frame(table, {name: read[name][0] for name in beside}).iloc[kept].set_axis(positions + 1)
    extra = others[choice.beside] if beside else None
    return TrainingTable(X, y[chosen], readings, reasons, choice.target, kind, notes, extra)


def read_columns(table: pa.Table, names: Sequence[str], choice: Any) -> dict[str, tuple[Reading, str]]:
    """Return how columns are to be read, and why; a decimal comma in one settles what others leave open.

    Parameters
    ----------
    table : Table
        As read from a file.
    names : sequence of str
        Of the columns.
    choice : TableSelection
        Its kinds, decimal and day_first count.
    """

    def read(decimal: str | None) -> dict[str, tuple[Reading, str]]:
        options = {"decimal": decimal, "day_first": choice.day_first}
        return {
            name: reading_of(name, table.column(name), choice.kinds.get(name), **options) for name in names
        }

    found = read(choice.decimal)
    if choice.decimal is None and any(
        written_as(reading.style) == CONTINENTAL for reading, _ in found.values()
    ):
        return read(",")
    return found


def check_column(file: TableFile, name: str) -> None:
    """Complain of a column that a file does not have, with a guess at what was meant."""
    if name in file.names:
        return
    close = get_close_matches(name, file.names, 1, cutoff=0.5)
    hint = f"did you mean '{close[0]}'? It" if close else "it"
    shown = ", ".join(f"'{each}'" for each in file.names[:12]) + (", …" if len(file.names) > 12 else "")
    notes = "".join(f" ({note})" for note in file.notes)
    raise TableError(f"{file.name} has no column '{name}': {hint} has {shown}{notes}")


def draw_rows(y: np.ndarray, size: int | None, seed: int) -> np.ndarray:
    """Return sorted positions of rows drawn at random, at least one of each class."""
    if size is None or len(y) <= size:
        return np.arange(len(y))
    order = np.random.default_rng(seed).permutation(len(y))
    first = order[np.unique(y[order], return_index=True)[1]]
    others = order[: max(size, len(first))]
    others = others[~np.isin(others, first)]
    return np.sort(np.concatenate([first, others[: max(size - len(first), 0)]]))


def _missing_labels(target: str, present: np.ndarray) -> list[str]:
    missing = int((~present).sum())
    return [f"{missing:,} rows have no '{target}' and are left out"] if missing else []


def _open_questions(table: pa.Table, readings: Mapping[str, Reading], choice: TableSelection) -> list[str]:
    """Return what the texts of columns leave open; a decimal comma in one column settles all."""
    settled = any(written_as(reading.style) == CONTINENTAL for reading in readings.values())
    decimal = "," if settled else choice.decimal
    notes = []
    for name, reading in readings.items():
        question = question_of(table.column(name), reading, decimal=decimal, day_first=choice.day_first)
        notes += [f"column '{name}': {question}"] if question else []
    return notes


def _features(columns: Sequence[str], choice: TableSelection) -> list[str]:
    """Return the names of the columns that may be learnt from."""
    dropped = {
        choice.target,
        *choice.exclude,
        *(name for name, kind in choice.kinds.items() if kind == DROPPED),
    }
    names = [name for name in choice.only or columns if name not in dropped]
    if not names:
        raise TableError("no column is left to learn from: the target is the only one")
    return names
