"""How a column matters: mean probabilities of rows whose column is set to one value after the other."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import partial_dependence as by_sklearn
from sklearn.linear_model import LogisticRegression

from kernelproba import KernelLogisticRegression
from kernelproba.inspection import partial_dependence
from kernelproba.tables import TableClassifier


def rows(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)).round(1)
    return X, (X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.normal(size=n) > 0).astype(int)


@pytest.mark.skipif(
    "custom_values" not in inspect.signature(by_sklearn).parameters,
    reason="this scikit-learn chooses the values itself",
)
def test_the_means_are_those_of_scikit_learn():
    X, y = rows()
    model = LogisticRegression().fit(X, y)
    ours = partial_dependence(model, X, [0], max_rows=200).query("`class` == 1")
    theirs = by_sklearn(
        model, X, [0], custom_values={0: ours["value"].to_numpy()}, kind="average", method="brute"
    )
    np.testing.assert_allclose(ours["probability"], theirs["average"][0], rtol=1e-12)


def test_only_values_that_occur_are_tried_in_order():
    X, y = rows()
    lines = partial_dependence(LogisticRegression().fit(X, y), X, [1], n_values=7).query("`class` == 0")
    assert np.isin(lines["value"], X[:, 1]).all()
    assert (np.diff(lines["value"]) > 0).all()
    assert len(lines) == 7


def test_levels_and_dates_are_tried_as_they_are():
    X, y = rows()
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(200), unit="D")
    table = pd.DataFrame({"town": np.where(X[:, 0] > 0, "here", "there"), "day": days})
    table.loc[5, "town"] = None
    model = TableClassifier(LogisticRegression()).fit(table, y)
    lines = partial_dependence(model, table, n_values=3)
    towns = lines[(lines["column"] == "town") & (lines["class"] == 1)]
    assert set(towns["value"]) == {"here", "there"}
    assert towns.set_index("value")["probability"].idxmax() == "here"
    assert isinstance(lines[lines["column"] == "day"]["value"].iloc[0], pd.Timestamp)


def test_intervals_are_those_of_the_model_where_it_has_them():
    X, y = rows(60)
    plain, sure = LogisticRegression().fit(X, y), KernelLogisticRegression().fit(X, y)
    assert partial_dependence(plain, X, [0]).attrs["interval"] == "rows"
    lines = partial_dependence(sure, X, [0], n_values=4)
    assert lines.attrs["interval"] == "model"
    first = lines.query("`class` == 1").iloc[0]
    changed = X.copy()
    changed[:, 0] = first["value"]
    ends = sure.predict_proba_interval(changed, 0.95)[:, 1].mean(axis=0)
    np.testing.assert_allclose(first[["low", "high"]].to_numpy(dtype=float), ends, atol=1e-12)
    assert ((lines["low"] <= lines["probability"]) & (lines["probability"] <= lines["high"])).all()


def test_a_column_without_values_has_no_lines():
    X, y = rows(60)
    table = pd.DataFrame({"a": X[:, 0], "empty": np.nan})
    model = TableClassifier(LogisticRegression()).fit(table, y)
    assert set(partial_dependence(model, table)["column"]) == {"a"}


def test_wrong_arguments_are_named():
    X, y = rows(60)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="columns holds 'x', which is no column of X"):
        partial_dependence(model, X, ["x"])
    with pytest.raises(ValueError, match="n_values must be a whole number and at least 2"):
        partial_dependence(model, X, n_values=1)
    with pytest.raises(ValueError, match="needs a model with predict_proba_interval"):
        partial_dependence(model, X, interval="model")
