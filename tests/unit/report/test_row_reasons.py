"""Reasons of rows in a report."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris

from kernelproba import KernelLogisticRegression
from kernelproba.inspection import column_contributions
from kernelproba.report.row_reasons import RowReasons
from kernelproba.report.summary import summarise


@pytest.fixture(scope="module")
def fitted():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return KernelLogisticRegression(gamma=0.5).fit(X[::2], y[::2]), X, y


def test_the_columns_that_move_a_row_most_are_named(fitted):
    model, X, _ = fitted
    found = RowReasons(model, X[1::2], X[::2], model.classes_).of(30, 1)
    lines = column_contributions(model, X[1::2].iloc[30:31], X[::2], label=1, n_background=10)
    expected = lines[lines["term"] == "column"][:3]
    assert [each["column"] for each in found] == expected["column"].tolist()
    assert [each["contribution"] for each in found] == pytest.approx(expected["contribution"].tolist())


def test_a_report_tells_why_its_doubtful_rows_are_what_they_are(fitted):
    model, X, y = fitted
    summary = summarise(model, X[1::2], y[1::2], training=(X[::2], y[::2]))
    assert [len(row["reasons"]) for row in summary["doubtful_rows"]] == [3] * 6 + [0] * 6
    assert all(row["reasons"] for row in summary["doubted_labels"][:6])


def test_rows_whose_columns_have_no_reasons_get_none(fitted):
    _, X, y = fitted
    wide = np.hstack([X] * 20)
    model = KernelLogisticRegression().fit(wide, y)
    assert RowReasons(model, wide, wide, model.classes_).of(0, 0) == []
    sparse = csr_array(X.to_numpy())
    model = KernelLogisticRegression().fit(sparse, y)
    assert RowReasons(model, sparse, sparse, model.classes_).of(0, 0) == []
