"""Exact contributions of columns by integrals are those of all sets of columns, one by one."""

import numpy as np
import pandas as pd
import pytest

from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV, TableClassifier
from kernelproba.inspection import column_contributions
from kernelproba.inspection.reasons import columns
from kernelproba.inspection.reasons.product_game import ProductGame, is_product_game


def problem(d=9, n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * np.arange(1, d + 1)
    return X, np.where(X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=n) > 0, "yes", "no")


def table():
    X, y = problem(6)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["town"] = np.where(X[:, 2] > 1, "Ulm", np.where(X[:, 3] > 1, "Bonn", "Köln"))
    frame.loc[::7, "b"] = np.nan
    frame["seen"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(len(y)) * 31, "D")
    return frame, y


def by_all_sets(monkeypatch, *arguments, **options):
    with monkeypatch.context() as context:
        context.setattr(columns, "_EXACT", 12)
        context.setattr(ProductGame, "of", lambda *_: None)
        return column_contributions(*arguments, **options)


MODELS = {
    "rbf": KernelLogisticRegression(C=10, gamma=0.01),
    "rough": KernelLogisticRegression(kernel="laplacian", gamma=0.05),
    "linear": KernelLogisticRegression(kernel="linear"),
    "a scale per column": KernelLogisticRegression(kernel="rbf", gamma="scale", n_centers=20, random_state=0),
    "pool": KernelLogisticRegressionCV(random_state=0),
}


@pytest.mark.parametrize("label", ["no", "yes"])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_integrals_are_sums_over_all_sets(model, label, monkeypatch):
    X, y = problem()
    model.fit(X, y)
    assert is_product_game(model)
    found = column_contributions(model, X[:2], X[30:], label=label)
    expected = by_all_sets(monkeypatch, model, X[:2], X[30:], label=label)
    assert (found["error"] == 0).all()
    keys = ["explained", "column"]
    joined = found.merge(expected, on=keys, suffixes=("", "_all"))
    assert len(joined) == len(found)
    np.testing.assert_allclose(joined["contribution"], joined["contribution_all"], atol=1e-8)


def test_columns_of_a_table_are_players_however_many_numbers_they_become(monkeypatch):
    X, y = table()
    model = TableClassifier(KernelLogisticRegression(C=10)).fit(X, y)
    found = column_contributions(model, X[:1], X[30:]).set_index("column")["contribution"]
    expected = by_all_sets(monkeypatch, model, X[:1], X[30:]).set_index("column")["contribution"]
    np.testing.assert_allclose(found[list(X.columns)], expected[list(X.columns)], atol=1e-8)


def test_many_columns_add_up_to_the_log_odds():
    X, y = problem(300)
    model = KernelLogisticRegression(C=100, gamma=1e-6).fit(X, y)
    lines = column_contributions(model, X[:1], X, label="yes")
    p = model.predict_proba(X[:1])[0, 1]
    assert lines["contribution"].sum() == pytest.approx(np.log(p / (1 - p)), abs=1e-6)
    assert (lines["error"] == 0).all()


def test_log_odds_of_three_classes_or_of_other_kernels_are_no_sums_of_products():
    X, y = problem()
    three = np.where(X[:, 3] > 3, "maybe", y)
    assert not is_product_game(KernelLogisticRegression().fit(X, three))
    assert not is_product_game(KernelLogisticRegression(kernel="poly").fit(X, y))
    assert not is_product_game(KernelLogisticRegression(multi_class="pairwise").fit(X, three))
