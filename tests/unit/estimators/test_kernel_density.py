"""The kernel density classifier as its users meet it."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from kernelproba.datasets import two_gaussians_problem
from kernelproba.estimators.kernel_density import KernelDensityClassifier
from kernelproba.kernels import RBF

CHOICES = [
    {},
    {"gamma": "likelihood"},
    {"gamma": "error", "class_widths": False},
    {"gamma": "scale", "weights": "likelihood"},
    {"gamma": "median", "normalize": False},
    {"gamma": [0.5, 1.0, 2.0], "priors": [0.2, 0.3, 0.5]},
    {"kernel": "laplacian", "priors": "uniform"},
]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_bayes_rule_on_sums_of_kernels(iris):
    X, y = iris
    model = KernelDensityClassifier(gamma=1.0).fit(X, y)
    K = rbf_kernel(X, gamma=1.0)
    F = np.column_stack([K[:, y == j].mean(axis=1) for j in range(3)]) / 3
    assert_allclose(model.predict_proba(X), F / F.sum(axis=1, keepdims=True), atol=1e-12)


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_probabilities_are_distributions_anywhere(iris, choice):
    X, y = iris
    model = KernelDensityClassifier(**choice).fit(X, y)
    for place in (0.0, 1e3, -1e8, 1e150, 1e300):
        P = model.predict_proba(np.r_[X[:3], np.full((1, 4), place)])
        assert np.isfinite(P).all()
        assert_allclose(P.sum(axis=1), 1)
        assert_array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])


def test_far_from_all_data_the_nearest_row_decides():
    X, y = np.array([[0.0], [0.1], [1.0], [1.1]]), np.array([0, 0, 1, 1])
    model = KernelDensityClassifier(gamma=50.0).fit(X, y)
    assert_array_equal(model.predict([[-1e3], [1e3]]), [0, 1])
    # log q₁/q₀ at x = 1000 is −γ[(x − 1.1)² − (x − 0.1)²] up to the nearer row of each class.
    log_P = model.predict_log_proba([[1e3]])[0]
    assert_allclose(log_P[0] - log_P[1], -50 * ((1e3 - 0.1) ** 2 - (1e3 - 1.1) ** 2), rtol=1e-12)


def test_where_all_densities_vanish_the_priors_speak(iris):
    X, y = iris
    model = KernelDensityClassifier(gamma=1.0, priors=[0.2, 0.3, 0.5]).fit(X, y)
    assert_allclose(model.predict_proba(np.full((1, 4), 1e200))[0], [0.2, 0.3, 0.5])


def test_normalised_densities_integrate_to_one():
    X, y = make_moons(40, noise=0.2, random_state=0)
    model = KernelDensityClassifier(gamma=[2.0, 5.0], normalize=True).fit(X, y)
    ticks = np.linspace(-5, 6, 300)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    mass = np.exp(model.log_density(grid)).sum(axis=0) * (ticks[1] - ticks[0]) ** 2
    assert_allclose(mass, 1, rtol=1e-6)


def test_the_posterior_of_two_gaussians_is_found():
    truth = two_gaussians_problem(distance=2.0, n_features=1, prior=0.3)
    X, y = truth.sample(1500, random_state=0)
    test = np.linspace(-2.5, 2.5, 50)[:, None]
    P = KernelDensityClassifier(random_state=0).fit(X, y).predict_proba(test)
    assert np.abs(P - truth.posterior(test)).mean() < 0.04


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_a_weight_of_two_is_a_row_seen_twice(iris, choice):
    X, y = iris
    weight = np.random.default_rng(0).integers(0, 3, size=len(y))
    weighted = KernelDensityClassifier(**choice).fit(X, y, weight)
    repeated = KernelDensityClassifier(**choice).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    if choice.get("gamma") == "median":  # a rule that does not look at weights
        assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=0.05)
    else:
        assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-8)


def test_given_priors_replace_the_class_frequencies(iris):
    X, y = iris[0][20:], iris[1][20:]
    empirical = KernelDensityClassifier(gamma=1.0).fit(X, y)
    assert_allclose(empirical.priors_, [30 / 130, 50 / 130, 50 / 130])
    given = KernelDensityClassifier(gamma=1.0, priors={0: 0.6, 1: 0.3, 2: 0.1}).fit(X, y)
    ratio = given.predict_proba(X) / empirical.predict_proba(X)
    expected = np.array([0.6, 0.3, 0.1]) / empirical.priors_
    assert_allclose(ratio / ratio[:, :1], np.tile(expected / expected[0], (len(X), 1)), rtol=1e-6)


def test_sparse_rows_and_precomputed_kernels_give_the_same_posterior(iris):
    X, y = iris
    expected = KernelDensityClassifier(gamma=0.7).fit(X, y).predict_proba(X)
    sparse = KernelDensityClassifier(gamma=0.7).fit(sp.csr_array(X), y).predict_proba(sp.csr_array(X))
    K = rbf_kernel(X, gamma=0.7)
    precomputed = KernelDensityClassifier("precomputed").fit(K, y).predict_proba(K)
    by_object = KernelDensityClassifier(RBF(RBF.length_scale_of(0.7))).fit(X, y).predict_proba(X)
    for P in (sparse, precomputed, by_object):
        assert_allclose(P, expected, atol=1e-10)


@pytest.mark.parametrize("gamma", ["likelihood", "log_loss", "error"])
def test_classes_of_one_row_and_duplicate_rows_are_no_obstacle(gamma):
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.2], [5.0]])
    y = np.array(["a", "a", "a", "b", "b", "c"])
    model = KernelDensityClassifier(gamma=gamma, weights="likelihood").fit(X, y)
    assert_array_equal(model.predict([[0.0], [1.1], [5.0]]), ["a", "b", "c"])


def test_constant_rows_leave_the_priors():
    model = KernelDensityClassifier().fit(np.zeros((5, 2)), [0, 0, 0, 1, 1])
    assert_allclose(model.predict_proba(np.zeros((1, 2))), [[0.6, 0.4]])


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"kernel": "linear"}, "Negative values"),
        ({"gamma": [1.0, 2.0]}, "one number for each of 3 classes"),
        ({"gamma": [1.0, -2.0, 1.0]}, "gamma must be"),
        ({"gamma": "silverman"}, "gamma"),
        ({"priors": [0.5, 0.5]}, "priors must hold one prior"),
        ({"priors": "balanced"}, "priors"),
        ({"kernel": "chi2", "normalize": True}, "normalize=False"),
    ],
)
def test_errors_name_the_argument(iris, choice, message):
    X, y = iris
    X = X - X.mean(axis=0) if choice.get("kernel") == "linear" else X
    with pytest.raises(ValueError, match=message):
        KernelDensityClassifier(**choice).fit(X, y)


def test_an_unfitted_model_says_so():
    for method in ("predict", "predict_proba", "predict_log_proba", "log_density"):
        with pytest.raises(NotFittedError):
            getattr(KernelDensityClassifier(), method)([[0.0]])
