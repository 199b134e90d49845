"""Columns of Arrow tables: how they are to be read, and read so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from kernelproba.plain_text import shorten
from kernelproba.tables.columns import FLAG
from kernelproba.tables.date_styles import ISO
from kernelproba.tables.errors import TableError
from kernelproba.tables.number_styles import PLAIN
from kernelproba.tables.open_readings import open_question
from kernelproba.tables.readings import DATE, NUMBER, TEXT, TIME, Reading, recognise, recognise_as

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

#: Microseconds in a second.
_MICRO = 1e6


def reading_of(
    name: str,
    column: pa.ChunkedArray,
    given: object = None,
    *,
    decimal: str | None = None,
    day_first: bool | None = None,
) -> tuple[Reading, str]:
    """Return how a column is to be read, and why.

    Parameters
    ----------
    name : str
        Of the column, for errors.
    column : ChunkedArray
        As a file has it: of its own type, or texts.
    given : str, sequence of str or None
        Kind that the user gives it, or levels in their order.
    decimal, day_first
        As in `recognise`.
    """
    if given is not None and given not in (NUMBER, DATE, TIME):
        return Reading(), "you say so"
    typed = _typed_reading(name, column.type)
    if typed is not None and given in (None, typed.kind):
        return typed, "the file says so"
    distinct = _words(column).drop_null().unique().to_pylist()
    if given is None:
        return recognise(distinct, decimal=decimal, day_first=day_first)
    reading = recognise_as(str(given), distinct, decimal=decimal, day_first=day_first)
    if reading is None:
        raise TableError(f"column '{name}' is not of kind {given}: it holds {shorten(distinct[0], 40)!r}")
    return reading, "you say so"


def question_of(
    column: pa.ChunkedArray, reading: Reading, *, decimal: str | None = None, day_first: bool | None = None
) -> str | None:
    """Return what the texts of a column leave open, None if nothing; as `open_question`."""
    if reading.kind not in (NUMBER, DATE, TEXT) or not _is_text(column.type):
        return None
    distinct = _words(column).drop_null().unique().to_pylist()
    return open_question(distinct, reading, decimal=decimal, day_first=day_first)


def without_texts(table: pa.Table, absent: np.ndarray) -> pa.Table:
    """Return a table whose texts in some rows are missing: sums, units and remarks say nothing of others.

    Parameters
    ----------
    table : Table of n rows
        As read from a file.
    absent : ndarray of bool of shape (n,)
        Rows that are not used.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not absent.any():
        return table
    for number, field in enumerate(table.schema):
        if _is_text(field.type):
            kept = pc.if_else(pa.array(absent), pa.scalar(None, field.type), table.column(number))
            table = table.set_column(number, field, kept)
    return table


def to_frame(
    table: pa.Table | pa.RecordBatch, readings: Mapping[str, Reading], first: int = 1
) -> pd.DataFrame:
    """Return the columns that have a reading as a data frame of numbers, flags, dates and texts.

    Parameters
    ----------
    table : Table or RecordBatch of n rows
        With at least these columns.
    readings : mapping of str to Reading
        Name → how to read it.
    first : int, default=1
        Number of the first row in its file.

    Returns
    -------
    frame : DataFrame of shape (n, len(readings))
        With the index first, …, first + n − 1.
    """
    import pandas as pd

    index = pd.RangeIndex(first, first + table.num_rows)
    values = {name: read_values(name, table.column(name), each, first) for name, each in readings.items()}
    return pd.DataFrame(values, index=index)


def read_values(name: str, column: pa.ChunkedArray, reading: Reading, first: int = 1) -> pa.Array:
    """Return a column of n rows for a data frame, or complain of the first value that cannot be read.

    Parameters
    ----------
    name : str
        Of the column, for errors.
    column : ChunkedArray or Array
        As a file has it.
    reading : Reading
        How to read it.
    first : int, default=1
        Number of the first row in its file.
    """
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if reading.kind == TEXT:
        return _texts(_words(column))
    if reading.kind in (DATE, TIME) and _is_number(column.type):
        column = _whole(column)  # 20201231 is a date as its digits say, not microseconds of 1970
    elif not _is_text(column.type):
        return _typed_values(name, column, reading.kind)
    words = _words(column)
    if reading.kind == NUMBER and reading.style == PLAIN:
        try:
            return _numpy(words.cast(pa.float64()))
        except pa.ArrowInvalid:
            pass  # a gap, or a sign that only we know
    return _read_words(name, words, reading, first)


