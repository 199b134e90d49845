"""Differences of scores on the same rows: their size, their noise, and what is shared taken out."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from kernelproba.inspection import probability_scores, score_differences, score_intervals


def two_models(n=400, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.05, 0.95, n)
    return (rng.random(n) < p).astype(int), p, np.clip(p + 0.1 * rng.normal(size=n), 0.02, 0.98)


def test_the_difference_is_that_of_the_scores():
    y, p, q = two_models()
    found = score_differences(y, p, q, n_resamples=50, random_state=0)
    ours, theirs = probability_scores(y, p), probability_scores(y, q)
    for name, interval in found.items():
        assert interval.estimate == pytest.approx(ours[name] - theirs[name], abs=1e-12)
        assert interval.low <= interval.estimate <= interval.high


def test_a_model_is_as_good_as_itself():
    y, p, _ = two_models()
    assert set(score_differences(y, p, p, n_resamples=20, random_state=0).values()) == {(0.0, 0.0, 0.0)}


def test_the_interval_is_that_of_a_paired_test():
    y, p, q = two_models()
    losses = [-np.log(np.where(y == 1, each, 1 - each)) for each in (p, q)]
    expected = ttest_rel(*losses).confidence_interval()
    found = score_differences(y, p, q, n_resamples=4000, random_state=0)["log_loss"]
    assert found.low == pytest.approx(expected.low, abs=0.1 * (expected.high - expected.low))
    assert found.high == pytest.approx(expected.high, abs=0.1 * (expected.high - expected.low))


def test_what_both_find_hard_does_not_widen_the_interval():
    y, p, q = two_models()
    alone = score_intervals(y, p, random_state=0)["log_loss"]
    paired = score_differences(y, p, q, random_state=0)["log_loss"]
    assert paired.high - paired.low < 0.5 * (alone.high - alone.low)
