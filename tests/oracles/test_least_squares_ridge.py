"""LSPC is ridge regression on kernel features: scikit-learn's ridge, and its leave-one-out, agree."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.datasets import load_iris
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from kernelproba import LeastSquaresProbabilisticClassifier
from kernelproba.calibration import fit_power

X, y = load_iris(return_X_y=True)
WEIGHT = np.random.default_rng(0).random(150)


@pytest.mark.parametrize(("name", "function"), [("rbf", rbf_kernel), ("laplacian", laplacian_kernel)])
@pytest.mark.parametrize("alpha", [1e-4, 1e-1])
def test_coefficients_are_those_of_ridge_regression_on_the_indicators(name, function, alpha):
    model = LeastSquaresProbabilisticClassifier(alpha, kernel=name, gamma=0.3).fit(X, y, WEIGHT)
    for k in range(3):
        own = y[model.support_] == k
        Phi = function(X, model.support_vectors_[own], gamma=0.3)
        ridge = Ridge(alpha * WEIGHT.sum(), fit_intercept=False).fit(Phi, y == k, WEIGHT)
        np.testing.assert_allclose(Phi @ model.dual_coef_[k, own], ridge.predict(Phi), atol=1e-8)


def test_shared_centres_are_multi_output_ridge_regression():
    Z = X[::7]
    model = LeastSquaresProbabilisticClassifier(1e-3, gamma=0.3, centers=Z).fit(X, y)
    ridge = Ridge(1e-3 * 150, fit_intercept=False).fit(rbf_kernel(X, Z, gamma=0.3), np.eye(3)[y])
    np.testing.assert_allclose(model.dual_coef_, ridge.coef_, atol=1e-7)


def test_leave_one_out_scores_are_those_of_ridge_cv():
    Z, ridge = X[::7], 0.5  # RidgeCV keeps the ridge, not the penalty per row: α (n − 1) = 0.5
    Phi = rbf_kernel(X, Z, gamma=0.3)
    oracle = RidgeCV([ridge], fit_intercept=False, store_cv_results=True, scoring=None).fit(Phi, np.eye(3)[y])
    errors = oracle.cv_results_[..., 0]  # squared errors of rows left out
    model = LeastSquaresProbabilisticClassifier(ridge / 149, gamma=0.3, centers=Z).fit(X, y)
    Q = np.empty((150, 3))
    for i in range(150):  # one at a time, since iris has a pair of twins
        Q[i] = model.leave_one_out_scores(X[i : i + 1], y[i : i + 1])[0]
    np.testing.assert_allclose(np.square(Q - np.eye(3)[y]), errors, atol=1e-9)


def test_without_a_floor_the_power_is_temperature_scaling():
    rng = np.random.default_rng(0)
    F = 3 * rng.standard_normal((800, 4))
    labels = np.array([rng.choice(4, p=np.exp(log_softmax(0.4 * f))) for f in F])
    best = minimize_scalar(
        lambda t: -log_softmax(t * F, axis=1)[np.arange(800), labels].mean(),
        bounds=(0.1, 2),
        method="bounded",
    )
    power = fit_power(np.exp(log_softmax(F, axis=1)), labels, floors=(1e-300,))
    assert power.exponent == pytest.approx(best.x, rel=0.02)
