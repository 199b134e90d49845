"""Scores of the headline and their intervals."""

import numpy as np
import pytest

from kernelproba.datasets import two_gaussians_problem
from kernelproba.inspection import (
    bootstrap_interval,
    probability_scores,
    score_intervals,
    squared_calibration_error,
)
from kernelproba.inspection.scores.binning import wilson_interval


def _predictions(n, seed, c=3):
    rng = np.random.RandomState(seed)
    return rng.randint(c, size=n), rng.dirichlet(np.ones(c), size=n)


@pytest.mark.parametrize("c", [2, 5])
def test_intervals_are_those_of_resampling_the_rows(c):
    y, P = _predictions(80, 0, c)
    slow = bootstrap_interval(
        lambda y, P, classes: probability_scores(y, P, classes), y, P, n_resamples=50, random_state=3
    )
    fast = score_intervals(y, P, n_resamples=50, random_state=3)
    for name in ("log_loss", "brier", "ece"):
        assert fast[name] == pytest.approx(slow[name]._replace(low=max(0, slow[name].low)))
    assert fast["error"].estimate == pytest.approx(slow["error"].estimate)


def test_the_error_of_a_model_without_mistakes_is_not_known_to_be_zero():
    y = np.array(["a", "b"] * 20)
    P = np.where(y[:, None] == ["a", "b"], 0.9, 0.1)
    error = score_intervals(y, P, n_resamples=20)["error"]
    assert (error.estimate, error.low) == (0, 0)
    # Wilson's interval at frequency 0 ends at z²/(n + z²).
    assert error.high == pytest.approx(1.959964**2 / (40 + 1.959964**2), rel=1e-6)


def test_the_error_gets_wilsons_interval():
    y, P = _predictions(60, 1)
    wrong = np.mean(P.argmax(axis=1) != y)
    low, high = wilson_interval(wrong, np.array(60), 0.9)
    error = score_intervals(y, P, confidence=0.9, n_resamples=5)["error"]
    assert error == pytest.approx((wrong, low, high))


def test_labels_may_be_anything_that_compares():
    y, P = _predictions(50, 2)
    named = score_intervals(np.array(["x", "y", "z"], dtype=object)[y], P, n_resamples=20, random_state=0)
    assert named == score_intervals(y, P, n_resamples=20, random_state=0)


def test_scores_are_never_negative():
    P = np.tile([0.999, 0.001], (30, 1))
    y = np.array([0] * 29 + [1])
    assert min(interval.low for interval in score_intervals(y, P, random_state=0).values()) == 0


@pytest.mark.parametrize(("option", "value"), [("n_resamples", 0), ("confidence", 1.5)])
def test_bad_options_are_named(option, value):
    with pytest.raises(ValueError, match=option):
        score_intervals(*_predictions(10, 0), **{option: value})


def _squared_error(y, P, classes, sample_weight):
    return squared_calibration_error(y, P, kind="class-wise", classes=classes, sample_weight=sample_weight)


@pytest.mark.parametrize("gap", [0.0, 0.1])
def test_the_interval_of_the_debiased_error_covers_the_truth_as_often_as_it_says(gap):
    # The model states p where the event happens with p + gap: the squared calibration error is gap².
    # Taking a row drawn twice for a pair would cover 42 % without a gap.
    problem, covered = two_gaussians_problem(), 0
    for seed in range(60):
        X, _ = problem.sample(400, random_state=seed)
        p = 0.3 + 0.4 * problem.posterior(X)[:, 1]
        y = (np.random.RandomState(1000 + seed).uniform(size=400) < p + gap).astype(int)
        interval = bootstrap_interval(
            _squared_error, y, p, n_resamples=100, confidence=0.8, random_state=seed
        )
        covered += interval.low <= gap**2 <= interval.high
    # 80 % of 60, less three binomial standard errors of 3.1; at zero the intervals are too wide.
    assert covered >= 39


@pytest.mark.parametrize("seed", range(20))
def test_an_interval_contains_its_estimate_and_stays_in_range(seed):
    rng = np.random.RandomState(seed)
    n, c = rng.randint(2, 40), rng.randint(2, 5)
    P = rng.dirichlet(np.full(c, 10.0 ** rng.uniform(-1, 1)), size=n)
    y = rng.randint(c, size=n) if seed % 2 else P.argmax(axis=1)
    intervals = score_intervals(y, P, classes=np.arange(c), n_resamples=50, random_state=0)
    for name, (estimate, low, high) in intervals.items():
        assert 0 <= low <= estimate <= high
        assert high <= {"error": 1, "ece": 1, "brier": 2}.get(name, np.inf)
