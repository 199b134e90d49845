"""Linear programming machines with width and C chosen by cross-validation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold

from kernelproba.calibration import HeldOutScores, fit_slope
from kernelproba.estimators.linear_programming_machine import LinearProgrammingMachine
from kernelproba.estimators.pairwise_coupling import PairwiseCouplingClassifier
from kernelproba.tuning.grid.linear_machine_cv import LinearProgrammingMachineCV

CS, GAMMAS = [0.3, 3.0, 30.0], [0.3, 2.0]


@pytest.fixture(scope="module", params=["moons", "iris"])
def rows(request):
    if request.param == "iris":
        return load_iris(return_X_y=True)
    return make_moons(120, noise=0.3, random_state=0)


def test_scores_are_those_of_separate_fits(rows):
    X, y = rows
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    search = LinearProgrammingMachineCV(CS, GAMMAS, cv=splits, calibration_cv=None, scoring="accuracy")
    search.fit(X, y)
    for line, params in enumerate(search.cv_results_["params"]):
        support = []
        for f, (train, test) in enumerate(splits):
            model = LinearProgrammingMachine(calibration_cv=None, **params).fit(X[train], y[train])
            hits = search.cv_results_[f"split{f}_test_score"][line]
            assert_allclose(hits, model.score(X[test], y[test]))
            support.append(len(model.support_) / len(train))
        assert_allclose(search.cv_results_["mean_support"][line], np.mean(support), atol=0.05)
    plain = LinearProgrammingMachine(search.C_, gamma=search.gamma_, calibration_cv=None).fit(X, y)
    assert_allclose(search.predict_proba(X), plain.predict_proba(X), atol=1e-9)
    assert_array_equal(search.best_estimator_.support_, plain.support_)
    assert_allclose(search.best_score_, search.cv_results_["mean_test_score"].max())


def test_log_losses_are_those_of_calibrated_scores():
    X, y = make_moons(120, noise=0.3, random_state=0)
    splits = list(StratifiedKFold(3).split(X, y))
    search = LinearProgrammingMachineCV([1.0], [2.0], cv=splits).fit(X, y)
    machine = LinearProgrammingMachine(1.0, gamma=2.0, calibration_cv=None)
    scores = np.empty(len(y))
    for train, test in splits:
        scores[test] = machine.fit(X[train], y[train]).decision_function(X[test])
    slope = fit_slope(HeldOutScores(np.column_stack([-scores, scores]), y, np.ones(len(y)))).slope
    log_P = np.log(expit(2 * slope * np.column_stack([-scores, scores])))
    for f, (_, test) in enumerate(splits):
        own, mean = log_P[test, y[test]].mean(), log_P[test].mean()
        expected = (len(y) * own + mean / 4) / (len(y) + 1 / 4)
        assert_allclose(search.cv_results_[f"split{f}_test_score"][0], expected, rtol=1e-6)


def test_no_parameter_of_the_plain_machine_stands_in_for_the_search():
    for name in ("gamma", "C", "multi_class"):
        assert not hasattr(LinearProgrammingMachineCV(), name)


def test_calibration_and_class_weights_are_those_of_the_chosen_machine():
    X, y = make_moons(90, noise=0.3, random_state=0)
    y[:20] = 1
    search = LinearProgrammingMachineCV([3.0], [2.0], cv=3, class_weight="balanced").fit(X, y)
    plain = LinearProgrammingMachine(3.0, gamma=2.0, class_weight="balanced").fit(X, y)
    assert_allclose(search.predict_proba(X), plain.predict_proba(X), atol=1e-9)


def test_pairs_search_for_themselves():
    X, y = load_iris(return_X_y=True)
    search = LinearProgrammingMachineCV(CS, GAMMAS, cv=3, calibration_cv=3)
    model = PairwiseCouplingClassifier(search).fit(X, y)
    assert model.score(X, y) > 0.95
    assert {pair.C_ for pair in model.estimators_} <= set(CS)


def test_kernels_with_their_own_width_are_searched_over_c_alone():
    X, y = make_moons(90, noise=0.3, random_state=0)
    splits = list(StratifiedKFold(3).split(X, y))
    K = rbf_kernel(X, gamma=2.0)
    precomputed = LinearProgrammingMachineCV(CS, cv=splits, kernel="precomputed").fit(K, y)
    same = LinearProgrammingMachineCV(CS, [2.0], cv=splits).fit(X, y)
    assert_allclose(precomputed.cv_results_["mean_test_score"], same.cv_results_["mean_test_score"])
    assert precomputed.gamma_ is None
    linear = LinearProgrammingMachineCV(CS, cv=3, kernel="linear").fit(X, y)
    assert linear.score(X, y) > 0.8


@pytest.mark.parametrize(
    ("params", "message"),
    [({"Cs": [0.0]}, "Cs must be"), ({"gammas": [1.0], "kernel": "linear"}, "has its own")],
)
def test_errors_name_the_argument(params, message):
    with pytest.raises(ValueError, match=message):
        LinearProgrammingMachineCV(**params).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])


def test_rows_that_are_all_alike_leave_even_odds():
    X, y = np.ones((20, 2)), np.tile([0, 1], 10)
    model = LinearProgrammingMachineCV([0.1, 1.0], [1.0], cv=3).fit(X, y)
    assert_allclose(model.predict_proba(X), 0.5)
    assert len(model.best_estimator_.support_) == 0


def test_a_kernel_matrix_that_is_not_square_is_refused_by_name():
    with pytest.raises(ValueError, match=r"X must be a square matrix .* got shape \(6, 5\)"):
        LinearProgrammingMachineCV(kernel="precomputed").fit(np.eye(6)[:, :5], [0, 1] * 3)
