"""Wrong arguments of reasons are named before anything is computed; silence is no answer."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from kernelproba import KernelLogisticRegression
from kernelproba.inspection import (
    column_contributions,
    error_slices,
    partial_dependence,
    permutation_importance,
    row_influence,
    smallest_change,
)
from kernelproba.tables import TableClassifier

X, y = load_iris(return_X_y=True)
MODEL = KernelLogisticRegression().fit(X, y)
COUNTS = {
    "n_background": lambda value: column_contributions(MODEL, X[:1], X, n_background=value),
    "max_columns": lambda value: smallest_change(MODEL, X[:1], X, max_columns=value),
    "n_values": lambda value: partial_dependence(MODEL, X, n_values=value),
    "n_repeats": lambda value: permutation_importance(MODEL, X, y, n_repeats=value),
    "max_rows": lambda value: permutation_importance(MODEL, X, y, max_rows=value),
    "top": lambda value: row_influence(MODEL, X[:1], top=value),
    "n_bins": lambda value: error_slices(y, MODEL.predict_proba(X), X, n_bins=value),
    "min_rows": lambda value: error_slices(y, MODEL.predict_proba(X), X, min_rows=value),
}
REASONS = {
    "contributions": lambda rows, model=MODEL: column_contributions(model, rows, X),
    "change": lambda rows, model=MODEL: smallest_change(model, rows, X),
    "dependence": lambda rows, model=MODEL: partial_dependence(model, rows),
    "importance": lambda rows, model=MODEL: permutation_importance(model, rows, y[:2]),
}


@pytest.mark.parametrize("value", [0, -1, 2.5, "a", np.nan, True])
@pytest.mark.parametrize("name", COUNTS)
def test_what_is_no_count_is_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"{name} must be a whole number"):
        COUNTS[name](value)


@pytest.mark.parametrize("rows", [X[0], X[None], 3.0, X[:0]], ids=["1d", "3d", "scalar", "none"])
@pytest.mark.parametrize("reason", REASONS)
def test_rows_without_columns_or_none_at_all_are_refused(reason, rows):
    with pytest.raises(ValueError, match=r"X must have shape|X has no rows"):
        REASONS[reason](rows)


@pytest.mark.parametrize("reason", REASONS)
def test_what_cannot_be_asked_is_refused(reason):
    with pytest.raises(ValueError, match="pass dense rows"):
        REASONS[reason](sp.csr_array(X[:2]))
    with pytest.raises(ValueError, match="model=None has no predict_proba"):
        REASONS[reason](X[:2], None)
    with pytest.raises(NotFittedError):
        REASONS[reason](X[:2], KernelLogisticRegression())


@pytest.mark.parametrize("reason", [column_contributions, smallest_change])
def test_a_background_of_other_columns_is_refused(reason):
    with pytest.raises(ValueError, match="equally many columns"):
        reason(MODEL, X[:1], X[:, :2])
    with pytest.raises(ValueError, match="background has no rows"):
        reason(MODEL, X[:1], X[:0])
    with pytest.raises(ValueError, match="same columns, but only one has 'a'"):
        reason(MODEL, pd.DataFrame(X, columns=list("abcd")), pd.DataFrame(X, columns=list("bcde")))


def test_a_column_that_lacks_is_not_taken_for_missing_values():
    table = pd.DataFrame(X, columns=list("abcd")).assign(e=y.astype(str))
    model = TableClassifier(LogisticRegression(max_iter=1000)).fit(table, y)
    with pytest.raises(ValueError, match="equally many columns"):
        smallest_change(model, table[:1].drop(columns="a"), table)


def test_rows_may_come_as_arrays_beside_a_frame_and_as_lists():
    table = pd.DataFrame(X, columns=list("abcd"))
    model = KernelLogisticRegression().fit(table, y)
    expected = smallest_change(model, table[70:71], table)
    found = smallest_change(model, X[70:71], table)
    assert found[["column", "changed"]].equals(expected[["column", "changed"]])
    by_list = column_contributions(MODEL, X[:1].tolist(), X.tolist(), n_background=10)
    assert by_list.equals(column_contributions(MODEL, X[:1], X, n_background=10))


@pytest.mark.parametrize("columns", ["a", 3, ["zz"]])
def test_columns_that_are_none_are_named(columns):
    with pytest.raises(ValueError, match=r"columns (must be a list|holds 'zz')"):
        smallest_change(MODEL, X[:1], X, columns=columns)
    with pytest.raises(ValueError, match=r"columns (must be a list|holds 'zz')"):
        partial_dependence(MODEL, X, columns)


def test_labels_in_a_column_are_labels():
    flat, column = (permutation_importance(MODEL, X, labels) for labels in (y, y[:, None]))
    assert flat.equals(column)
    with pytest.raises(ValueError, match="1d array"):
        permutation_importance(MODEL, X, np.c_[y, y])


def test_training_rows_that_are_too_few_are_refused():
    for argument, value in {"training": X[:3], "labels": y[:3]}.items():
        with pytest.raises(
            ValueError, match=f"{argument} has 3 rows, but the model was fitted on at least 150"
        ):
            row_influence(MODEL, X[:1], **{argument: value})


def test_one_row_has_no_interval_over_rows():
    with pytest.raises(ValueError, match="X has one row"):
        partial_dependence(MODEL, X[:1], interval="rows")


@pytest.mark.parametrize("rows", [None, X[:, 0], sp.csr_array(X)], ids=["none", "1d", "sparse"])
def test_slices_need_columns(rows):
    with pytest.raises(ValueError, match=r"X must have shape|pass dense rows"):
        error_slices(y, MODEL.predict_proba(X), rows)
