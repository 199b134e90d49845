"""Columns: what a data frame of any library holds, as NumPy arrays of three types.

float64          numbers; NaN is missing
datetime64[us]   dates and moments (in UTC); NaT is missing
object           texts, without blanks around them; None is missing
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelproba.estimators.base.validation import is_missing
from kernelproba.rows.protocol import Rows
from kernelproba.tables.errors import TableError
from kernelproba.typing import MatrixLike

if TYPE_CHECKING:
    import polars as pl

#: What a frame may say of a column by its type, beyond numbers, dates and texts.
FLAG, CATEGORY, ORDERED = "flag", "category", "ordered"

_DATE = np.dtype("datetime64[us]")


@dataclass(frozen=True)
class Column:
    """One column of n rows.

    Attributes
    ----------
    name : str
        For people.
    values : ndarray of shape (n,)
        Numbers, dates or texts, as the module says.
    declared : {"flag", "category", "ordered"} or None
        What the frame says of it.
    levels : tuple of str
        Of an ordered column, the lowest first.
    """

    name: str
    values: NDArray
    declared: str | None = None
    levels: tuple[str, ...] = ()

    @property
    def missing(self) -> NDArray:
        """Which values are missing, (n,)."""
        if self.values.dtype == object:
            return np.array([value is None for value in self.values], dtype=bool)
        return np.isnat(self.values) if self.values.dtype == _DATE else np.isnan(self.values)

    def at(self, rows: NDArray) -> Column:
        """Some of the rows."""
        return replace(self, values=self.values[rows])


def is_frame(X: MatrixLike) -> bool:
    """Whether X has named columns of types of their own, as frames of pandas and polars have."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "shape")


def arrow_as_pandas(X: MatrixLike) -> MatrixLike:
    """Return a table of Arrow as a frame of pandas, anything else as it is."""
    return X.to_pandas() if hasattr(X, "to_pandas") and not is_frame(X) else X


def check_in_memory(X: Any) -> None:
    """Refuse rows that are on disk or on other machines: what a column is shows in all of its values."""
    cures = {"compute": "X.compute()", "collect": "X.collect()"}  # frames of Dask, lazy ones of polars
    cure = next((call for method, call in cures.items() if hasattr(X, method)), None)
    if cure is None and not is_frame(X) and isinstance(X, Rows):  # a protocol takes long to ask
        cure = "kernelproba.tables.read_table(path) or pandas.read_parquet(path)"
    if cure is not None:
        raise TableError(
            f"a table must be in memory, not {type(X).__name__}: pass {cure}, or of many rows a sample"
        )


def columns_of(X: Any) -> list[Column]:
    """Return the columns of a frame or of an array.

    Parameters
    ----------
    X : DataFrame of pandas or polars, or array of shape (n, d)
        The columns of an array are called x0, x1, ….
    """
    if hasattr(X, "iloc"):
        return [_of_pandas(str(name), column) for name, column in X.items()]
    if hasattr(X, "get_columns"):
        return [_of_polars(series.name, series) for series in X.get_columns()]
    return [_of_array(f"x{j}", X[:, j]) for j in range(X.shape[1])]


def column_of(name: str, values: ArrayLike) -> Column:
    """Return a column from an array of NumPy, or of pandas where NumPy has no missing flags."""
    if isinstance(values, np.ndarray):
        return _of_array(name, values)
    import pandas as pd

    return _of_pandas(name, pd.Series(values))


def texts(values: Sequence[object] | NDArray) -> NDArray:
    """Return values as texts without blanks around them, None for what is missing or blank."""
    found = np.empty(len(values), dtype=object)
    if (distinct := _texts_alone(values)) is not None:
        bare = {text: text.strip() or None for text in distinct}
        found[:] = list(map(bare.get, values))
    else:
        found[:] = [None if is_missing(value) else (str(value).strip() or None) for value in values]
    return found


