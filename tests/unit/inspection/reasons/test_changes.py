"""The smallest change that alters a decision: it alters it, it is observed, and none smaller does."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from kernelproba import TableClassifier
from kernelproba.inspection import smallest_change


def test_one_column_suffices_where_one_decides():
    X = np.random.default_rng(0).uniform(size=(200, 3))
    model = DecisionTreeClassifier().fit(X, X[:, 1] > 0.5)
    row = np.array([[0.2, 0.1, 0.3]])
    lines = smallest_change(model, row, X)
    assert lines["column"].tolist() == [1]
    assert lines["changed"][0] in X[:, 1]
    assert lines["class"][0]
    # No value of the sample is nearer than a step of the 50 that are tried.
    assert 0.5 < lines["changed"][0] < 0.54


def test_two_columns_change_where_one_does_not_suffice():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 4))
    model = LogisticRegression(C=1e3).fit(X, X[:, 0] + X[:, 1] > 1.2)
    lines = smallest_change(model, np.array([[0.05, 0.05, 0.5, 0.5]]), X)
    assert sorted(lines["column"]) == [0, 1]
    changed = np.array([[0.05, 0.05, 0.5, 0.5]])
    changed[0, lines["column"].astype(int)] = lines["changed"]
    assert model.predict(changed)[0]


def test_a_change_to_a_class_that_is_wanted():
    X = np.random.default_rng(0).uniform(size=(200, 2))
    y = np.digitize(X[:, 0], [0.33, 0.66])
    model = DecisionTreeClassifier().fit(X, y)
    lines = smallest_change(model, np.array([[0.1, 0.5]]), X, label=2)
    assert lines["class"].tolist() == [2]
    assert lines["changed"][0] > 0.66
    assert smallest_change(model, np.array([[0.9, 0.5]]), X, label=2).empty


def test_nothing_is_said_where_nothing_observed_turns_the_decision():
    X = np.random.default_rng(0).uniform(size=(100, 2))
    model = DecisionTreeClassifier().fit(np.vstack([X, [[9.0, 9.0]]]), [0] * 100 + [1])
    assert smallest_change(model, X[:2], X).empty


def test_what_is_missing_may_become_a_number_or_a_level():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "dose": pd.array(rng.integers(0, 9, 80), dtype="Int64"),
            "smokes": pd.array(rng.random(80) < 0.5, dtype="boolean"),
        }
    )
    y = np.where(table["dose"] > 4, "yes", "no")
    model = TableClassifier(LogisticRegression()).fit(table, y)
    row = pd.DataFrame({"dose": [pd.NA], "smokes": [pd.NA]}).astype(table.dtypes)
    lines = smallest_change(model, row, table)
    assert "dose" in lines["column"].tolist()
    assert model.predict(row)[0] != lines["class"][0]


def test_texts_that_utf8_cannot_write_may_change():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"sign": pd.Series(["\ud83d", "plain"] * 20, dtype=object)})
    model = TableClassifier(LogisticRegression()).fit(table, ["odd", "even"] * 20)
    lines = smallest_change(model, table.iloc[:1], table)
    assert lines[["value", "changed", "class"]].to_numpy().tolist() == [["\ud83d", "plain", "even"]]


def test_levels_and_dates_of_a_table_may_change():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "town": rng.choice(["Ulm", "Bonn", None], 120),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 500, 120), unit="D"),
        }
    )
    by_town = np.where(table["town"] == "Ulm", "yes", "no")
    model = TableClassifier(LogisticRegression()).fit(table, by_town)
    row = table[table["town"] == "Bonn"].iloc[:1]
    lines = smallest_change(model, row, table)
    assert lines[["column", "value", "changed", "class"]].to_numpy().tolist() == [
        ["town", "Bonn", "Ulm", "yes"]
    ]
    assert lines["explained"].tolist() == row.index.tolist()
