"""Columns of frames and arrays as NumPy arrays of three types."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kernelproba.tables import TableError
from kernelproba.tables.columns import columns_of

DAY = datetime.date(2020, 2, 29)
MOMENT = datetime.datetime(2020, 2, 29, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))

VALUES = {
    "whole numbers": ([1, 2, 3], [1.0, 2.0, 3.0], None),
    "gaps": ([1.5, None, 3.0], [1.5, np.nan, 3.0], None),
    "flags": ([True, False, True], [1.0, 0.0, 1.0], "flag"),
    "flags with gaps": ([True, None, False], [1.0, np.nan, 0.0], "flag"),
    "texts": ([" a", None, ""], ["a", None, None], None),
    "days": ([DAY, None], [np.datetime64("2020-02-29"), np.datetime64("NaT", "us")], None),
    "moments": ([MOMENT, None], [np.datetime64("2020-02-29T10:00"), np.datetime64("NaT", "us")], None),
    "durations": ([datetime.timedelta(minutes=1), None, datetime.timedelta(0)], [60.0, np.nan, 0.0], None),
}


@pytest.mark.parametrize("library", [pd, pl])
@pytest.mark.parametrize(("given", "expected", "declared"), VALUES.values(), ids=VALUES)
def test_a_column_means_the_same_in_pandas_and_polars(library, given, expected, declared):
    (column,) = columns_of(library.DataFrame({"x": given}))
    assert column.name == "x"
    assert column.declared == declared
    assert column.missing.tolist() == [value is None or value != value for value in expected]
    known = ~column.missing
    assert column.values[known].tolist() == np.array(expected, dtype=column.values.dtype)[known].tolist()


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([1, None, 3], dtype="Int64"),
        pd.Series([1, None, 3], dtype="int64[pyarrow]"),
        pd.Series([Decimal(1), None, Decimal(3)]),
        pl.Series("x", [1, None, 3], dtype=pl.Int8),
        pl.Series("x", [Decimal(1), None, Decimal(3)]),
    ],
    ids=str,
)
def test_numbers_of_every_type_are_floats(series):
    frame = pd.DataFrame({"x": series}) if isinstance(series, pd.Series) else pl.DataFrame({"x": series})
    np.testing.assert_array_equal(columns_of(frame)[0].values, [1.0, np.nan, 3.0])


def test_categories_stay_categories_and_ordered_ones_keep_their_order():
    nominal = pd.Categorical([1, 2, None])
    ordered = pd.Categorical(["mid", "low", None], ["low", "mid", "high"], ordered=True)
    first, second = columns_of(pd.DataFrame({"a": nominal, "b": ordered}))
    assert (first.declared, first.values.tolist()) == ("category", ["1", "2", None])
    assert (second.declared, second.levels) == ("ordered", ("low", "mid", "high"))
    (third,) = columns_of(pl.DataFrame({"c": pl.Series(["u", None], dtype=pl.Categorical)}))
    assert (third.declared, third.values.tolist()) == ("category", ["u", None])


def test_columns_of_an_array_are_numbered():
    assert [column.name for column in columns_of(np.zeros((2, 3)))] == ["x0", "x1", "x2"]


def test_an_array_of_objects_may_mix_columns_of_numbers_and_of_texts():
    first, second = columns_of(np.array([[1, "a"], [None, "b"]], dtype=object))
    assert first.values.dtype == np.float64
    assert second.values.tolist() == ["a", "b"]


@pytest.mark.parametrize("value", [[1], {"a": 1}, np.zeros(2)], ids=["list", "dict", "array"])
def test_nested_values_are_refused_by_the_name_of_their_column(value):
    with pytest.raises(TableError, match="'tags'"):
        columns_of(pd.DataFrame({"tags": [value, None]}))
