import numpy as np
import pytest

from kernelproba.datasets import two_gaussians_problem
from kernelproba.inspection import (
    bootstrap_interval,
    brier_decomposition,
    brier_score,
    expected_calibration_error,
    probability_scores,
)


def _predictions(n, seed):
    problem = two_gaussians_problem()
    X, y = problem.sample(n, random_state=seed)
    return y, problem.posterior(X)


def test_the_interval_covers_the_true_score_as_often_as_it_says():
    truth = brier_score(*_predictions(200_000, seed=999))
    covered = 0
    for seed in range(60):
        y, P = _predictions(150, seed)
        interval = bootstrap_interval(brier_score, y, P, n_resamples=100, confidence=0.8, random_state=seed)
        covered += interval.low <= truth <= interval.high
    # 80 % of 60, give or take three binomial standard errors of 3.1
    assert 39 <= covered <= 57


def test_the_interval_has_the_width_of_the_central_limit_theorem():
    y, P = _predictions(2000, seed=0)
    interval = bootstrap_interval(brier_score, y, P, n_resamples=400, random_state=0)
    losses = ((P - np.eye(2)[y]) ** 2).sum(axis=1)
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * losses.std() / np.sqrt(2000), rel=0.15)
    assert interval.estimate == brier_score(y, P)
    assert interval.low < interval.estimate < interval.high


def test_scores_with_several_numbers_get_an_interval_for_each():
    y, P = _predictions(100, seed=1)
    table = bootstrap_interval(probability_scores, y, P, n_resamples=20, random_state=0)
    assert set(table) == {"error", "log_loss", "brier", "ece"}
    parts = bootstrap_interval(brier_decomposition, y, P, n_resamples=20, random_state=0)
    assert set(parts) == {"reliability", "resolution", "uncertainty", "within_bin"}
    assert parts["reliability"].estimate == brier_decomposition(y, P).reliability


def test_a_class_that_a_resample_misses_does_no_harm():
    y = np.array(["rare"] + ["common"] * 30)
    P = np.tile([0.9, 0.1], (31, 1))
    interval = bootstrap_interval(expected_calibration_error, y, P, n_resamples=50, random_state=0)
    assert np.isfinite(interval).all()


def test_the_same_seed_gives_the_same_interval():
    y, P = _predictions(60, seed=2)
    first, second = (bootstrap_interval(brier_score, y, P, n_resamples=30, random_state=5) for _ in range(2))
    assert first == second


def test_bad_arguments_are_refused():
    y, P = _predictions(20, seed=3)
    with pytest.raises(ValueError, match="confidence must lie between 0 and 1"):
        bootstrap_interval(brier_score, y, P, confidence=95)
    with pytest.raises(ValueError, match="n_resamples must be at least 1"):
        bootstrap_interval(brier_score, y, P, n_resamples=0)
    with pytest.raises(ValueError, match="sum to 1"):
        bootstrap_interval(brier_score, y, 2 / 3 * P)