def _read_words(name: str, words: pa.ChunkedArray, reading: Reading, first: int) -> pa.Array:
    """Read texts, each distinct one once."""
    import pandas as pd
    import pyarrow as pa

    whole = words.combine_chunks() if isinstance(words, pa.ChunkedArray) else words
    encoded = whole.dictionary_encode()
    codes = _numpy(encoded.indices.fill_null(-1)).astype(np.intp)
    distinct = encoded.dictionary.to_pylist()
    values, readable = reading.values(distinct)
    bad = np.flatnonzero(~np.append(readable, True)[codes])
    if len(bad):
        others = f"the others of its column are{reading.written and ', '}{reading.written}"
        raise TableError(
            f"column '{name}', row {first + bad[0]:,} (the header is not counted): "
            f"{shorten(distinct[codes[bad[0]]], 40)!r} is no {reading.noun} as {others} (correct it, or "
            "leave it empty)"
        )
    missing = np.datetime64("NaT", "us") if reading.kind == DATE else np.nan
    read = np.append(values, np.array([missing], values.dtype))[codes]
    return pd.array(read, dtype="boolean") if reading.kind == FLAG else read


def _typed_values(name: str, column: pa.ChunkedArray, kind: str) -> pa.Array:
    """Return values that have a type of their own."""
    import pyarrow as pa

    if pa.types.is_duration(column.type):
        column = column.cast(pa.duration("us")).cast(pa.int64())
    try:
        if kind in (NUMBER, FLAG):
            numbers = _numpy(column.cast(pa.float64(), safe=False))
            return numbers if kind == NUMBER else _flags(numbers)
        if kind == TIME:
            return _numpy(column.cast(pa.time64("us")).cast(pa.int64()).cast(pa.float64())) / _MICRO
        if getattr(column.type, "tz", None) is not None:
            column = column.cast(pa.timestamp("us", tz="UTC")).cast(pa.timestamp("us"))
        return _numpy(column.cast(pa.timestamp("us"), safe=False)).astype("datetime64[us]")
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise TableError(
            f"column '{name}' cannot be read as {kind}, as it was in training: {error}"
        ) from None


def _flags(numbers: np.ndarray) -> pa.Array:
    import pandas as pd

    return numbers.astype(bool) if not np.isnan(numbers).any() else pd.array(numbers, dtype="boolean")


def _typed_reading(name: str, type_: pa.DataType) -> Reading | None:
    """Return the reading of a type; None for texts."""
    from pyarrow import types

    if types.is_dictionary(type_):
        return _typed_reading(name, type_.value_type) or Reading()
    if _is_text(type_) or types.is_null(type_):
        return None
    if types.is_boolean(type_):
        return Reading(FLAG)
    if types.is_timestamp(type_) or types.is_date(type_):
        return Reading(DATE, ISO)
    if types.is_time(type_):
        return Reading(TIME, "%H:%M:%S")
    tests = (types.is_integer, types.is_floating, types.is_decimal, types.is_duration)
    if any(test(type_) for test in tests):
        return Reading(NUMBER, PLAIN)
    raise TableError(
        f"column '{name}' holds values of type {type_}, which cannot be learnt from: leave it out by "
        f"--exclude '{name}', or turn it into numbers or text"
    )


def _is_number(type_: pa.DataType) -> bool:
    from pyarrow import types

    return types.is_integer(type_) or types.is_floating(type_)


def _whole(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return whole numbers without a point, other numbers as they are."""
    import pyarrow as pa

    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:
        return column


def _is_text(type_: pa.DataType) -> bool:
    from pyarrow import types

    return types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_)


def _words(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column as texts without blanks around them; a blank is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pc.utf8_trim_whitespace(column if _is_text(column.type) else column.cast(pa.string()))
    return pc.if_else(pc.equal(words, ""), pa.scalar(None, words.type), words)


def text_values(column: pa.ChunkedArray) -> list[str | None]:
    """Return a column of any type as texts, None where it is missing."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return _words(column).to_pylist()


def _texts(words: pa.ChunkedArray) -> np.ndarray:
    found = np.empty(len(words), dtype=object)
    found[:] = words.to_pylist()
    return found


def _numpy(column: pa.ChunkedArray) -> np.ndarray:
    """Return an array whose missing values are NaN; chunked arrays take no argument for that."""
    import pyarrow as pa

    return column.to_numpy() if isinstance(column, pa.ChunkedArray) else column.to_numpy(zero_copy_only=False)
