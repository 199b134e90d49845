"""What a column is taken for."""

import numpy as np
import pandas as pd
import pytest

from kernelproba.tables.columns import columns_of
from kernelproba.tables.kinds import kind_of, why_named_key

RNG = np.random.default_rng(0)

KINDS = {
    "number": (RNG.normal(size=60), "number"),
    "repeated whole numbers": (RNG.integers(0, 5, 60), "number"),
    "years": (np.arange(1950, 2010), "number"),
    "large different whole numbers": (RNG.integers(0, 10**9, 60), "number"),
    "category": (["a", "b", "c"] * 20, "category"),
    "sentences": ([f"the patient number {i} is well" for i in range(60)], "text"),
    "dates": (pd.date_range("2020-01-01", periods=60), "date"),
    "flags": ([True, False] * 30, "flag"),
    "nothing": ([None] * 60, "dropped"),
    "constant": ([3] * 60, "dropped"),
    "constant text": (["x"] * 60, "dropped"),
    "constant with gaps": ([3, None] * 30, "number"),
    "row numbers": (np.arange(60), "dropped"),
    "some row numbers, shuffled": (RNG.permutation(100)[:60], "dropped"),
    "names of rows": ([f"P{i:03}" for i in range(60)], "dropped"),
    "names of almost all rows": ([f"P{i:03}" for i in range(59)] + ["P000"], "dropped"),
}


@pytest.mark.parametrize(("values", "kind"), KINDS.values(), ids=KINDS)
def test_kind(values, kind):
    (column,) = columns_of(pd.DataFrame({"x": values}))
    found = kind_of(column, max_levels=50)
    assert found.kind == kind
    assert found.why


def test_a_name_that_says_identifier_settles_what_large_numbers_are():
    numbers = np.random.default_rng(1).choice(10**9, 60, replace=False)
    for name, kind in (("customer_id", "dropped"), ("PatientID", "dropped"), ("paid", "number")):
        (column,) = columns_of(pd.DataFrame({name: numbers}))
        assert kind_of(column, 50).kind == kind


def test_a_column_that_is_to_be_kept_is_kept():
    for values, kind in ((np.arange(60), "number"), ([f"P{i}" for i in range(60)], "text")):
        (column,) = columns_of(pd.DataFrame({"x": values}))
        assert kind_of(column, 50, keep=True).kind == kind


def test_more_levels_than_allowed_are_texts():
    (column,) = columns_of(pd.DataFrame({"x": [f"level {i}" for i in range(60)] * 3}))
    assert kind_of(column, max_levels=60).kind == "category"
    assert kind_of(column, max_levels=59).kind == "text"


def test_numbers_of_patients_who_come_back_are_named_and_other_numbers_are_not():
    visits = np.repeat(np.random.default_rng(1).choice(10**6, 30, replace=False), 2)
    for name, values, why in (
        ("ID", visits, "it is named like an identifier, with 30 different values in 60 rows"),
        (
            "patient_id",
            [f"P{i}" for i in visits],
            "it is named like an identifier, with 30 different values in 60 rows",
        ),
        ("ID", visits + 0.5, None),
        ("income", visits, None),
        ("id", visits % 3, None),
    ):
        (column,) = columns_of(pd.DataFrame({name: values}))
        assert why_named_key(column) == why


def test_a_constant_is_told_in_full():
    (column,) = columns_of(pd.DataFrame({"number": [1067444.0] * 60}))
    assert kind_of(column, 50).why == "it is always 1067444"
