"""Maximum contrast with its width and penalty chosen by cross-validation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold

from kernelproba.estimators.maximum_contrast import MaximumContrastClassifier
from kernelproba.kernels import RBF, Matern, Precomputed
from kernelproba.kernels.distance_cache import KernelGrid
from kernelproba.tuning.grid.contrast_cv import MaximumContrastClassifierCV
from kernelproba.tuning.grid.contrast_folds import COLUMNS
from kernelproba.tuning.grid.width_grid import best_setting

ALPHAS, GAMMAS = [np.inf, 1.0, 0.05], [0.5, 2.0, 8.0]


@pytest.fixture(scope="module")
def moons():
    return make_moons(120, noise=0.3, random_state=0)


@pytest.fixture(scope="module")
def search(moons):
    splitter = StratifiedKFold(4, shuffle=True, random_state=0)
    return MaximumContrastClassifierCV(ALPHAS, GAMMAS, cv=splitter, l1_ratio=0.9).fit(*moons)


def test_scores_are_those_of_separate_fits(moons, search):
    X, y = moons
    splits = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    for g, gamma in enumerate(GAMMAS):
        for a, alpha in enumerate(ALPHAS):
            for f, (train, test) in enumerate(splits):
                model = MaximumContrastClassifier(alpha, gamma=gamma, l1_ratio=0.9).fit(X[train], y[train])
                P = model.predict_proba(X[test])
                results = {name: search.cv_results_[name][g, a, f] for name in COLUMNS}
                assert_allclose(results["accuracy"], model.score(X[test], y[test]))
                log_likelihood = np.log(P[np.arange(len(test)), y[test]]).mean()
                assert_allclose(results["log_loss"], log_likelihood, rtol=1e-5)
                assert_allclose(results["contrast"], model.contrast(X[test], y[test]).mean(), atol=1e-6)
                assert_allclose(results["support"], len(model.support_) / len(train))
                assert_allclose(results["deactivated"], len(model.deactivated_) / len(train))


def test_the_best_setting_is_fitted_to_all_rows(moons, search):
    X, y = moons
    mean = search.cv_results_["accuracy"].mean(axis=-1)
    assert_allclose(search.best_score_, mean.max())
    plain = MaximumContrastClassifier(search.alpha_, gamma=search.gamma_, l1_ratio=0.9).fit(X, y)
    assert_allclose(search.predict_proba(X), plain.predict_proba(X), atol=1e-9)
    assert_array_equal(search.support_, plain.support_)
    assert_array_equal(search.deactivated_, plain.deactivated_)


@pytest.mark.parametrize("scoring", ["accuracy", "log_loss", "contrast"])
def test_each_scoring_chooses_its_own_best(moons, scoring):
    model = MaximumContrastClassifierCV(ALPHAS, GAMMAS, cv=3, scoring=scoring).fit(*moons)
    assert_allclose(model.best_score_, model.cv_results_[scoring].mean(axis=-1).max())


def test_slack_trades_score_for_sparsity():
    scores = np.array([[[0.9, 0.8], [0.84, 0.85]]])
    support = np.array([[[0.5, 0.5], [0.1, 0.1]]])
    assert best_setting(scores, -scores, support, 0.0) == (0, 0)
    assert best_setting(scores, scores, support, 1.0) == (0, 1)


def test_equal_scores_are_told_apart_by_a_second_one():
    scores = np.array([[[0.8, 0.9], [0.9, 0.8]], [[0.85, 0.85], [0.9, 0.7]]])
    second = np.array([[[-3.0, -3.0], [-1.0, -3.0]], [[-1.0, -1.0], [-0.1, -0.1]]])
    support = np.ones_like(scores)
    assert best_setting(scores, second, support, 0.0) == (1, 0)
    assert best_setting(scores, np.zeros_like(second) + 1e-9 * second, support, 0.0) == (0, 0)


def test_default_grids_and_folds_serve_iris():
    X, y = load_iris(return_X_y=True)
    model = MaximumContrastClassifierCV(cv=3).fit(X, y)
    assert model.score(X, y) > 0.94
    assert model.cv_results_["accuracy"].shape == (7, 7, 3)


def test_a_weight_of_two_is_a_row_seen_twice(moons):
    X, y = moons
    weight = np.random.default_rng(0).integers(0, 3, size=len(y))
    model = MaximumContrastClassifierCV([1.0, 0.1], [1.0, 4.0], cv=3, calibration=3)
    weighted = model.fit(X, y, weight).predict_proba(X)
    repeated = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).predict_proba(X)
    assert_allclose(weighted, repeated, atol=1e-6)


def test_calibration_is_that_of_the_chosen_setting(moons):
    X, y = moons
    model = MaximumContrastClassifierCV([0.1], [2.0], cv=3, calibration=3).fit(X, y)
    plain = MaximumContrastClassifier(0.1, gamma=2.0, calibration=3).fit(X, y)
    assert_allclose(model.predict_proba(X), plain.predict_proba(X), atol=1e-9)


def test_kernels_with_their_own_width_are_searched_over_alpha_alone(moons):
    X, y = moons
    K = rbf_kernel(X, gamma=2.0)
    expected = MaximumContrastClassifierCV(ALPHAS, [2.0], cv=3).fit(X, y)
    by_object = MaximumContrastClassifierCV(ALPHAS, cv=3, kernel=RBF(0.5)).fit(X, y)
    assert by_object.gamma_ is None
    assert_allclose(by_object.cv_results_["accuracy"], expected.cv_results_["accuracy"])
    splits = list(StratifiedKFold(3).split(X, y))
    precomputed = MaximumContrastClassifierCV(ALPHAS, cv=splits, kernel="precomputed").fit(K, y)
    same = MaximumContrastClassifierCV(ALPHAS, [2.0], cv=splits).fit(X, y)
    assert_allclose(precomputed.cv_results_["accuracy"], same.cv_results_["accuracy"])
    assert_allclose(precomputed.predict_proba(K), same.predict_proba(X), atol=1e-7)


def test_widths_may_be_tried_in_parallel(moons):
    one, two = (MaximumContrastClassifierCV([0.1], GAMMAS, cv=2, n_jobs=n).fit(*moons) for n in (1, 2))
    assert_array_equal(one.cv_results_["accuracy"], two.cv_results_["accuracy"])


def test_a_class_of_one_row_can_be_searched():
    X, y = np.r_[make_moons(30, random_state=0)[0], [[5.0, 5.0]]], np.r_[make_moons(30, random_state=0)[1], 2]
    model = MaximumContrastClassifierCV([0.1], [1.0, 4.0], cv=3).fit(X, y)
    assert model.predict([[5.0, 5.0]]) == [2]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alphas": []}, "alphas must be positive"),
        ({"alphas": [0.0, 1.0]}, "alphas must be positive"),
        ({"gammas": [-1.0]}, "gammas must be positive"),
        ({"gammas": [1.0], "kernel": RBF()}, "has its own"),
        ({"scoring": "f1"}, "scoring"),
    ],
)
def test_errors_name_the_argument(moons, params, message):
    with pytest.raises(ValueError, match=message):
        MaximumContrastClassifierCV(**params).fit(*moons)


@pytest.mark.parametrize(
    "kernels", [[RBF(0.3), RBF(2.0)], [Matern(0.5), Matern(1.0)], [RBF([1.0, 2.0])]], ids=repr
)
def test_a_grid_of_kernels_shares_its_distances(moons, kernels):
    X, _ = moons
    grid = KernelGrid(kernels, X)
    rows, columns = np.array([3, 1, 7]), np.array([2, 9])
    for g, kernel in enumerate(kernels):
        assert_allclose(grid.matrix(g), kernel(X, X), atol=1e-14)
        assert_allclose(np.exp(grid.logarithm(g, rows, columns)), kernel(X[rows], X[columns]), atol=1e-14)


def test_a_precomputed_matrix_is_a_grid_of_one(moons):
    K = rbf_kernel(moons[0])
    grid = KernelGrid([Precomputed()], K)
    assert_allclose(grid.matrix(0), K)
    assert_allclose(grid.logarithm(0, np.array([1]), np.array([2, 3])), np.log(K[[1]][:, [2, 3]]))
