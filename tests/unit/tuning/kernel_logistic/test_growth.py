"""C and gamma follow the number of rows, and stay where following does not pay."""

import numpy as np
import pytest
from sklearn.base import clone

from kernelproba import KernelLogisticRegressionCV as CV
from kernelproba.estimators.kernel_logistic import center_choice, memory_plan
from kernelproba.estimators.kernel_logistic.memory_plan import MemoryPlan
from kernelproba.scoring import mean_scores
from kernelproba.tuning.kernel_logistic import growth, stages
from kernelproba.tuning.kernel_logistic.growth import (
    LEAP,
    MAX_C,
    RIDGE,
    center_numbers,
    climb,
    grown_centers,
    leap_is_level,
    most_centers,
    sample_sizes,
)
from kernelproba.tuning.kernel_logistic.search import Candidate, FeatureView

VIEW = FeatureView("rbf", None)


def scored(function):
    """Candidates with the score that a function of (log₁₀ C, log₂ gamma) gives them, and the points tried."""
    tried = []

    def evaluate(gamma, C):
        tried.append((gamma, C))
        width = 0.0 if gamma is None else np.log2(gamma)
        return Candidate(VIEW, gamma, C, 10, (function(np.log10(C), width),))

    return evaluate, tried


def test_the_climb_ends_at_the_top_of_a_hill_to_the_right_of_its_start():
    evaluate, _ = scored(lambda c, g: -((c - 2) ** 2) - (g - 1) ** 2)
    best = climb(evaluate, (1.0, 10.0), (True, True), 1e-3)
    assert best.point == pytest.approx((2.0, 100.0))


def test_a_start_that_is_best_stays_after_one_step_of_each():
    evaluate, tried = scored(lambda c, g: -c - g)
    assert climb(evaluate, (1.0, 10.0), (True, True), 0.0).point == (1.0, 10.0)
    assert len(tried) == 3


def test_a_leap_crosses_a_valley_between_wide_and_narrow_kernels():
    def valley(_, g):
        return 1.0 - (g - 4) ** 2 / 10 if g > 2 else -0.1 * g

    evaluate, tried = scored(valley)
    assert climb(evaluate, (1.0, 10.0), (True, False), 0.01).point == (1.0, 10.0)
    assert climb(evaluate, (1.0, 10.0), (True, False), 0.01, detours=[LEAP]).point == (16.0, 10.0)
    assert tried[-1] == (32.0, 10.0)


def test_a_ridge_of_gamma_times_c_is_followed_to_narrower_kernels():
    # log₁₀ C + log₁₀ gamma = 3 is the ridge, and narrower kernels are better along it.
    evaluate, _ = scored(lambda c, g: -((c + g * np.log10(2) - 3) ** 2) + 0.01 * min(g, 2))
    assert climb(evaluate, (1.0, 1000.0), (True, True), 1e-3).point == (1.0, 1000.0)
    assert climb(evaluate, (1.0, 1000.0), (True, True), 1e-3, detours=[RIDGE]).point == (4.0, 250.0)


def test_what_is_not_searched_stays_and_small_gains_are_no_reason_to_move():
    evaluate, tried = scored(lambda c, g: c + g)
    assert climb(evaluate, (1.0, 10.0), (False, False), 0.0).point == (1.0, 10.0)
    assert len(tried) == 1
    assert climb(evaluate, (1.0, 10.0), (True, True), 1.5).point == (1.0, 10.0)
    assert climb(evaluate, (None, MAX_C), (True, True), 0.0).point == (None, MAX_C)


@pytest.mark.parametrize(
    ("n", "sizes"),
    [
        (11_000, [11_000]),
        (32_000, [16_000]),
        (100_000, [16_000]),
        (10**6, [16_000, 64_000]),
        (3 * 10**6, [16_000, 64_000, 256_000]),
    ],
)
def test_samples_grow_by_four_up_to_half_of_the_rows_or_an_eighth_of_very_many(n, sizes):
    assert sample_sizes(n, 4000) == sizes


@pytest.mark.parametrize(
    ("n", "memory", "most"),
    [
        (6_000, 1e12, 3000),
        (16_000, 1e12, 4000),
        (64_000, 1e12, 8000),
        (256_000, 1e12, 32_000),
        (64_000, 1e9, 2834),
    ],
)
def test_many_rows_and_much_memory_allow_more_centres(n, memory, most):
    found = most_centers(n, MemoryPlan(int(memory), 1))
    assert found == most
    assert MemoryPlan(int(memory), 1).least(found) <= memory


@pytest.mark.parametrize(
    ("n", "first", "numbers"),
    [
        (2_500, 1000, [None]),
        (8_000, 1000, [1000, 2000, None]),
        (8_000, 4000, [None]),
        (32_000, 1000, [1000, 2000, 4000]),
        (64_000, 4000, [4000, 8000]),
        (32_000, 9000, [4000]),
    ],
)
def test_centres_are_doubled_up_to_all_rows_of_a_small_sample_or_a_share_of_a_large_one(n, first, numbers):
    assert center_numbers(n, first, MemoryPlan(10**12, 1)) == numbers