def _texts_alone(values: Sequence[object] | NDArray) -> set[str] | None:
    """The distinct texts of values that are nothing but texts and gaps, None for others.

    What is asked of distinct texts alone costs next to nothing, however many rows there are.
    """
    try:
        distinct = set(values)
    except TypeError:  # lists and the like
        return None
    texts = {value for value in distinct if isinstance(value, str)}
    return texts if all(map(is_missing, distinct - texts)) else None


def _of_array(name: str, values: NDArray) -> Column:
    """A column from a NumPy array of any type."""
    kind = values.dtype.kind
    if kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r}")
    if kind == "b":
        return Column(name, values.astype(np.float64), FLAG)
    if kind in "iuf":
        return Column(name, values.astype(np.float64))
    if kind == "M":
        return Column(name, values.astype(_DATE))
    if kind == "m":
        return Column(name, _seconds(values))
    return _of_objects(name, values)


def _of_pandas(name: str, series: Any) -> Column:
    dtype = series.dtype
    if hasattr(dtype, "categories"):
        levels = texts(dtype.categories.tolist())
        values = np.array([*levels, None], dtype=object)[series.cat.codes.to_numpy()]  # −1 is the last
        declared = (ORDERED, tuple(levels)) if dtype.ordered else (CATEGORY,)
        return Column(name, values, *declared)
    if hasattr(dtype, "freq"):  # periods count from their start
        series = series.dt.to_timestamp()
    elif dtype.kind == "M" and getattr(dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    if isinstance(dtype, np.dtype):
        return _of_array(name, series.to_numpy())
    if dtype.kind in "biuf":
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return Column(name, numbers, FLAG if dtype.kind == "b" else None)
    if dtype == "string" and dtype.kind == "O":  # no need to ask every text whether it is one
        return Column(name, texts(series.tolist()))
    return _of_array(name, series.to_numpy())


def _of_polars(name: str, series: pl.Series) -> Column:
    import polars as pl

    dtype = series.dtype
    if dtype in (pl.Categorical, pl.Enum):
        return Column(name, texts(series.to_list()), CATEGORY)
    if dtype == pl.Boolean or dtype.is_numeric():
        numbers = series.cast(pl.Float64).fill_null(np.nan).to_numpy()
        return Column(name, np.array(numbers), FLAG if dtype == pl.Boolean else None)
    if dtype == pl.Time:
        return Column(name, series.cast(pl.Int64).cast(pl.Float64).fill_null(np.nan).to_numpy() / 1e9)
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return _of_array(name, series.to_numpy())


def _of_objects(name: str, values: NDArray) -> Column:
    """A column of Python's objects: whatever all that are not missing have in common."""
    if _texts_alone(values):
        return Column(name, texts(values))
    known = [value for value in values if not is_missing(value)]
    if any(isinstance(value, list | dict | set | tuple | np.ndarray) for value in known):
        raise TableError(
            f"column '{name}' holds lists or the like, which cannot be learnt from: leave it out, or turn it "
            "into numbers or text"
        )
    if known and all(isinstance(value, bool | np.bool_) for value in known):
        return Column(name, _numbers(values), FLAG)
    if known and all(_is_number(value) for value in known):
        return Column(name, _numbers(values))
    if known and all(isinstance(value, datetime.date | np.datetime64) for value in known):
        return Column(name, np.array(list(_moments(values)), dtype=_DATE))
    return Column(name, texts(values))


def _numbers(values: NDArray) -> NDArray:
    return np.array([np.nan if is_missing(value) else _float(value) for value in values], dtype=np.float64)


def _float(value: Any) -> float:
    """A number of any type; one beyond double precision is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value > 0 or -1)


def _moments(values: NDArray) -> Iterator[object]:
    """Yield dates and moments without a time zone."""
    for value in values:
        if is_missing(value):
            yield np.datetime64("NaT", "us")
        elif getattr(value, "tzinfo", None) is not None:
            yield value.astimezone(datetime.UTC).replace(tzinfo=None)
        else:
            yield value


def _seconds(durations: NDArray) -> NDArray:
    return durations / np.timedelta64(1, "s")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | Decimal | np.number) and not isinstance(value, bool | np.bool_)
