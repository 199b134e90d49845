"""Scores as sums of products over columns are the model's scores."""

import numpy as np
import pytest

from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV
from kernelproba.inspection.reasons import product_scores
from kernelproba.inspection.reasons.product_scores import ProductScores, has_product_scores


def problem(n=50):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 6))
    X[:, 4:] = X[:, 4:] > 0
    return X, np.where(X[:, 3] > 0.8, 2, X[:, 0] * X[:, 1] > 0)


GROUPS = np.array([0, 0, 1, 3, 4, 4])  # the third of five players has no column


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("cells", [100, 10_000_000])
def test_products_of_all_factors_are_the_scores(classes, cells, monkeypatch):
    monkeypatch.setattr(product_scores, "CELLS", cells)
    X, y = problem()
    X, y = (X, y) if classes == 3 else (X[y < 2], y[y < 2])
    model = KernelLogisticRegressionCV(random_state=0).fit(X, y)
    scores = ProductScores(model, GROUPS, X[:7])
    assert scores.players.tolist() == [0, 1, 3, 4]
    total = scores.additive.sum(axis=1).T + scores.intercept
    for factors in scores.factors:
        total = total + factors.values.prod(axis=0) @ factors.coef.T
    np.testing.assert_allclose(total, model._scores(X[:7]), atol=1e-10)
    np.testing.assert_allclose(scores.of_rows, total, atol=1e-10)


def test_a_player_differs_if_any_of_its_columns_does():
    X, y = problem()
    scores = ProductScores(KernelLogisticRegression().fit(X, y), GROUPS, X[[0, 0, 1]].copy())
    scores.rows[1, 5] += 1
    expected = [[False, False, False, True], [True, True, True, (X[0, 4:] != X[1, 4:]).any()]]
    assert scores.differs(0, np.array([1, 2])).tolist() == expected


def test_columns_whose_sums_agree_by_chance_are_told_apart(monkeypatch):
    values = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    monkeypatch.setattr(product_scores.np, "sqrt", lambda numbers: np.ones_like(numbers))
    first, place = product_scores._distinct(values)
    np.testing.assert_array_equal(values[first[place]], values)


def test_other_kernels_and_pairs_are_no_such_sums():
    X, y = problem()
    assert has_product_scores(KernelLogisticRegression(kernel="laplacian").fit(X, y))
    assert not has_product_scores(KernelLogisticRegression(kernel="poly").fit(X, y))
    assert not has_product_scores(KernelLogisticRegression(multi_class="pairwise").fit(X, y))
