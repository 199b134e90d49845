"""Influence of training rows: against fits without them."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelproba import (
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifier,
)
from kernelproba.inspection import row_influence


def scaled(load, n=70):
    X, y = load(return_X_y=True)
    chosen = np.random.default_rng(0).permutation(len(y))[: n + 4]
    X = StandardScaler().fit_transform(X[chosen])
    return X[:n], y[chosen][:n], X[n:]


SETS = {
    "moons": lambda: (*make_moons(70, noise=0.3, random_state=0), np.array([[0.5, 0.2], [1.0, 0.5], [0, 0]])),
    "cancer": lambda: scaled(load_breast_cancer),
    "iris": lambda: scaled(load_iris),
    "wine": lambda: scaled(load_wine),
}


def refitted(model, X, y, rows, k):
    """Log-odds of class k with all rows less those without each of them, of shape (rows, n)."""

    def odds(fitted):
        P = fitted.predict_proba(rows)[:, k]
        return np.log(P) - np.log1p(-P)

    without = [odds(model.fit(np.delete(X, i, axis=0), np.delete(y, i))) for i in range(len(y))]
    return (odds(model.fit(X, y)) - np.array(without)).T


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("name", SETS)
def test_influence_is_what_a_fit_without_the_row_changes(name, fit_intercept):
    X, y, rows = SETS[name]()
    model = KernelLogisticRegression(gamma=0.1, C=2.0, fit_intercept=fit_intercept, tol=1e-8)
    expected = refitted(model, X, y, rows, 1)
    lines = row_influence(model.fit(X, y), rows, label=1, top=None)
    found = lines.pivot(index="explained", columns="row", values="influence").to_numpy()
    assert found.shape == expected.shape
    for one, other in zip(found, expected, strict=True):
        assert np.corrcoef(one, other)[0, 1] > 0.95
    assert abs(found - expected).max() < 0.25 * abs(expected).max()


def test_probability_without_a_row_and_shares_belong_together():
    X, y, rows = SETS["iris"]()
    model = KernelLogisticRegression(gamma=0.1).fit(X, y)
    lines = row_influence(model, rows, top=None)
    P = model.predict_proba(rows).max(axis=1)[lines["explained"]]
    without = np.log(lines["probability"] / (1 - lines["probability"]))
    np.testing.assert_allclose(np.log(P / (1 - P)) - without, lines["influence"], atol=1e-8)
    assert lines.groupby("explained")["share"].sum().to_numpy() == pytest.approx(1)
    assert lines["share"].groupby(lines["explained"]).is_monotonic_decreasing.all()


def test_far_from_all_others_a_row_matters_most_and_speaks_for_its_label():
    X, y, _ = SETS["moons"]()
    X[3] = 5.0
    lines = row_influence(KernelLogisticRegression(gamma=2.0).fit(X, y), X[3:4], label=y[3], top=1, labels=y)
    assert lines["row"].tolist() == [3]
    assert lines["influence"][0] > 0
    assert lines["label"].tolist() == [y[3]]


def test_few_centres_span_what_is_fitted_again():
    X, y, rows = SETS["moons"]()
    model = KernelLogisticRegression(gamma=1.0, centers=X[:15], n_centers=15, tol=1e-8)
    expected = refitted(model, X, y, rows, 1)
    found = row_influence(model.fit(X, y), rows, label=1, top=None)
    found = found.pivot(index="explained", columns="row", values="influence").to_numpy()
    assert np.corrcoef(found.ravel(), expected.ravel())[0, 1] > 0.95


def test_copies_of_a_row_are_one_row_of_a_pool():
    X, y, rows = SETS["moons"]()
    twice, labels = np.vstack([X[:5], X]), np.append(y[:5], y)
    lines = row_influence(KernelLogisticRegressionCV(kernel="rbf").fit(twice, labels), rows, top=None)
    assert sorted(lines["row"].unique()) == [*range(5), *range(10, 75)]


def test_pools_and_pipelines_are_looked_into():
    pd = pytest.importorskip("pandas")
    X, y, rows = SETS["moons"]()
    table = pd.DataFrame(X, columns=["a", "b"], index=[f"row {number}" for number in range(70)])
    model = make_pipeline(StandardScaler(), KernelLogisticRegressionCV()).fit(table, y)
    lines = row_influence(model, pd.DataFrame(rows, columns=["a", "b"]), top=3, training=table, labels=y)
    assert len(lines) == 9
    assert set(lines["row"]) <= set(table.index)
    assert {"a", "b", "label"} <= set(lines.columns)


def test_models_without_such_formulas_are_refused():
    X, y, rows = SETS["iris"]()
    for model in (
        KernelLogisticRegression(multi_class="pairwise"),
        LeastSquaresProbabilisticClassifier(),
    ):
        with pytest.raises(ValueError, match="influence of single rows"):
            row_influence(model.fit(X, y), rows)
