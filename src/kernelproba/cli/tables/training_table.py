"""A table to learn from: features, labels, and what was left out and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelproba.cli.errors import CommandError
from kernelproba.cli.tables.columns import EMPTY, TEXT, kind_of, to_frame
from kernelproba.cli.tables.labels import check_classes, label_kind, read_labels
from kernelproba.cli.tables.table_file import TableFile
from kernelproba.cli.tables.table_format import open_table
from kernelproba.cli.terminal import Terminal

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True)
class TrainingTable:
    """Rows to learn from.

    Attributes
    ----------
    X : DataFrame of shape (n, d)
        Features; the index has the number of each row in the file, from 1.
    y : ndarray of shape (n,)
        Labels.
    kinds : dict of str to str
        Kind of each feature.
    target, target_kind : str
        Name of the target and what its labels are.
    notes : list of str
        What the reader did that the user should know.
    """

    X: pd.DataFrame
    y: np.ndarray
    kinds: dict[str, str]
    target: str
    target_kind: str
    notes: list[str]


@dataclass(frozen=True)
class Choice:
    """Which part of a table to learn from.

    Attributes
    ----------
    target : str
        Column of labels.
    exclude, only : sequences of str
        Columns to leave out; columns to take, all others left out, if there are any.
    max_rows : int
        Draw so many rows at random if there are more.
    seed : int
        Of the draw.
    """

    target: str
    exclude: Sequence[str] = ()
    only: Sequence[str] = ()
    max_rows: int = 5_000
    seed: int = 0


def read_training_table(file: TableFile, choice: Choice) -> TrainingTable:
    """Read a table and take from it what can be learnt from.

    Rows without a label are left out, and so are columns without a value and, unless `choice.only` names
    them, columns that only number or name the rows: they would be learnt by heart.
    """
    for name in (choice.target, *choice.exclude, *choice.only):
        check_column(file, name)
    table = file.read()
    kind = label_kind(choice.target, table.column(choice.target))
    y, present = read_labels(choice.target, table.column(choice.target), kind)
    check_classes(choice.target, y)
    notes = _missing_labels(choice.target, present)
    chosen = _draw(y, choice.max_rows, choice.seed)
    if len(chosen) < len(y):
        notes.append(f"learning from {len(chosen):,} of {len(y):,} rows, drawn at random: see --max-rows")
    numbers = np.flatnonzero(present)[chosen]
    kinds, left_out = _features(table, choice)
    X = to_frame(table.take(numbers), kinds).set_axis(numbers + 1)
    return TrainingTable(X, y[chosen], kinds, choice.target, kind, notes + left_out)


def load_training_table(
    terminal: Terminal, path: Path, delimiter: str | None, choice: Choice
) -> TrainingTable:
    """Read a table from a file, and print what the user should know of it."""
    with terminal.working(f"reading {path.name}"):
        table = read_training_table(open_table(path, delimiter), choice)
    terminal.notes(table.notes)
    return table


def check_column(file: TableFile, name: str) -> None:
    """Complain of a column that a file does not have, with a guess at what was meant."""
    if name in file.names:
        return
    close = get_close_matches(name, file.names, 1, cutoff=0.5)
    hint = f"did you mean '{close[0]}'? It" if close else "it"
    shown = ", ".join(f"'{each}'" for each in file.names[:12]) + (", …" if len(file.names) > 12 else "")
    raise CommandError(f"{file.path.name} has no column '{name}': {hint} has {shown}")


def _missing_labels(target: str, present: np.ndarray) -> list[str]:
    missing = int((~present).sum())
    return [f"{missing:,} rows have no '{target}' and are left out"] if missing else []


def _draw(y: np.ndarray, size: int, seed: int) -> np.ndarray:
    """Return sorted positions of rows drawn at random, at least one of each class."""
    if len(y) <= size:
        return np.arange(len(y))
    order = np.random.default_rng(seed).permutation(len(y))
    first = order[np.unique(y[order], return_index=True)[1]]
    # dict.fromkeys drops repetitions and keeps the order.
    return np.sort(list(dict.fromkeys([*first.tolist(), *order.tolist()]))[: max(size, len(first))])


def _features(table: pa.Table, choice: Choice) -> tuple[dict[str, str], list[str]]:
    """Return the kinds of the columns to learn from, and notes on those that are left out."""
    names = [name for name in choice.only or table.column_names if name != choice.target]
    kinds, notes = {}, []
    for name in names:
        if name in choice.exclude:
            continue
        column = table.column(name)
        kind = EMPTY if column.null_count == len(column) else kind_of(name, column.type)
        reason = _useless(column, kind, named=bool(choice.only))
        if reason is None:
            kinds[name] = kind
        else:
            notes.append(f"column '{name}' is left out: {reason}")
    if not kinds:
        raise CommandError(
            "no column is left to learn from: " + ("; ".join(notes) or "the target is the only one")
        )
    return kinds, notes


def _useless(column: Any, kind: str, *, named: bool) -> str | None:
    """Return why nothing can be learnt from a column, if so."""
    from pyarrow import types

    if kind == EMPTY:
        return "it has no values"
    if named or len(column) < 10 or column.null_count:
        return None
    if types.is_integer(column.type) and (np.diff(column.to_numpy()) == 1).all():
        return "it numbers the rows (to use it, list the columns by --only)"
    if kind == TEXT and _all_different_words(column):
        return "it looks like an identifier, different in every row (to use it, list the columns by --only)"
    return None


def _all_different_words(column: Any) -> bool:
    texts = column.to_pylist()
    return len(set(texts)) == len(texts) and not any(" " in text.strip() for text in texts)
