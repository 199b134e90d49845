"""Maximum contrast with its width and penalty chosen by cross-validation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold

from kernelproba.estimators.maximum_contrast import MaximumContrastClassifier
from kernelproba.kernels import RBF
from kernelproba.tuning.grid.contrast_cv import MaximumContrastClassifierCV

ALPHAS, GAMMAS = [np.inf, 1.0, 0.05], [0.5, 2.0, 8.0]


@pytest.fixture(scope="module")
def moons():
    return make_moons(120, noise=0.3, random_state=0)


@pytest.fixture(scope="module")
def search(moons):
    splitter = StratifiedKFold(4, shuffle=True, random_state=0)
    search = MaximumContrastClassifierCV(ALPHAS, GAMMAS, cv=splitter, l1_ratio=0.9, scoring="accuracy")
    return search.fit(*moons)


def test_scores_are_those_of_separate_fits(moons, search):
    X, y = moons
    splits = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    brier = MaximumContrastClassifierCV(ALPHAS, GAMMAS, cv=splits, l1_ratio=0.9, scoring="brier").fit(X, y)
    for line, params in enumerate(search.cv_results_["params"]):
        support = []
        for f, (train, test) in enumerate(splits):
            model = MaximumContrastClassifier(l1_ratio=0.9, **params).fit(X[train], y[train])
            support.append(len(model.support_) / len(train))
            P = model.predict_proba(X[test])
            hits = search.cv_results_[f"split{f}_test_score"][line]
            assert_allclose(hits, model.score(X[test], y[test]))
            squares = np.square(P - np.eye(2)[y[test]]).sum(axis=1).mean()
            assert_allclose(-brier.cv_results_[f"split{f}_test_score"][line], squares, rtol=1e-5)
        assert_allclose(search.cv_results_["mean_support"][line], np.mean(support))


def test_the_best_candidate_is_fitted_to_all_rows(moons, search):
    X, y = moons
    assert_allclose(search.best_score_, search.cv_results_["mean_test_score"].max())
    assert search.best_params_ == {"alpha": search.alpha_, "gamma": search.gamma_}
    plain = MaximumContrastClassifier(search.alpha_, gamma=search.gamma_, l1_ratio=0.9).fit(X, y)
    assert_allclose(search.predict_proba(X), plain.predict_proba(X), atol=1e-9)
    assert_allclose(search.decision_function(X), plain.decision_function(X), atol=1e-9)
    assert_allclose(search.contrast(X, y), plain.contrast(X, y), atol=1e-9)
    assert_array_equal(search.best_estimator_.support_, plain.support_)
    assert_array_equal(search.best_estimator_.deactivated_, plain.deactivated_)


@pytest.mark.parametrize("scoring", ["accuracy", "log_loss", "brier", "roc_auc"])
def test_each_scoring_chooses_its_own_best(moons, scoring):
    model = MaximumContrastClassifierCV(ALPHAS, GAMMAS, cv=3, scoring=scoring).fit(*moons)
    assert_allclose(model.best_score_, model.cv_results_["mean_test_score"].max())
    assert model.cv_results_["rank_test_score"][model.best_index_] == 1


def test_default_grids_and_folds_serve_iris():
    X, y = load_iris(return_X_y=True)
    model = MaximumContrastClassifierCV(cv=3).fit(X, y)
    assert model.score(X, y) > 0.94
    assert len(model.cv_results_["params"]) == 49


@pytest.mark.filterwarnings("ignore:.*at the same place as others")  # they are copies
def test_a_weight_of_two_is_a_row_seen_twice(moons):
    X, y = moons
    weight = np.random.default_rng(0).integers(0, 3, size=len(y))
    model = MaximumContrastClassifierCV([1.0, 0.1], [1.0, 4.0], cv=3, calibration_cv=3)
    weighted = model.fit(X, y, weight).predict_proba(X)
    repeated = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).predict_proba(X)
    assert_allclose(weighted, repeated, atol=1e-6)


def test_calibration_is_that_of_the_chosen_setting(moons):
    X, y = moons
    model = MaximumContrastClassifierCV([0.1], [2.0], cv=3, calibration_cv=3).fit(X, y)
    plain = MaximumContrastClassifier(0.1, gamma=2.0, calibration_cv=3).fit(X, y)
    assert_allclose(model.predict_proba(X), plain.predict_proba(X), atol=1e-9)


def test_kernels_with_their_own_width_are_searched_over_alpha_alone(moons):
    X, y = moons
    K = rbf_kernel(X, gamma=2.0)
    expected = MaximumContrastClassifierCV(ALPHAS, [2.0], cv=3).fit(X, y)
    by_object = MaximumContrastClassifierCV(ALPHAS, cv=3, kernel=RBF(0.5)).fit(X, y)
    assert by_object.gamma_ is None
    assert_allclose(by_object.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"])
    splits = list(StratifiedKFold(3).split(X, y))
    precomputed = MaximumContrastClassifierCV(ALPHAS, cv=splits, kernel="precomputed").fit(K, y)
    same = MaximumContrastClassifierCV(ALPHAS, [2.0], cv=splits).fit(X, y)
    assert_allclose(precomputed.cv_results_["mean_test_score"], same.cv_results_["mean_test_score"])
    assert_allclose(precomputed.predict_proba(K), same.predict_proba(X), atol=1e-7)


def test_widths_may_be_tried_in_parallel(moons):
    one, two = (MaximumContrastClassifierCV([0.1], GAMMAS, cv=2, n_jobs=n).fit(*moons) for n in (1, 2))
    assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])


def test_a_class_of_one_row_can_be_searched():
    X, y = np.r_[make_moons(30, random_state=0)[0], [[5.0, 5.0]]], np.r_[make_moons(30, random_state=0)[1], 2]
    model = MaximumContrastClassifierCV([0.1], [1.0, 4.0], cv=3).fit(X, y)
    assert model.predict([[5.0, 5.0]]) == [2]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alphas": []}, "alphas must be"),
        ({"alphas": [0.0, 1.0]}, "alphas must be"),
        ({"gammas": [-1.0]}, "gammas must be"),
        ({"gammas": [1.0], "kernel": RBF()}, "has its own"),
        ({"scoring": "wit"}, "scoring"),
    ],
)
def test_errors_name_the_argument(moons, params, message):
    with pytest.raises(ValueError, match=message):
        MaximumContrastClassifierCV(**params).fit(*moons)
