"""Reasons of every kernel classifier add up to the scores it decides by."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import kernelproba as kp
from kernelproba.inspection import explain

X, Y = load_iris(return_X_y=True)
X = X + 1e-3 * np.random.default_rng(0).normal(size=X.shape)
NEW = X[::20]


def totals(lines):
    """Sum of the contributions, (n, number of scores)."""
    sums = lines.groupby(["explained", "class", "against"], dropna=False, sort=False)["contribution"].sum()
    return sums.to_numpy().reshape(len(NEW), -1)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [kp.SparseKernelLogisticRegression(C=10), kp.LinearProgrammingMachine()],
    ids=lambda m: type(m).__name__,
)
def test_they_add_up_to_the_decision_function(model, classes):
    kept = classes > Y
    model.fit(X[kept], Y[kept])
    decision = model.decision_function(NEW).reshape(len(NEW), -1)
    np.testing.assert_allclose(totals(explain(model, NEW, top=3)), decision, atol=1e-8)


def test_of_two_densities_they_add_up_to_the_contrast():
    kept = Y < 2
    model = kp.MaximumContrastClassifier().fit(X[kept], Y[kept])
    sums = totals(explain(model, NEW, top=3))[:, 0]
    np.testing.assert_allclose(sums, model.decision_function(NEW), atol=1e-8)


@pytest.mark.parametrize("gamma", ["scale", [1.0, 2.0, 0.5]])
def test_of_densities_they_add_up_to_the_fields_of_bayes_rule(gamma):
    model = kp.KernelDensityClassifier(gamma=gamma).fit(X, Y)
    fields = np.exp(model.log_density(NEW)) * model.priors_
    np.testing.assert_allclose(totals(explain(model, NEW, top=3)), fields, atol=1e-8)


def test_of_least_squares_they_add_up_to_the_scores_before_clipping():
    model = kp.LeastSquaresProbabilisticClassifier(calibration=None).fit(X, Y)
    sums = np.maximum(totals(explain(model, NEW, top=3)), 0)
    np.testing.assert_allclose(sums / sums.sum(axis=1, keepdims=True), model.predict_proba(NEW), atol=1e-8)
