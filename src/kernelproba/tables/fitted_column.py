"""One column of a table as a fitted encoder knows it: how it is read, what it is, what it becomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from kernelproba.plain_text import shorten
from kernelproba.tables.columns import CATEGORY, FLAG, ORDERED, Column
from kernelproba.tables.encoding.categories import CategoryEncoder, OrderedEncoder
from kernelproba.tables.encoding.dates import DateEncoder
from kernelproba.tables.encoding.numbers import NumberEncoder
from kernelproba.tables.encoding.texts import TextEncoder
from kernelproba.tables.errors import TableError
from kernelproba.tables.kinds import DROPPED, ColumnKind, kind_of
from kernelproba.tables.readings import (
    DATE,
    NUMBER,
    TEXT,
    TIME,
    Reading,
    distinct_texts,
    read_column,
    recognise,
    recognise_as,
)

#: A kind that a user gives a column: its name, or the levels of an ordered one; None to find it out.
Given = str | Sequence[str] | None


@dataclass(frozen=True)
class Rules:
    """By which columns are told apart and encoded; as in `TableEncoder`."""

    numbers: str
    max_levels: int
    min_count: int
    decimal: str | None
    day_first: bool | None
    read_texts: bool
    keep: Sequence[str]
    random_state: int


@dataclass(frozen=True)
class WeightedLabels:
    """What is known of n training rows beside their columns: weights (n,), and class numbers (n,) or None."""

    weight: NDArray
    labels: NDArray | None


@dataclass(frozen=True)
class FittedColumn:
    """A column that an encoder has learnt.

    Attributes
    ----------
    description : ColumnKind
        What it was taken for, and why.
    reading : Reading
        How texts in it are read.
    encoder : encoder or None
        What it becomes; None if it is left out.
    """

    description: ColumnKind
    reading: Reading
    encoder: BaseEstimator

    @classmethod
    def learn(cls, column: Column, given: Given, training: WeightedLabels, rules: Rules) -> FittedColumn:
        """Find out what a column of n rows is, and learn its encoding.

        Parameters
        ----------
        column : Column of n rows
            As it came.
        given : str, sequence of str or None
            Its kind, if the user has said so.
        training : WeightedLabels of n rows
            Of positive weight.
        rules : Rules
            For all columns.
        """
        reading, why = _reading(column, given, rules)
        column = _read(column, reading)
        description = _described(column, given, reading, why, rules)
        if description.kind == DROPPED:
            return cls(description, reading, None)
        if given is not None and not isinstance(given, str):
            column = replace(column, levels=tuple(map(str, given)))
        return cls(description, reading, _LEARNERS[description.kind](column, training, rules))

    def transform(self, column: Column) -> NDArray:
        """Return the column of n rows as numbers, (n, k)."""
        return self.encoder.transform(self._as_learnt(column).values)

    def unfamiliar(self, column: Column) -> NDArray:
        """Return which values of a column of n rows are unlike all of training, (n,)."""
        if self.encoder is None or isinstance(self.encoder, TextEncoder):
            return np.zeros(len(column.values), dtype=bool)
        return self.encoder.unfamiliar(self._as_learnt(column).values)

    def outside(self, column: Column) -> NDArray:
        """Return which numbers of a column of n rows are below or above all of training, (n,); no others."""
        if self.description.kind != NUMBER:
            return np.zeros(len(column.values), dtype=bool)
        return self.encoder.outside(self._as_learnt(column).values)

    def _as_learnt(self, column: Column) -> Column:
        """Return a column as the encoder takes it, or say why it cannot."""
        read = _read(column, self.reading)
        if (read.values.dtype.kind == "M") != (self.description.kind == DATE):
            if not read.missing.all():
                raise TableError(
                    f"column '{column.name}' was of kind {self.description.kind} in training, and now holds "
                    f"{'dates' if read.values.dtype.kind == 'M' else 'numbers'}"
                )
            read = Column(column.name, np.full(len(read.values), "NaT", "datetime64[us]"))
        return read

    def names(self) -> list[str]:
        """Return the names of what it becomes."""
        return [] if self.encoder is None else self.encoder.names(self.description.name)


def as_texts(column: Column) -> Column:
    """Return a column with numbers, dates and flags as texts."""
    if column.values.dtype == object:
        return column
    found = np.empty(len(column.values), dtype=object)
    word = _word(column)
    found[:] = [
        None if gap else word(value)
        for value, gap in zip(column.values.tolist(), column.missing, strict=True)
    ]
    return replace(column, values=found)


def _word(column: Column) -> Callable[[Any], str]:
    if column.declared == FLAG:
        return lambda value: "true" if value else "false"
    return _number_text if column.values.dtype.kind == "f" else str


def _number_text(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def _reading(column: Column, given: Given, rules: Rules) -> tuple[Reading, str]:
    """Return how a column is read, and why."""
    if given is None and column.declared == FLAG:
        return Reading(FLAG), ""
    if (
        given in (CATEGORY, TEXT, FLAG, DROPPED)
        or column.declared is not None
        or isinstance(given, list | tuple)
    ):
        return Reading(), ""
    if column.values.dtype != object and not (given == DATE and column.values.dtype.kind == "f"):
        return Reading(DATE, "ISO") if column.values.dtype.kind == "M" else Reading(NUMBER, "1234.5"), ""
    if given is None and not rules.read_texts:
        return Reading(), ""
    distinct, _ = distinct_texts(as_texts(column).values)
    options: dict[str, Any] = {"decimal": rules.decimal, "day_first": rules.day_first}
    if given is None:
        return recognise(distinct, **options)
    reading = recognise_as(str(given), distinct, **options)
    if reading is None:
        raise TableError(
            f"column '{column.name}' is not of kind {given}: it holds {shorten(distinct[0], 40)!r}"
        )
    return reading, ""


def _read(column: Column, reading: Reading) -> Column:
    """Return a column as a reading has it; complain of the first text that it cannot read."""
    if reading.kind == TEXT:
        return as_texts(column)
    if column.values.dtype.kind == "f" and reading.kind == FLAG:
        return as_texts(replace(column, declared=FLAG))
    if column.values.dtype.kind == "M" or (column.values.dtype.kind == "f" and reading.kind != DATE):
        return column
    read, bad = read_column(as_texts(column), reading)
    if len(bad):
        text = shorten(str(as_texts(column).values[bad[0]]), 40)
        raise TableError(f"column '{column.name}' holds {text!r}, which is no {reading.noun} as in training")
    return as_texts(read) if reading.kind == FLAG else read


def _described(column: Column, given: Given, reading: Reading, why: str, rules: Rules) -> ColumnKind:
    if given is not None:
        return ColumnKind(column.name, given if isinstance(given, str) else ORDERED, "you say so")
    found = kind_of(column, rules.max_levels, keep=column.name in rules.keep)
    if found.kind == DROPPED or reading.kind == TEXT or not why:
        return found
    kind = TIME if reading.kind == TIME else found.kind
    return replace(found, kind=kind, why=f"{why}; {found.why}" if kind == NUMBER else why)


_LEARNERS: dict[str, Callable[[Column, WeightedLabels, Rules], object]] = {
    NUMBER: lambda column, training, rules: NumberEncoder(rules.numbers).fit(column.values, training.weight),
    TIME: lambda column, training, rules: NumberEncoder(rules.numbers).fit(column.values, training.weight),
    FLAG: lambda column, training, _: CategoryEncoder(1).fit(as_texts(column).values, training.weight),
    CATEGORY: lambda column, training, rules: CategoryEncoder(rules.min_count).fit(
        as_texts(column).values, training.weight
    ),
    ORDERED: lambda column, training, _: OrderedEncoder(list(column.levels)).fit(
        column.values, training.weight
    ),
    DATE: lambda column, training, _: DateEncoder().fit(column.values, training.weight, training.labels),
    TEXT: lambda column, training, rules: TextEncoder(rules.random_state).fit(column.values, training.weight),
}
