"""Contributions of columns: Shapley values, by brute force over all orders and by what is known of them."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from kernelproba import KernelLogisticRegression, TableClassifier
from kernelproba.inspection import column_contributions


def problem(d, n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * rng.normal(size=n) > 0).astype(int)


def brute_force(model, x, background, k):
    """Mean gain over all orders of the columns and all rows of the background; log-odds of class k."""
    d, shares, cache = len(x), np.zeros(len(x)), {}

    def value(members):
        if members not in cache:
            rows = background.copy()
            rows[:, sorted(members)] = x[sorted(members)]
            P = model.predict_proba(rows)[:, k]
            cache[members] = np.mean(np.log(P) - np.log1p(-P))
        return cache[members]

    orders = list(permutations(range(d)))
    for order in orders:
        for place, j in enumerate(order):
            before = frozenset(order[:place])
            shares[j] += (value(before | {j}) - value(before)) / len(orders)
    return value(frozenset()), shares


@pytest.mark.parametrize("k", [0, 1])
def test_six_columns_are_as_brute_force_has_them(k):
    X, y = problem(6)
    model = KernelLogisticRegression(C=3, gamma=0.2).fit(X, y)
    lines = column_contributions(model, X[:2], X[10:30], label=k)
    for row in (0, 1):
        own = lines[lines["explained"] == row]
        baseline, shares = brute_force(model, X[row], X[10:30], k)
        assert own["contribution"].iloc[0] == pytest.approx(baseline, abs=1e-9)
        found = own.iloc[1:].set_index("column")["contribution"]
        np.testing.assert_allclose(found[list(range(6))].astype(float), shares, atol=1e-8)
    assert (lines["error"] == 0).all()


@pytest.mark.parametrize("d", [6, 20])
def test_contributions_add_up_to_the_log_odds(d):
    X, y = problem(d)
    y = y + (X[:, 3] > 1)  # three classes
    model = KernelLogisticRegression(gamma=0.1).fit(X, y)
    lines = column_contributions(model, X[:3], X[20:45])
    P = model.predict_proba(X[:3]).max(axis=1)
    sums = lines.groupby("explained")["contribution"].sum()
    np.testing.assert_allclose(sums, np.log(P / (1 - P)), atol=1e-6)
    assert set(lines["class"]) <= set(model.predict(X[:3]))


def test_in_a_linear_model_a_contribution_is_slope_times_distance_from_the_mean():
    X, y = problem(12)
    model = LogisticRegression().fit(X, y)
    lines = column_contributions(model, X[:1], X, label=1)
    found = lines[lines["term"] == "column"].set_index("column")["contribution"]
    expected = model.coef_[0] * (X[0] - X.mean(axis=0))
    np.testing.assert_allclose(found[list(range(12))].astype(float), expected, atol=1e-8)


def test_sampled_contributions_are_within_their_errors_of_exact_ones(monkeypatch):
    X, y = problem(7)
    y = y + (X[:, 3] > 1)  # coupled pairs, whose scores are no sums of products
    model = KernelLogisticRegression(C=3, gamma=0.2, multi_class="pairwise").fit(X, y)
    exact = column_contributions(model, X[:1], X, label=1).set_index("column")
    monkeypatch.setattr("kernelproba.inspection.reasons.columns._EXACT", 0)
    sampled = column_contributions(model, X[:1], X, label=1).set_index("column")
    columns = list(range(7))
    gaps = (sampled["contribution"] - exact["contribution"])[columns]
    assert (sampled.loc[columns, "error"] > 0).all()
    assert (abs(gaps) < 4 * sampled.loc[columns, "error"]).all()


def test_a_column_that_does_not_differ_contributes_nothing_and_equal_ones_contribute_alike():
    X, y = problem(5)
    X[:, 4] = 2.0
    twins = np.column_stack([X, X[:, 0]])
    model = KernelLogisticRegression(gamma=0.2).fit(twins, y)
    found = column_contributions(model, twins[:1], twins).set_index("column")["contribution"]
    assert found[4] == pytest.approx(0, abs=1e-9)
    assert found[0] == pytest.approx(found[5], abs=1e-8)


def test_columns_of_a_table_are_named():
    pd = pytest.importorskip("pandas")
    X, y = problem(3)
    table = pd.DataFrame(X, columns=list("abc")).assign(town=np.where(X[:, 2] > 0, "Ulm", "Bonn"))
    model = TableClassifier(KernelLogisticRegression()).fit(table, y)
    lines = column_contributions(model, table[:2], table, n_background=15)
    assert set(lines["column"].iloc[1:5]) == {"a", "b", "c", "town"}
    P = model.predict_proba(table[:2]).max(axis=1)
    np.testing.assert_allclose(
        lines.groupby("explained")["contribution"].sum(), np.log(P / (1 - P)), atol=1e-6
    )


@pytest.mark.parametrize(
    ("options", "message"), [({"label": 7}, "no class"), ({"n_background": 0}, "n_background")]
)
def test_a_wrong_argument_is_named(options, message):
    X, y = problem(4)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match=message):
        column_contributions(model, X[:1], X, **options)


@pytest.mark.parametrize("size", [1e20, 1e154, 1e300])
def test_rows_farther_than_squares_can_tell_have_reasons_as_well(size):
    X = np.random.default_rng(0).standard_normal((30, 2))
    model = KernelLogisticRegression().fit(X, X[:, 0] > 0)
    with np.errstate(all="raise", under="ignore"):
        lines = column_contributions(model, size * X[:2], X)
    log_odds = lines.groupby("explained", sort=False)["contribution"].sum()
    P = model.predict_proba(size * X[:2]).max(axis=1)
    np.testing.assert_allclose(log_odds, np.log(P / (1 - P)), atol=1e-9)
