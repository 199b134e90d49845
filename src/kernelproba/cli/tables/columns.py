"""Kinds of columns: what a model remembers of a column's type, and how such a column is read again.

A file has no types (CSV) or too many (Parquet).  A model keeps one of a few kinds for each column that it was
fitted on, and a column is read as that kind whatever else a chunk of it might look like.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kernelproba.cli.errors import CommandError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

NUMBER, FLAG, DATE, MOMENT, TIME, TEXT, EMPTY = "number", "flag", "date", "moment", "time", "text", "empty"

#: Microseconds in a second.
_MICRO = 1e6


def kind_of(name: str, type_: pa.DataType) -> str:
    """Return the kind of a column of an Arrow type.

    Parameters
    ----------
    name : str
        Of the column, for the error.
    type_ : DataType
        As read.
    """
    from pyarrow import types

    if types.is_dictionary(type_):
        return kind_of(name, type_.value_type)
    tests = {
        NUMBER: (types.is_integer, types.is_floating, types.is_decimal, types.is_duration),
        FLAG: (types.is_boolean,),
        MOMENT: (lambda each: types.is_timestamp(each) and each.tz is not None,),
        DATE: (types.is_timestamp, types.is_date),
        TIME: (types.is_time,),
        TEXT: (types.is_string, types.is_large_string, types.is_string_view),
        EMPTY: (types.is_null,),
    }
    for kind, accepted in tests.items():
        if any(test(type_) for test in accepted):
            return kind
    raise CommandError(
        f"column '{name}' holds values of type {type_}, which cannot be learnt from: leave it out by "
        f"--exclude '{name}', or turn it into numbers or text"
    )


def reading_type(kind: str) -> pa.DataType:
    """Return the Arrow type as which a column of a kind is read."""
    import pyarrow as pa

    return {
        NUMBER: pa.float64(),
        FLAG: pa.bool_(),
        DATE: pa.timestamp("us"),
        MOMENT: pa.timestamp("us", tz="UTC"),
        TIME: pa.time64("us"),
        TEXT: pa.string(),
        EMPTY: pa.string(),
    }[kind]


def to_frame(table: pa.Table | pa.RecordBatch, kinds: Mapping[str, str]) -> pd.DataFrame:
    """Return the columns that have a kind as a data frame of numbers, dates and texts.

    Parameters
    ----------
    table : Table or RecordBatch of n rows
        As read, with at least these columns.
    kinds : mapping of str to str
        Name → kind, in the order of the model.

    Returns
    -------
    frame : DataFrame of shape (n, len(kinds))
        With the index 0, …, n − 1.
    """
    import pandas as pd

    return pd.DataFrame(
        {name: _values(name, table.column(name), kind) for name, kind in kinds.items()},
        index=pd.RangeIndex(table.num_rows),
    )


def _values(name: str, column: Any, kind: str) -> Any:
    """Return a column for a data frame: numbers, flags and times of day as float64."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_duration(column.type):
        column = column.cast(pa.int64())
    try:
        column = column.cast(reading_type(kind), safe=kind != NUMBER)
    except pa.ArrowInvalid as error:
        raise CommandError(
            f"column '{name}' cannot be read as {kind}, which it was when the model was fitted: {error}"
        ) from None
    if kind in (NUMBER, FLAG):
        return column.cast(pa.float64()).to_numpy(**_copying(column))
    if kind == TIME:
        return column.cast(pa.int64()).cast(pa.float64()).to_numpy(**_copying(column)) / _MICRO
    series = column.to_pandas()
    return series.dt.tz_localize(None) if kind == MOMENT else series


def _copying(column: Any) -> dict[str, bool]:
    """Return the argument that lets an array with missing values become NaN; chunked arrays take none."""
    import pyarrow as pa

    return {} if isinstance(column, pa.ChunkedArray) else {"zero_copy_only": False}
