"""The relevance vector machine: sparseness, moderated outputs, many classes."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from kernelproba.estimators.relevance_vector import RelevanceVectorClassifier


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("multi_class", ["ovr", "pairwise"])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_a_handful_of_kernels_classify_iris(iris, multi_class, fit_intercept):
    X, y = iris
    model = RelevanceVectorClassifier(multi_class=multi_class, fit_intercept=fit_intercept)
    model.fit(X[::2], y[::2])
    assert model.n_kernels_ == len(model.relevance_) < 15
    assert model.score(X[1::2], y[1::2]) > 0.9
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert len(model.evidence_) == 3
    np.testing.assert_array_equal(model.support_vectors_, X[::2][model.relevance_])


@pytest.mark.parametrize("multi_class", ["ovr", "pairwise"])
def test_far_from_the_data_all_classes_are_equally_probable(iris, multi_class):
    model = RelevanceVectorClassifier(multi_class=multi_class).fit(*iris)
    np.testing.assert_allclose(model.predict_proba(np.full((1, 4), 1e3)), 1 / 3, atol=1e-12)


def test_averaging_over_the_posterior_makes_probabilities_less_extreme(iris):
    X, y = iris
    y = (y == 1).astype(int)
    model = RelevanceVectorClassifier(gamma=0.5).fit(X, y)
    scores = model.kernel_(X, model.support_vectors_) @ model.dual_coef_[0]
    plain = 1 / (1 + np.exp(-scores))
    p = model.predict_proba(X)[:, 1]
    assert (np.abs(p - 0.5) <= np.abs(plain - 0.5) + 1e-12).all()
    assert ((p > 0.5) == (plain > 0.5)).all()


def test_the_moderated_output_is_close_to_the_average_it_approximates(iris):
    X, y = iris
    model = RelevanceVectorClassifier(gamma=0.5, moderation=1.0).fit(X, (y == 1).astype(int))
    K = model.kernel_(X, model.support_vectors_)
    draws = np.random.default_rng(0).multivariate_normal(model.dual_coef_[0], model.covariance_[0], 4000)
    average = (1 / (1 + np.exp(-K @ draws.T))).mean(axis=1)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], average, atol=0.03)


def test_a_precomputed_kernel_gives_the_same_model(iris):
    X, y = iris
    K = rbf_kernel(X, gamma=0.3)
    named = RelevanceVectorClassifier(gamma=0.3).fit(X, y)
    given = RelevanceVectorClassifier(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(named.predict_proba(X), given.predict_proba(K), atol=1e-4)


def test_too_few_actions_are_reported(iris):
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        RelevanceVectorClassifier(max_iter=1).fit(*iris)


def test_an_unfitted_model_says_so():
    with pytest.raises(NotFittedError):
        RelevanceVectorClassifier().predict([[0.0]])


def test_a_bad_parameter_is_named(iris):
    with pytest.raises(ValueError, match="multi_class"):
        RelevanceVectorClassifier(multi_class="softmax").fit(*iris)


def test_separable_classes_do_not_leave_the_probabilities_near_even_odds():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    train, test = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    losses = {}
    for share in ("auto", 1.0):
        model = RelevanceVectorClassifier(gamma=1 / 13, moderation=share).fit(X[train], y[train])
        losses[share] = log_loss(y[test], model.predict_proba(X[test]))
    assert losses["auto"] < 0.5 * losses[1.0]
