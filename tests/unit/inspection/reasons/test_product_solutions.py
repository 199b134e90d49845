"""Contributions of columns by short cuts are those of all sets of columns, one by one."""

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator

from kernelproba import (
    ConformalClassifier,
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    TableClassifier,
)
from kernelproba.inspection import column_contributions
from kernelproba.inspection.reasons import (
    coalitions,
    columns,
    moments,
    product_game,
    product_scores,
    sampled_orders,
    shared_sets,
)
from kernelproba.inspection.reasons import product_solutions as ways
from kernelproba.inspection.reasons.product_solutions import is_product_game


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
        context.setattr(
            columns, "product_solutions", lambda _model, _rows, labels, _rng: [None] * len(labels)
        )
        return column_contributions(*arguments, **options)


MODELS = {
    "rbf": KernelLogisticRegression(C=10, gamma=0.01),
    "rough": KernelLogisticRegression(kernel="laplacian", gamma=0.05),
    "linear": KernelLogisticRegression(kernel="linear"),
    "a scale per column": KernelLogisticRegression(kernel="rbf", gamma="scale", n_centers=20, random_state=0),
    "pool": KernelLogisticRegressionCV(random_state=0),
}


def assert_alike(found, expected, atol=1e-8):
    joined = found.merge(expected, on=["explained", "column"], suffixes=("", "_all"))
    assert len(joined) == len(found)
    np.testing.assert_allclose(joined["contribution"], joined["contribution_all"], atol=atol)


@pytest.mark.parametrize("integral", [-1.0, np.inf], ids=["integrals", "moments"])
@pytest.mark.parametrize("label", ["no", "yes"])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_both_ways_of_two_classes_are_sums_over_all_sets(model, label, integral, monkeypatch):
    X, y = problem()
    model.fit(X, y)
    assert is_product_game(model)
    monkeypatch.setattr(ways, "integral_seconds", lambda *_: integral)
    found = column_contributions(model, X[:2], X[30:], label=label)
    assert (found["error"] == 0).all()
    assert_alike(found, by_all_sets(monkeypatch, model, X[:2], X[30:], label=label))


@pytest.mark.parametrize(
    ("shared", "grid"),
    [(-1.0, np.inf), (np.inf, -1.0), (np.inf, np.inf)],
    ids=["shared sets", "grid of levels", "games of rows"],
)
@pytest.mark.parametrize("label", [None, "maybe"])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_all_ways_of_three_classes_are_sums_over_all_sets(model, label, shared, grid, monkeypatch):
    X, y = problem()
    y = np.where(X[:, 3] > 3, "maybe", y)
    X[:, 4:7] = X[:, 4:7] > 0  # so that rows share some values with those explained
    if grid < 0:
        X[:, :4], X[:, 7:] = np.sign(np.round(X[:, :4])), X[:, 7:] > 0
    model.fit(X, y)
    monkeypatch.setattr(ways, "shared_seconds", lambda *_: shared)
    monkeypatch.setattr(ways, "grid_seconds", lambda *_: grid)
    found = column_contributions(model, X[:3], X[30:], label=label)
    assert (found["error"] == 0).all()
    assert_alike(found, by_all_sets(monkeypatch, model, X[:3], X[30:], label=label))


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_orders_that_are_drawn_are_right_within_their_errors(model, monkeypatch):
    X, y = problem()
    y = np.where(X[:, 3] > 3, "maybe", y)
    model.fit(X, y)
    monkeypatch.setattr(ways, "_AFFORDABLE", 0.0)
    monkeypatch.setattr(sampled_orders, "_PASSES", 64)
    found = column_contributions(model, X[:2], X[30:], label="yes")
    expected = by_all_sets(monkeypatch, model, X[:2], X[30:], label="yes")
    joined = found.merge(expected, on=["explained", "column"], suffixes=("", "_all"))
    gaps = abs(joined["contribution"] - joined["contribution_all"])
    assert (gaps <= 5 * joined["error"] + 1e-8).all()
    assert joined["error"].max() < 0.02 * abs(joined["contribution"]).max()
    sums = found.groupby("explained")["contribution"].sum()
    np.testing.assert_allclose(sums, expected.groupby("explained")["contribution"].sum(), atol=1e-8)


def test_blocks_of_centres_do_not_change_the_shares(monkeypatch):
    X, y = problem()
    three = np.where(X[:, 3] > 3, "maybe", y)
    for labels in (y, three):
        model = KernelLogisticRegressionCV(random_state=0).fit(X, labels)
        whole = column_contributions(model, X[:2], X[30:])
        with monkeypatch.context() as context:
            for module in (product_scores, sampled_orders):
                context.setattr(module, "CELLS", 2000)
            for module in (coalitions, moments, product_game, shared_sets):
                context.setattr(module, "BLOCK", 500)
            context.setattr(moments, "_LEAST_CENTERS", 1)
            context.setattr(ways, "_ROWS", 1)
            assert_alike(column_contributions(model, X[:2], X[30:]), whole, atol=1e-10)


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


def test_a_model_with_sets_of_labels_has_the_contributions_of_the_model_inside():
    X, y = table()
    inner = TableClassifier(KernelLogisticRegression(C=10)).fit(X, y)
    model = ConformalClassifier(FrozenEstimator(inner), method="cv+").fit(X, y)
    assert is_product_game(model)
    pd.testing.assert_frame_equal(
        column_contributions(model, X[:2], X), column_contributions(inner, X[:2], X)
    )
