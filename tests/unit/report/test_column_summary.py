"""What the report says of columns and slices, of models whose dependence is known."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from kernelproba import KernelLogisticRegression
from kernelproba.report.column_summary import describe_columns
from kernelproba.report.column_wording import (
    band_text,
    dependence_text,
    importance_text,
    slices_text,
    verdict,
)
from kernelproba.report.figures.columns import dependence_figure, importance_figure, slices_figure
from kernelproba.report.slice_summary import describe_slices
from kernelproba.tables import TableClassifier


@pytest.fixture(scope="module")
def table():
    """Age and town matter, the rest does not."""
    rng = np.random.default_rng(1)
    n = 600
    X = pd.DataFrame({"age": rng.uniform(20, 80, n), "town": rng.choice(["here", "there"], n)})
    X["noise"] = rng.normal(size=n)
    odds = (X["age"] - 50) / 8 + 2 * (X["town"] == "here")
    return X, np.where(odds + rng.logistic(size=n) > 0, "ill", "healthy")


@pytest.fixture(scope="module")
def model(table):
    X, y = table
    return TableClassifier(LogisticRegression()).fit(X[:300], y[:300])


def test_columns_are_named_by_what_they_matter_and_how(table, model):
    X, y = table
    found = describe_columns(model, X[300:], y[300:])
    assert [each["column"] for each in found["importance"]] == ["age", "town", "noise"]
    assert importance_text(found).startswith("The predictions owe most to “age” (+")
    assert "1 of 3 columns could be shuffled without clear loss" in importance_text(found)
    age, town = found["dependence"]
    assert "the probability of “ill” falls" not in dependence_text(age)
    assert "rises from" in dependence_text(age)
    assert "is largest for “here”" in dependence_text(town)
    assert "another draw of rows" in band_text(found)


def test_marks_of_the_curves_stand_where_their_numbers_say(table, model):
    X, y = table
    found = describe_columns(model, X[300:], y[300:])
    age, town = found["dependence"]
    dots = list(dependence_figure(age, 2).iter("circle"))
    assert len(dots) == len(age["values"]) == 12
    heights = [-float(dot.get("cy")) for dot in dots]
    assert heights == sorted(heights)
    assert len([*dependence_figure(town, 2).iter("circle")]) == 2
    assert len([*importance_figure(found["importance"]).iter("circle")]) == 3


def test_classes_that_a_column_moves_most_are_drawn():
    rng = np.random.default_rng(0)
    codes = np.arange(300) % 5
    X = np.column_stack([codes + 0.3 * rng.normal(size=300), rng.normal(size=300)])
    found = describe_columns(LogisticRegression(max_iter=500).fit(X, codes), X, codes)
    assert [each["column"] for each in found["importance"]] == ["x0", "x1"]
    assert {curve["name"] for curve in found["dependence"][0]["curves"]} >= {"0", "4"}
    assert len(found["dependence"][0]["curves"]) == 3


@pytest.mark.parametrize(
    ("X", "reason"),
    [
        (csr_array(np.eye(40)), "sparse"),
        (np.zeros((40, 300)), "300 columns"),
        (np.zeros((4, 2)), "4 rows are too few"),
    ],
)
def test_what_has_no_columns_to_shuffle_says_why(X, reason):
    y = np.arange(X.shape[0]) % 2
    found = describe_columns(LogisticRegression().fit(X, y), X, y)
    assert reason in found["reason"]
    assert found["importance"] == []


def test_a_precomputed_kernel_has_no_columns():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = (X[:, 0] > 0).astype(int)
    model = KernelLogisticRegression(kernel="precomputed").fit(X @ X.T, y)
    assert "precomputed" in describe_columns(model, X @ X.T, y)["reason"]


def test_a_model_that_uses_no_column_is_told_so(table):
    X, y = table
    y = np.random.default_rng(0).permutation(y)
    found = describe_columns(TableClassifier(LogisticRegression(C=1e-6)).fit(X, y), X, y)
    assert importance_text(found).startswith("No column matters clearly")
    assert found["dependence"] == []


def test_slices_are_told_in_words_with_what_was_to_be_expected(table, model):
    X, y = table
    X, y = X[300:], y[300:]
    swapped = np.where((X["town"] == "there") == (y == "ill"), "ill", "healthy")  # swapped where it is "here"
    classes = np.array(["healthy", "ill"])
    codes = (swapped == "ill").astype(int)
    found = describe_slices(codes, model.predict_proba(X), classes, X)
    assert "It errs most where “town” is equal to “here”" in slices_text(found)
    assert found["unexpected"][0]["slice"] == "equal to “here”"
    assert verdict(found["harder"][0]) == "harder than the model expects"
    figure = slices_figure(found["harder"], 0.5)
    assert len([each for each in figure.iter("line") if each.get("class") == "expected"]) == len(
        found["harder"]
    )


def test_slices_of_few_rows_are_not_judged(table, model):
    X, y = table
    found = describe_slices(
        (y[:15] == "ill").astype(int), model.predict_proba(X[:15]), np.array(["healthy", "ill"]), X[:15]
    )
    assert slices_text(found) == "There are too few rows to look at parts of them."
