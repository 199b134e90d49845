"""Columns of tables as nodes: what `kernelproba.tables.encoding` makes of numbers, categories and dates.

| kind of column        | input, of shape (n, 1)                           | missing |
|-----------------------|--------------------------------------------------|---------|
| number                | double                                           | NaN     |
| time of day           | double: seconds since midnight                   | NaN     |
| date                  | double: days since 1970-01-01, in UTC            | NaN     |
| category, ordered     | string, without blanks around it                 | ""      |
| flag                  | string: true or false                            | ""      |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kernelproba.onnx.errors import ConversionError
from kernelproba.onnx.graph import DOUBLE, ML_DOMAIN, Tensor
from kernelproba.tables.columns import CATEGORY, FLAG, ORDERED
from kernelproba.tables.encoding.categories import CategoryEncoder, OrderedEncoder
from kernelproba.tables.encoding.dates import CYCLES, MONDAY, DateEncoder
from kernelproba.tables.encoding.numbers import LIMIT, SQUASH, NumberEncoder
from kernelproba.tables.encoding.texts import TextEncoder
from kernelproba.tables.fitted_column import FittedColumn
from kernelproba.tables.kinds import DROPPED
from kernelproba.tables.readings import DATE, NUMBER, TEXT, TIME

#: Beyond so many limits a squashed number is at its limit, in double precision.
_END = 1e9


@dataclass(frozen=True)
class ColumnInput:
    """How a column enters a graph.

    Attributes
    ----------
    is_text : bool
        Whether it is a tensor of strings; else of double numbers.
    meaning : str
        What to put into it, for people.
    """

    is_text: bool
    meaning: str


INPUTS = {
    NUMBER: ColumnInput(False, "number; NaN if missing"),
    TIME: ColumnInput(False, "time of day: seconds since midnight; NaN if missing"),
    DATE: ColumnInput(False, "days since 1970-01-01 (UTC), with fractions; NaN if missing"),
    CATEGORY: ColumnInput(True, "text without blanks around it; empty if missing"),
    ORDERED: ColumnInput(True, "text without blanks around it; empty if missing"),
    FLAG: ColumnInput(True, "true or false; empty if missing"),
    TEXT: ColumnInput(True, "text; empty if missing"),
}


def column_input(column: FittedColumn) -> ColumnInput | None:
    """Return how a column enters a graph, None if the model does not use it."""
    kind = column.description.kind
    return None if kind == DROPPED or column.encoder is None else INPUTS[kind]


def encoded(column: FittedColumn, values: Tensor) -> Tensor:
    """Return a column (n, 1) as the numbers (n, k) that the model compares."""
    if isinstance(column.encoder, TextEncoder) and not values.graph.counts_letters:
        name = column.description.name
        raise ConversionError(
            f"column '{name}' is compared by its letters, which has no form in ONNX: fit without it "
            f"(--exclude '{name}'), or as a category (--kind '{name}=category')"
        )
    return _ENCODERS[type(column.encoder)](column.encoder, values)


def _numbers(encoder: NumberEncoder, values: Tensor) -> Tensor:
    graph = values.graph
    missing = graph("IsNaN", values)
    known = graph.where(missing, float(encoder.median_), values)
    z = (known.clip(encoder.low_, encoder.high_) - encoder.center_) / encoder.scale_
    if encoder.rule == SQUASH:
        t = (z / LIMIT).clip(-_END, _END)
        z = t / graph("Sqrt", t * t + 1.0) * LIMIT
    if not encoder.has_gaps_:
        return z
    return graph.concat([z, graph.where(missing, float(encoder.gap_scale_), 0.0)])


def _ordered(encoder: OrderedEncoder, values: Tensor) -> Tensor:
    ranks = {level: float(rank) for rank, level in enumerate(encoder.levels)}
    return _numbers(encoder, _looked_up(values, ranks, np.nan))


def _categories(encoder: CategoryEncoder, values: Tensor) -> Tensor:
    k = len(encoder.levels_) + encoder.pools_
    other = k - 1 if encoder.pools_ else k  # one past the end is nowhere
    place = {"" if level is None else level: float(j) for j, level in enumerate(encoder.levels_)}
    place |= (
        {"True": place["true"], "False": place["false"]} if set(place) - {""} == {"true", "false"} else {}
    )
    codes = _looked_up(values, place, float(other))
    graph = values.graph
    columns = graph.where(graph("Equal", codes, np.arange(k, dtype=np.float64)[np.newaxis]), 1.0, 0.0)
    if k == 2:
        return (columns.columns([1]) - columns.columns([0])) * float(np.sqrt(0.5))
    return columns


def _looked_up(values: Tensor, numbers: dict[str, float], otherwise: float) -> Tensor:
    """Return the number of each text, in double precision."""
    found = values.graph(
        "LabelEncoder",
        values,
        domain=ML_DOMAIN,
        keys_strings=list(numbers) or [""],
        values_floats=list(numbers.values()) or [otherwise],
        default_float=otherwise,
    )
    return found.cast(DOUBLE)


def _dates(encoder: DateEncoder, days: Tensor) -> Tensor:
    graph, number = days.graph, _numbers(encoder.days_, days)
    if not encoder.cycles_:
        return number
    filled = graph.where(graph("IsNaN", days), float(encoder.days_.median_), days)
    points = [axis for cycle in encoder.cycles_ for axis in _point(cycle, filled)]
    circle = (graph.concat(points) - encoder.mean_) / encoder.scale_
    gaps = [number.columns([1])] if encoder.has_gaps_ else []
    return graph.concat([number.columns([0]), circle, *gaps])


def _point(cycle: str, days: Tensor) -> tuple[Tensor, Tensor]:
    """Return sine and cosine of the place in a cycle."""
    graph, period = days.graph, CYCLES[cycle]
    if cycle == "weekday":
        days = graph("Floor", days - MONDAY)
    turn = (days - graph("Floor", days / period) * period) * (2 * np.pi / period)
    return graph("Sin", turn), graph("Sin", turn + np.pi / 2)


def _texts(encoder: TextEncoder, values: Tensor) -> Tensor:
    graph = values.graph
    if encoder.components_ is None:
        return graph.filled(values, np.zeros(1))
    counts, svd = encoder.components_.named_steps.values()
    pieces = counts.get_feature_names_out().tolist()
    found = graph("LetterFrequencies", values, pieces=pieces, idf=counts.idf_.tolist())
    return (found if svd == "passthrough" else found @ svd.components_.T) / encoder.scale_


_ENCODERS: dict[type, Callable[..., Tensor]] = {
    NumberEncoder: _numbers,
    OrderedEncoder: _ordered,
    CategoryEncoder: _categories,
    DateEncoder: _dates,
    TextEncoder: _texts,
}
