"""Encoded rows of a table as the values that a reader knows, up to rounding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernelproba.tables.encoder import TableEncoder
from kernelproba.tables.encoding.categories import CategoryEncoder, OrderedEncoder
from kernelproba.tables.encoding.dates import DateEncoder
from kernelproba.tables.encoding.numbers import LIMIT, SQUASH, NumberEncoder

#: Digits of numbers that are not rounding.
_DIGITS = 11

#: A level that has no place of its own.
OTHER = "\uffff"

#: A value: a number (of days for dates, of seconds for times), a text, None if missing or not to be told.
Value = float | str | None


def decoded_columns(encoder: TableEncoder, Z: np.ndarray) -> dict[int, list[Value]]:
    """Return number of a column of the table → its values in encoded rows Z (n, k)."""
    found = {}
    for j, column in enumerate(encoder._fitted_):
        if column.encoder is not None:
            own = Z[:, encoder.source_ == j]
            decode = _DECODERS.get(type(column.encoder), _untold)
            found[j] = decode(column.encoder, own)
    return found


def rounded(value: float) -> Value:
    """Return a number without the digits that rounding has left; None for NaN."""
    if not np.isfinite(value):
        return None
    return float(f"{value:.{_DIGITS}g}")


def _numbers(encoder: NumberEncoder, Z: np.ndarray) -> list[Value]:
    z = Z[:, 0]
    if encoder.rule == SQUASH:
        z = z / np.sqrt(np.maximum(1 - np.square(z / LIMIT), np.finfo(float).tiny))
    values = z * encoder.scale_ + encoder.center_
    # What is far below the spread of a column is rounding.
    values = np.where(abs(values) < 1e-10 * encoder.scale_, 0.0, values)
    missing = Z[:, 1] > encoder.gap_scale_ / 2 if encoder.has_gaps_ else np.zeros(len(Z), dtype=bool)
    return [None if gap else rounded(value) for value, gap in zip(values.tolist(), missing, strict=True)]


def _ordered(encoder: OrderedEncoder, Z: np.ndarray) -> list[Value]:
    ranks = _numbers(encoder, Z)
    return [None if rank is None else str(encoder.levels[round(float(rank))]) for rank in ranks]


def _categories(encoder: CategoryEncoder, Z: np.ndarray) -> list[Value]:
    levels: list[Value] = [*encoder.levels_, *([OTHER] * encoder.pools_)]
    columns = np.column_stack([-Z, Z]) if len(levels) == 2 else Z
    best = columns.argmax(axis=1)
    return [levels[k] if row[k] > 0 else OTHER for k, row in zip(best.tolist(), columns, strict=True)]


def _dates(encoder: DateEncoder, Z: np.ndarray) -> list[Value]:
    own = np.column_stack([Z[:, :1], Z[:, -1:]]) if encoder.has_gaps_ else Z[:, :1]
    days = _numbers(encoder.days_, own)
    # To the second.
    return [None if day is None else round(float(day) * 86_400) / 86_400 for day in days]


def _untold(_encoder: object, Z: np.ndarray) -> list[Value]:
    return [None] * len(Z)


_DECODERS: dict[type, Callable[..., list[Value]]] = {
    NumberEncoder: _numbers,
    OrderedEncoder: _ordered,
    CategoryEncoder: _categories,
    DateEncoder: _dates,
}
