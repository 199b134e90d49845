"""The linear programming machine as its users meet it."""

import time

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel

from kernelproba.estimators.linear_programming_machine import LinearProgrammingMachine
from kernelproba.kernels import RBF


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def moons():
    return make_moons(150, noise=0.25, random_state=0)


def test_weights_have_the_sign_of_their_class(moons):
    X, y = moons
    model = LinearProgrammingMachine(C=10).fit(X, y)
    assert_array_equal(np.sign(model.dual_coef_[0]), 2 * y[model.support_] - 1)
    F = model.kernel_(X, model.support_vectors_) @ model.dual_coef_[0] + model.intercept_
    assert_allclose(model.decision_function(X), F, atol=1e-12)


def test_the_objective_is_the_formula_and_is_proved(moons):
    X, y = moons
    weight = np.random.default_rng(0).random(len(y))
    model = LinearProgrammingMachine(C=3).fit(X, y, weight)
    hinge = np.maximum(0, 1 - (2 * y - 1) * model.decision_function(X))
    assert_allclose(model.objective_, np.abs(model.dual_coef_).sum() + 3 * weight @ hinge, rtol=1e-7)
    assert abs(model.duality_gap_) < 1e-6 * model.objective_


def test_few_weights_are_enough(moons):
    X, y = moons
    model = LinearProgrammingMachine(C=10).fit(X, y)
    assert len(model.support_) < 0.2 * len(y)
    assert model.score(X, y) > 0.9


def test_a_tiny_c_leaves_the_larger_class(iris):
    X, y = iris[0][:120], np.minimum(iris[1][:120], 1)
    model = LinearProgrammingMachine(C=1e-6).fit(X, y)
    assert len(model.support_) == 0
    assert_allclose(model.intercept_, 1)
    assert_array_equal(model.predict(X), 1)


@pytest.mark.parametrize("multi_class", ["ovr", "pairwise"])
def test_many_classes(iris, multi_class):
    X, y = iris
    model = LinearProgrammingMachine(C=10, multi_class=multi_class).fit(X, y)
    P = model.predict_proba(X)
    assert_allclose(P.sum(axis=1), 1)
    assert model.score(X, y) > 0.95
    assert log_loss(y, P) < 0.25
    assert_array_equal(model.predict(X), model.classes_[model.decision_function(X).argmax(axis=1)])
    assert_array_equal(model.support_vectors_, X[model.support_])


def test_one_against_the_rest_is_one_machine_per_class(iris):
    X, y = iris
    model = LinearProgrammingMachine(C=10, gamma=0.5).fit(X, y)
    for j in range(3):
        alone = LinearProgrammingMachine(C=10, gamma=0.5).fit(X, y == j)
        assert_allclose(model.decision_function(X)[:, j], alone.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("multi_class", ["ovr", "pairwise"])
def test_a_weight_of_two_is_a_row_seen_twice(iris, multi_class):
    X, y = iris
    weight = np.random.default_rng(0).integers(0, 3, size=len(y))
    model = LinearProgrammingMachine(C=2, multi_class=multi_class, class_weight="balanced")
    weighted = model.fit(X, y, weight).predict_proba(X)
    repeated = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).predict_proba(X)
    assert_allclose(weighted, repeated, atol=1e-5)


@pytest.mark.parametrize("multi_class", ["ovr", "pairwise"])
def test_every_form_of_the_kernel_gives_the_same_model(iris, multi_class):
    X, y = iris
    params = {"C": 5, "multi_class": multi_class, "calibration_cv": None}
    expected = LinearProgrammingMachine(gamma=0.5, **params).fit(X, y)
    K = rbf_kernel(X, gamma=0.5)
    for kernel, data in ((RBF(1.0), X), ("precomputed", K)):
        model = LinearProgrammingMachine(kernel=kernel, **params).fit(data, y)
        assert_allclose(model.predict_proba(data), expected.predict_proba(X), atol=1e-6)
        for ours, theirs in zip(model.kernel_expansions(), expected.kernel_expansions(), strict=True):
            assert_array_equal(ours.rows, theirs.rows)
            scores = [e.similarities(Z) @ e.coef.T + e.intercept for e, Z in ((ours, data), (theirs, X))]
            assert_allclose(*scores, atol=1e-6)
    sparse = LinearProgrammingMachine(gamma=0.5, **params).fit(sp.csr_array(X), y)
    assert_allclose(sparse.predict_proba(sp.csr_array(X)), expected.predict_proba(X), atol=1e-6)


def test_the_reasons_of_pairs_name_both_sides(iris):
    X, y = iris
    model = LinearProgrammingMachine(C=5, multi_class="pairwise").fit(X, y)
    sides = [tuple(expansion.sides[0]) for expansion in model.kernel_expansions()]
    assert sides == [(1, 0), (2, 0), (2, 1)]
    for expansion in model.kernel_expansions():
        assert set(y[expansion.rows]) <= set(expansion.sides[0])


def test_indefinite_kernels_are_welcome(moons):
    X, y = moons
    model = LinearProgrammingMachine(C=10, kernel="sigmoid", gamma=0.5, coef0=-1.0).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("gamma", [1e-12, 1.0, 1e12])
def test_odd_rows_and_widths_are_no_obstacle(gamma):
    X = np.array([[0.0, 0], [0, 0], [0, 0], [1, 1], [1, 1.2], [0, 0], [5, 5]])
    y = np.array(["a", "a", "a", "b", "b", "b", "c"])
    for multi_class in ("ovr", "pairwise"):
        model = LinearProgrammingMachine(gamma=gamma, C=10, multi_class=multi_class).fit(X, y)
        for rows in (X, X + 1e6, X * 1e200):
            P = model.predict_proba(rows)
            assert np.isfinite(P).all()
            assert_allclose(P.sum(axis=1), 1)


@pytest.mark.parametrize(
    ("params", "message"),
    [({"C": 0.0}, "C"), ({"multi_class": "ovo"}, "multi_class"), ({"calibration_cv": 1}, "calibration_cv")],
)
def test_errors_name_the_argument(iris, params, message):
    with pytest.raises(ValueError, match=message):
        LinearProgrammingMachine(**params).fit(*iris)


def test_an_unfitted_model_says_so():
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(LinearProgrammingMachine(), method)([[0.0]])


@pytest.mark.parametrize("multi_class", ["ovr", "pairwise"])
def test_parameters_set_after_the_fit_wait_for_the_next_one(multi_class):
    X, y = make_blobs(60, centers=3, random_state=0)
    model = LinearProgrammingMachine(multi_class=multi_class, calibration_cv=None).fit(X, y)
    before = model.predict_proba(X)
    model.set_params(multi_class="ovr" if multi_class == "pairwise" else "pairwise")
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_a_hundred_folds_at_the_largest_C_are_fitted_in_bounded_time_and_with_a_warning():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 1)), rng.integers(0, 2, 150)
    began = time.process_time()
    with pytest.warns(ConvergenceWarning, match="Lower C"):
        LinearProgrammingMachine(C=1e12, gamma=5.0, calibration_cv=100).fit(X, y)
    assert time.process_time() - began < 20


def test_rows_that_can_be_separated_have_a_hard_margin_without_a_word():
    X, y = make_blobs(60, centers=2, random_state=0, cluster_std=0.3)
    hard, harder = (LinearProgrammingMachine(C=C, calibration_cv=None).fit(X, y) for C in (1e6, 1e12))
    assert_allclose(harder.decision_function(X), hard.decision_function(X), atol=1e-5)
