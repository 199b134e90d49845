"""Kernel logistic regression against software that we did not write."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, log_expit
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process import kernels as gp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import scale

from kernelproba import KernelLogisticRegression, PairwiseCouplingClassifier
from kernelproba.estimators.kernel_logistic.exact import Options, fit_matrix
from kernelproba.kernels import RBF
from kernelproba.objective import DenseMatrix
from kernelproba.solvers import SOLVERS
from kernelproba.solvers.loo.logistic import logistic_loo_scores

every_solver = pytest.mark.parametrize("solver", ["irls", *SOLVERS])


@pytest.fixture(params=[load_breast_cancer, load_iris], ids=["binary", "multinomial"], scope="module")
def data(request):
    X, y = request.param(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.1, 3, size=len(y))
    return scale(X)[::3], y[::3], weight[::3]


def reference(**params):
    return LogisticRegression(**{"tol": 1e-12, "max_iter": 10_000, "solver": "newton-cholesky"} | params)


@every_solver
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_a_linear_kernel_is_linear_logistic_regression(data, solver, C):
    X, y, weight = data
    ours = KernelLogisticRegression(C, kernel="linear", solver=solver, tol=1e-7).fit(X, y, weight)
    theirs = reference(C=C).fit(X, y, weight)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    assert_allclose(ours.dual_coef_ @ ours.support_vectors_, theirs.coef_, atol=1e-5)


def test_without_an_intercept_too(data):
    X, y, _ = data
    ours = KernelLogisticRegression(kernel="linear", fit_intercept=False, tol=1e-8).fit(X, y)
    theirs = reference(C=1.0, fit_intercept=False).fit(X, y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("class_weight", ["balanced", "dict"])
def test_class_weights_mean_what_they_mean_in_scikit_learn(data, class_weight):
    X, y, _ = data
    if class_weight == "dict":
        class_weight = {label: 1.0 + label for label in np.unique(y)}
    ours = KernelLogisticRegression(kernel="linear", class_weight=class_weight, tol=1e-8).fit(X, y)
    theirs = reference(C=1.0, class_weight=class_weight).fit(X, y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


@every_solver
def test_an_rbf_kernel_is_logistic_regression_on_cholesky_features(data, solver):
    X, y, weight = data
    K = rbf_kernel(X, gamma=0.1)
    L = np.linalg.cholesky(K + 1e-13 * np.eye(len(K)))
    ours = KernelLogisticRegression(5.0, gamma=0.1, solver=solver, tol=1e-6).fit(X, y, weight)
    theirs = reference(C=5.0, solver="lbfgs", tol=1e-9).fit(L, y, weight)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(L), atol=1e-5)


def test_a_binary_fit_is_the_posterior_mode_of_a_gaussian_process():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X)[:200], y[:200]
    process = GaussianProcessClassifier(2.0 * gp.RBF(4.0), optimizer=None).fit(X, y)
    for kernel in (2.0 * RBF(4.0), 2.0 * gp.RBF(4.0)):
        ours = KernelLogisticRegression(C=1.0, kernel=kernel, fit_intercept=False, tol=1e-9).fit(X, y)
        # π at the mode of the Laplace approximation
        assert_allclose(expit(ours.decision_function(X)), process.base_estimator_.pi_, atol=1e-6)


def test_a_callable_and_a_precomputed_matrix_give_what_the_name_gives(data):
    X, y, _ = data
    P = KernelLogisticRegression(gamma=0.3, tol=1e-8).fit(X, y).predict_proba(X)
    K = rbf_kernel(X, gamma=0.3)
    for solver in ("auto", "irls"):
        by_function = KernelLogisticRegression(kernel=partial(rbf_kernel, gamma=0.3), solver=solver, tol=1e-8)
        assert_allclose(by_function.fit(X, y).predict_proba(X), P, atol=1e-6)
        precomputed = KernelLogisticRegression(kernel="precomputed", solver=solver, tol=1e-8)
        assert_allclose(precomputed.fit(K, y).predict_proba(K), P, atol=1e-6)


def test_single_precision_changes_no_probability_that_matters():
    X, y = load_digits(return_X_y=True)
    X = X / 16
    params = {"C": 10.0, "gamma": 0.1, "tol": 1e-4}
    single = KernelLogisticRegression(**params).fit(X, y)
    double = KernelLogisticRegression(**params | {"tol": 1e-6}).fit(X, y)
    assert_allclose(single.predict_proba(X), double.predict_proba(X), atol=1e-3)


def test_a_pair_s_score_is_that_of_the_binary_model():
    X, y = load_iris(return_X_y=True)
    model = KernelLogisticRegression(gamma=0.5, multi_class="pairwise", tol=1e-8).fit(X, y)
    for column, (i, j) in enumerate(combinations(range(3), 2)):
        both = (y == i) | (y == j)
        pair = KernelLogisticRegression(gamma=0.5, tol=1e-8).fit(X[both], y[both] == i)
        ours = model.pairwise_decision_function(X)[:, column]
        assert_allclose(ours, pair.decision_function(X), atol=1e-5)


def test_pairwise_is_the_meta_estimator_around_the_binary_model():
    X, y = load_iris(return_X_y=True)
    for coupling in ("wu-lin-weng", "hastie-tibshirani"):
        inside = KernelLogisticRegression(gamma=0.5, multi_class="pairwise", coupling=coupling, tol=1e-8)
        around = PairwiseCouplingClassifier(KernelLogisticRegression(gamma=0.5, tol=1e-8), coupling)
        assert_allclose(inside.fit(X, y).predict_proba(X), around.fit(X, y).predict_proba(X), atol=1e-6)


def test_approximate_leave_one_out_is_close_to_refits():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X)[::5], y[::5]
    weights = np.full(len(y), 2.0)
    K = rbf_kernel(X, gamma=0.03)
    for fit_intercept in (True, False):
        options = Options("irls", 1e-10, 200, fit_intercept)
        fit = fit_matrix(DenseMatrix(K), y, weights, options)
        f = K @ fit.dual[:, 0] + fit.intercept[0]
        approximate = logistic_loo_scores(K, f, y, weights, fit_intercept=fit_intercept)
        exact = []
        for i in range(len(y)):
            rest = np.delete(np.arange(len(y)), i)
            without = fit_matrix(DenseMatrix(K[np.ix_(rest, rest)]), y[rest], weights[rest], options)
            exact.append(K[i, rest] @ without.dual[:, 0] + without.intercept[0])
        losses = [-log_expit(np.where(y == 1, f, -f)) for f in (approximate, np.array(exact))]
        assert np.abs(losses[0] - losses[1]).mean() < 0.01
        assert np.corrcoef(*losses)[0, 1] > 0.99