@pytest.mark.parametrize(
    ("found", "n", "grown"),
    [
        (1000, 20_000, 1581),
        (1000, 4000, 1000),
        (2000, 10**6, 4000),
        (8000, 10**6, 8000),
        (None, 20_000, None),
    ],
)
def test_centres_grow_with_the_root_of_the_rows(found, n, grown):
    best = Candidate(VIEW, 1.0, 1.0, 8000, (0.0,), found)
    assert grown_centers(best, n, MemoryPlan(10**12, 1)) == grown


@pytest.mark.parametrize(
    ("gamma", "n_rows", "score", "level"),
    [
        (8.0, 8000, -0.4999, True),
        (8.0, 8000, -0.51, False),
        (2.0, 8000, -0.4999, False),
        (8.0, 2000, -0.4, False),
    ],
)
def test_a_much_narrower_kernel_that_is_level_is_a_reason_for_more_rows(gamma, n_rows, score, level):
    best = Candidate(VIEW, 1.0, 10.0, 8000, (-0.5,), 1000)
    other = Candidate(VIEW, gamma, 10.0, n_rows, (score,), 1000)
    assert leap_is_level([best, other], best, 1e-3) == level
    assert not leap_is_level([best, other], Candidate(VIEW, None, 10.0, 8000, (-0.5,)), 1e-3)


@pytest.fixture(scope="module")
def steps():
    """A rough function, of which more rows tell more; 1600 rows to learn from and 3000 to judge by."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (4600, 2))
    truth = np.sign(np.sin(3 * X[:, 0]) + X[:, 1] / 2) * 2.5
    y = (truth + rng.logistic(size=4600) > 0).astype(int)
    return X[:1600], y[:1600], X[1600:], y[1600:]


@pytest.mark.parametrize("n_centers", [None, 150])
def test_more_rows_lead_to_a_rougher_function_that_predicts_better(steps, n_centers, monkeypatch):
    monkeypatch.setattr(stages, "OTHER_WIDTHS", ())  # the sample ends with a function that is too smooth
    X, y, fresh, labels = steps
    common = {"kernel": "rbf", "scale": None, "feature_weights": None, "n_centers": n_centers}
    grown = CV(**common, max_rows=200, random_state=0).fit(X, y)
    results = grown.cv_results_
    best = results["mean_test_score"].copy()
    best[results["n_rows"] != 200] = -np.inf
    sample = results["params"][best.argmax()]
    assert grown.C_ * grown.gamma_ > sample["C"] * sample["gamma"]
    assert grown.cv_results_["n_rows"][grown.best_index_] > 200
    assert grown.best_params_["C"] == grown.C_
    kept = CV([sample["C"]], [sample["gamma"]], **common, max_rows=200, random_state=0).fit(X, y)
    assert sample["C"] == kept.C_  # what the user gives is not moved
    losses = [mean_scores(m.predict_proba(fresh), labels, np.ones(3000))["log_loss"] for m in (grown, kept)]
    assert losses[0] < losses[1]


def test_centres_are_doubled_beyond_the_usual_most_where_that_pays(steps, monkeypatch):
    X, y, fresh, labels = steps
    monkeypatch.setattr(growth, "AUTO_CENTERS", 20)
    monkeypatch.setattr(growth, "FIRST_CENTERS", 20)
    monkeypatch.setattr(center_choice, "AUTO_CENTERS", 20)
    monkeypatch.setattr(center_choice, "EXACT_ROWS", 100)
    monkeypatch.setattr(memory_plan, "SPANNING_ROWS", 100)
    search = CV([10.0], kernel="rbf", scale=None, feature_weights=None, max_rows=150, random_state=0)
    grown = clone(search).fit(X, y)
    assert len(grown.best_estimator_.support_) == grown.best_params_["n_centers"] > 20
    monkeypatch.setattr(growth, "ROWS_PER_CENTER", 10**9)
    few = clone(search).fit(X, y)
    assert len(few.best_estimator_.support_) == 20
    losses = [mean_scores(m.predict_proba(fresh), labels, np.ones(3000))["log_loss"] for m in (grown, few)]
    assert losses[0] < losses[1]


def test_a_memory_limit_bounds_the_sample_that_is_searched(steps):
    X, y, *_ = steps
    search = CV([3.0], [1.0], kernel="rbf", scale=None, n_centers=30, max_rows=1000, random_state=0)
    free = clone(search).fit(X, y)
    bounded = clone(search).set_params(memory_limit=4_800_000).fit(X, y)
    assert free.cv_results_["n_rows"].max() == 1000
    assert bounded.cv_results_["n_rows"].max() == 400


def test_all_rows_are_centres_where_their_matrices_fit_into_the_memory(steps):
    X, y, _, _ = steps
    search = CV(kernel="rbf", scale=None, feature_weights=None, max_rows=200, random_state=0)
    all_rows = clone(search).set_params(memory_limit=40_000_000).fit(X, y)
    fewer = clone(search).set_params(memory_limit=20_000_000).fit(X, y)
    assert all_rows.loo_method_ == fewer.loo_method_ == "folds"
    assert len(all_rows.best_estimator_.support_) == 1600
    assert len(fewer.best_estimator_.support_) < 1600
    assert all_rows.loo_scores_["log_loss"] < fewer.loo_scores_["log_loss"] + 0.02
