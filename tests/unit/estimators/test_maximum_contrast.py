"""The maximum contrast classifier as its users meet it."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel

from kernelproba.datasets import two_gaussians_problem
from kernelproba.estimators.kernel_density import KernelDensityClassifier
from kernelproba.estimators.maximum_contrast import MaximumContrastClassifier
from kernelproba.kernels import RBF


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def moons():
    return make_moons(150, noise=0.25, random_state=0)


# -- the model ------------------------------------------------------------------------------------------


def test_probabilities_are_bayes_rule_on_the_weighted_kernels(iris):
    X, y = iris
    model = MaximumContrastClassifier(0.1, gamma=0.5).fit(X, y)
    F = rbf_kernel(X, model.support_vectors_, gamma=0.5) @ model.dual_coef_.T * model.priors_
    assert_allclose(model.predict_proba(X), F / F.sum(axis=1, keepdims=True), atol=1e-10)
    assert_array_equal(model.support_vectors_, X[model.support_])
    assert_allclose(model.dual_coef_.sum(axis=1), model.mass_)


def test_the_decision_function_is_the_margin_of_each_class(iris, moons):
    X, y = iris
    model = MaximumContrastClassifier(0.1, gamma=0.5).fit(X, y)
    F = rbf_kernel(X, model.support_vectors_, gamma=0.5) @ model.dual_coef_.T * model.priors_
    for j in range(3):
        rest = np.delete(F, j, axis=1).max(axis=1)
        assert_allclose(model.decision_function(X)[:, j], F[:, j] - rest, atol=1e-12)
    assert_allclose(model.margin_, model.decision_function(X)[np.arange(len(y)), y], atol=1e-8)
    X, y = moons
    model = MaximumContrastClassifier(0.1).fit(X, y)
    assert_allclose(model.margin_, model.decision_function(X) * (2 * y - 1), atol=1e-8)


def test_the_contrast_is_the_bounded_margin_and_a_confidence(moons):
    X, y = moons
    model = MaximumContrastClassifier(0.01).fit(X, y)
    assert_allclose(model.contrast(X, y), np.clip(model.margin_, -1, 1), atol=1e-8)
    assert_allclose(model.contrast(X), np.minimum(np.abs(model.decision_function(X)), 1))
    mass, height = (model.dual_coef_.sum(axis=1), model.dual_coef_.max(axis=1))
    penalty = (mass / np.bincount(y) + height).sum()
    assert_allclose(model.contrast_path_[-1], model.contrast(X, y).mean() - 0.01 * penalty, atol=1e-8)


def test_deactivated_rows_are_confident_mistakes(moons):
    X, y = moons
    y = y.copy()
    y[[3, 11, 40]] = 1 - y[[3, 11, 40]]
    model = MaximumContrastClassifier(0.05, gamma=2.0).fit(X, y)
    assert_array_equal(model.deactivated_, np.flatnonzero(model.margin_ <= -1))
    assert {3, 11, 40} <= set(model.deactivated_)
    assert model.n_iter_ == len(model.contrast_path_) > 1
    assert (np.diff(model.contrast_path_) >= 0).all()


def test_an_infinite_alpha_is_the_kernel_density_classifier(iris):
    X, y = iris
    weight = np.random.default_rng(0).random(len(y))
    density = KernelDensityClassifier(gamma=0.5, normalize=False).fit(X, y, weight)
    for alpha in (1e6, np.inf):
        model = MaximumContrastClassifier(alpha, gamma=0.5).fit(X, y, weight)
        assert_allclose(model.dual_coef_, density.dual_coef_, rtol=1e-10)
        assert_allclose(model.predict_proba(X), density.predict_proba(X), atol=1e-10)
        assert_array_equal(model.support_, density.support_)


def test_a_smaller_alpha_means_more_contrast_and_a_larger_scale(moons):
    X, y = moons
    models = [MaximumContrastClassifier(alpha).fit(X, y) for alpha in (10, 1, 0.1, 0.01, 0.001)]
    contrasts = [model.contrast(X, y).mean() for model in models]
    assert (np.diff(contrasts) > 0).all()
    assert models[-1].mass_ > 2 * models[0].mass_
    # As the scale grows the mean contrast becomes 1 − 2·error.
    errors = [1 - model.score(X, y) for model in models]
    misfits = np.abs(np.array(contrasts) - (1 - 2 * np.array(errors)))
    assert misfits[-1] < 0.1 < misfits[0]


def test_a_larger_share_of_the_one_norm_means_fewer_weights(moons):
    X, y = moons
    sizes = [len(MaximumContrastClassifier(0.1, l1_ratio=r).fit(X, y).support_) for r in (0.0, 0.5, 0.99)]
    assert sizes[0] > sizes[1] > sizes[2]


def test_priors_shift_the_boundary_towards_the_rarer_class():
    X, y = two_gaussians_problem(distance=2.0, n_features=1).sample(300, random_state=0)
    shares = [
        MaximumContrastClassifier(np.inf, priors=[1 - p, p]).fit(X, y).predict(X).mean()
        for p in (0.1, 0.5, 0.9)
    ]
    assert shares[0] < shares[1] < shares[2]
    named = MaximumContrastClassifier(priors={0: 0.25, 1: 0.75}).fit(X, y)
    assert_allclose(named.priors_, [0.25, 0.75])
    assert_allclose(MaximumContrastClassifier().fit(X, y).priors_, np.bincount(y) / 300)
    assert_allclose(MaximumContrastClassifier(priors="uniform").fit(X, y).priors_, [0.5, 0.5])


def test_calibrated_probabilities_fit_and_keep_the_labels():
    X, y = make_moons(600, noise=0.35, random_state=1)
    plain = MaximumContrastClassifier(0.1, gamma=2).fit(X[:200], y[:200])
    calibrated = MaximumContrastClassifier(0.1, gamma=2, calibration_cv=5).fit(X[:200], y[:200])
    assert_array_equal(plain.predict(X), calibrated.predict(X))
    assert log_loss(y[200:], calibrated.predict_proba(X[200:])) < 0.45
    order = np.argsort(calibrated.decision_function(X))
    assert (np.diff(calibrated.predict_proba(X)[order, 1]) >= 0).all()


# -- storage and weights ----------------------------------------------------------------------------------


def test_a_weight_of_two_is_a_row_seen_twice(iris):
    X, y = iris
    weight = np.random.default_rng(0).integers(0, 3, size=len(y))
    for params in ({}, {"calibration_cv": 3}, {"l1_ratio": 0.9, "alpha": 0.05}):
        weighted = MaximumContrastClassifier(**params).fit(X, y, weight)
        repeated = MaximumContrastClassifier(**params).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
        assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)
        assert_allclose(weighted.contrast_path_, repeated.contrast_path_, atol=1e-8)
    assert_array_equal(np.isnan(weighted.margin_), weight == 0)


def test_every_form_of_the_kernel_gives_the_same_model(iris):
    X, y = iris
    expected = MaximumContrastClassifier(0.1, gamma=0.5).fit(X, y)
    K = rbf_kernel(X, gamma=0.5)
    forms = {
        "object": (RBF(1.0), X),
        "callable": (lambda A, B: rbf_kernel(A, B, gamma=0.5), X),
        "precomputed": ("precomputed", K),
    }
    for kernel, data in forms.values():
        model = MaximumContrastClassifier(0.1, kernel=kernel).fit(data, y)
        assert_allclose(model.predict_proba(data), expected.predict_proba(X), atol=1e-6)
        assert_array_equal(model.support_, expected.support_)
    sparse = MaximumContrastClassifier(0.1, gamma=0.5).fit(sp.csr_array(X), y)
    assert_allclose(sparse.predict_proba(sp.csr_array(X)), expected.predict_proba(X), atol=1e-6)


def test_large_problems_compute_kernel_rows_on_demand(monkeypatch, moons):
    X, y = moons
    expected = MaximumContrastClassifier(0.1).fit(X, y)
    monkeypatch.setattr("kernelproba.basis.gram.Gram.__init__.__kwdefaults__", {"held_values": 1000})
    model = MaximumContrastClassifier(0.1).fit(X, y)
    assert_allclose(model.dual_coef_, expected.dual_coef_, atol=1e-9)


def test_the_reasons_add_up_to_the_decision(moons):
    X, y = moons
    model = MaximumContrastClassifier(0.1).fit(X, y)
    (expansion,) = model.kernel_expansions()
    assert_allclose(expansion.similarities(X) @ expansion.coef[0], model.decision_function(X), atol=1e-12)


# -- odd input --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["restricted", "dense"])
@pytest.mark.parametrize("gamma", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("alpha", [1e-4, 1.0, np.inf])
def test_odd_rows_and_widths_are_no_obstacle(solver, gamma, alpha):
    X = np.array([[0.0, 0], [0, 0], [0, 0], [1, 1], [1, 1.2], [0, 0], [5, 5]])
    y = np.array(["a", "a", "a", "b", "b", "b", "c"])  # duplicates, within and across classes; one row of c
    model = MaximumContrastClassifier(alpha, gamma=gamma, solver=solver).fit(X, y)
    for rows in (X, X + 1e6, X * 1e200):
        P = model.predict_proba(rows)
        assert np.isfinite(P).all()
        assert_allclose(P.sum(axis=1), 1)
        assert_array_equal(model.predict(rows), model.classes_[P.argmax(axis=1)])


def test_far_from_all_data_the_nearest_rows_decide(moons):
    X, y = moons
    model = MaximumContrastClassifier(0.1).fit(X, y)
    far = np.array([[-1e4, 1e4], [1e4, -1e4]])
    assert_array_equal(model.decision_function(far), 0)
    assert_array_equal(model.predict(far), [0, 1])


def test_constant_rows_leave_the_priors():
    model = MaximumContrastClassifier().fit(np.zeros((5, 2)), [0, 0, 0, 1, 1])
    assert_allclose(model.predict_proba(np.zeros((1, 2))), [[0.6, 0.4]])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alpha": 0.0}, "alpha"),
        ({"alpha": -1.0}, "alpha"),
        ({"l1_ratio": 1.0}, "l1_ratio"),
        ({"kernel": "linear"}, "nowhere negative"),
        ({"kernel": "gauss"}, "kernel must be"),
        ({"gamma": 0.0}, "gamma"),
        ({"priors": [0.5, 0.6, 0.5]}, "priors must be non-negative and sum to one"),
        ({"priors": "balanced"}, "priors"),
        ({"calibration_cv": 1}, "calibration_cv"),
        ({"solver": "simplex"}, "solver"),
        ({"max_iter": 0}, "max_iter"),
    ],
)
def test_errors_name_the_argument(iris, params, message):
    X, y = iris
    with pytest.raises(ValueError, match=message):
        MaximumContrastClassifier(**params).fit(X - X.mean(axis=0), y)


def test_too_few_iterations_warn(moons):
    X, y = moons
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        MaximumContrastClassifier(0.01, max_iter=1).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MaximumContrastClassifier(0.01).fit(X, y)


def test_an_unfitted_model_says_so():
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function", "contrast"):
        with pytest.raises(NotFittedError):
            getattr(MaximumContrastClassifier(), method)([[0.0]])
    with pytest.raises(NotFittedError):
        MaximumContrastClassifier().kernel_expansions()
