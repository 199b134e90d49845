import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernelproba.datasets import three_gaussians_problem
from kernelproba.inspection import (
    brier_decomposition,
    brier_score,
    expected_calibration_error,
    probability_scores,
    squared_calibration_error,
)

KINDS = ["top-label", "class-wise"]
STRATEGIES = ["uniform", "quantile"]


def _random_predictions(seed, n=200, c=3):
    rng = np.random.RandomState(seed)
    return rng.randint(c, size=n), rng.dirichlet(np.full(c, 0.7), size=n)


def test_two_bins_by_hand():
    y = [0, 1, 0, 1]
    P = np.array([[0.9, 0.1], [0.7, 0.3], [0.4, 0.6], [0.1, 0.9]])
    # confidences .9 hit, .7 miss, .6 miss, .9 hit; bins (.6, .8] and (.8, 1] of five:
    # |0 − .6|·¼ in (.4, .6], |0 − .7|·¼, |1 − .9|·½
    assert expected_calibration_error(y, P, n_bins=5) == pytest.approx(0.15 + 0.175 + 0.05)
    # class 0 in one bin: mean p = .525 against frequency ½; class 1 likewise
    assert expected_calibration_error(y, P, n_bins=1, kind="class-wise") == pytest.approx(0.025)


def test_a_classifier_sure_and_right_has_no_error():
    P = np.eye(3)[[0, 1, 2, 1]]
    assert probability_scores([0, 1, 2, 1], P) == {"error": 0, "log_loss": 0, "brier": 0, "ece": 0}
    assert expected_calibration_error([0, 1, 2, 1], P, debiased=True) == 0


def test_a_classifier_sure_and_wrong_has_the_largest_errors():
    P = np.eye(2)[[1, 0]]
    scores = probability_scores([0, 1], P)
    assert scores["error"] == 1
    assert scores["brier"] == 2
    assert scores["ece"] == 1
    assert scores["log_loss"] == pytest.approx(-np.log(np.finfo(float).eps))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_true_posterior_has_a_debiased_error_of_zero_within_its_standard_error(kind, strategy):
    problem = three_gaussians_problem()
    estimates, plain = [], []
    for seed in range(120):
        X, y = problem.sample(300, random_state=seed)
        P = problem.posterior(X)
        options = {"kind": kind, "strategy": strategy, "n_bins": 10, "classes": problem.classes_}
        estimates.append(squared_calibration_error(y, P, **options))
        plain.append(expected_calibration_error(y, P, **options) ** 2)
    standard_error = np.std(estimates, ddof=1) / np.sqrt(len(estimates))
    assert abs(np.mean(estimates)) < 3 * standard_error
    # The plain error would not pass this test: that is what debiasing is for.
    assert np.mean(plain) > 4 * standard_error


def test_the_debiased_error_finds_a_constant_gap():
    rng = np.random.RandomState(0)
    p = rng.uniform(0.5, 0.8, size=20_000)
    y = (rng.uniform(size=p.size) < p + 0.1).astype(int)
    assert expected_calibration_error(y, p, debiased=True) == pytest.approx(0.1, abs=0.015)


def test_the_debiased_error_is_kumars_when_bins_hold_one_probability():
    y = np.array([1, 1, 1, 0, 1, 0, 0, 1, 1, 1])
    p = np.repeat([0.6, 0.9], 5)
    expected = 0
    for rows in (slice(5), slice(5, 10)):
        mean = y[rows].mean()
        expected += 0.5 * ((p[rows][0] - mean) ** 2 - mean * (1 - mean) / 4)
    assert squared_calibration_error(y, p, n_bins=4, classes=[0, 1]) == pytest.approx(expected)


def test_a_bin_of_one_row_adds_nothing_to_the_debiased_error():
    assert squared_calibration_error([0, 1], [[0.9, 0.1], [0.7, 0.3]], n_bins=10) == 0


def test_stating_the_base_rates_is_reliable_and_tells_nothing():
    y = np.repeat([0, 1, 2], [50, 30, 20])
    base = np.array([0.5, 0.3, 0.2])
    parts = brier_decomposition(y, np.tile(base, (100, 1)))
    assert parts.reliability == pytest.approx(0, abs=1e-15)
    assert parts.resolution == pytest.approx(0, abs=1e-15)
    assert parts.within_bin == pytest.approx(0, abs=1e-15)
    assert parts.uncertainty == pytest.approx((base * (1 - base)).sum())


def test_a_constant_predictor_pays_its_squared_gap_as_reliability():
    y = np.repeat([0, 1], [80, 20])
    parts = brier_decomposition(y, np.tile([0.5, 0.5], (100, 1)))
    assert parts.reliability == pytest.approx(2 * 0.3**2)
    assert parts.resolution == pytest.approx(0)
    assert parts.uncertainty == pytest.approx(2 * 0.8 * 0.2)


def test_a_perfect_predictor_resolves_all_uncertainty():
    y = np.array([0, 1, 2, 0, 1, 0])
    parts = brier_decomposition(y, np.eye(3)[y])
    assert parts.reliability == 0
    assert parts.resolution == pytest.approx(parts.uncertainty)


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 60),
    c=st.integers(2, 5),
    n_bins=st.integers(1, 20),
    strategy=st.sampled_from(STRATEGIES),
    decimals=st.sampled_from([1, 12]),
)
@example(seed=7099, n=7, c=2, n_bins=1, strategy="uniform", decimals=1)  # one class alone
@settings(max_examples=60, deadline=None)
def test_the_parts_of_the_brier_score_add_up(seed, n, c, n_bins, strategy, decimals):
    rng = np.random.RandomState(seed)
    y, P = rng.randint(c, size=n), rng.dirichlet(np.full(c, 0.5), size=n).round(decimals)
    P[:, 0] += 1 - P.sum(axis=1)  # rounding makes ties, which the bins must keep together
    P = np.clip(P, 0, 1) / np.clip(P, 0, 1).sum(axis=1, keepdims=True)
    w = rng.uniform(0.1, 3, size=n)
    parts = brier_decomposition(y, P, n_bins=n_bins, strategy=strategy, classes=range(c), sample_weight=w)
    assert parts.score == pytest.approx(brier_score(y, P, range(c), w), abs=1e-12)
    assert min(parts.reliability, parts.resolution, parts.uncertainty) >= 0


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_of_two_is_a_row_seen_twice(kind, strategy):
    y, P = _random_predictions(0)
    w = np.random.RandomState(1).randint(3, size=len(y))
    twice = np.repeat(np.arange(len(y)), w)
    options = {"kind": kind, "strategy": strategy, "classes": [0, 1, 2], "n_bins": 10}
    weighted = expected_calibration_error(y, P, sample_weight=w, **options)
    assert weighted == pytest.approx(expected_calibration_error(y[twice], P[twice], **options))
    assert probability_scores(y, P, sample_weight=w) == pytest.approx(probability_scores(y[twice], P[twice]))
    parts = brier_decomposition(y, P, sample_weight=w, strategy=strategy)
    assert parts == pytest.approx(brier_decomposition(y[twice], P[twice], strategy=strategy))


def test_the_unit_of_the_weights_does_not_matter():
    y, P = _random_predictions(2)
    w = np.random.RandomState(1).uniform(size=len(y))
    for debiased in (False, True):
        first = expected_calibration_error(y, P, sample_weight=w, debiased=debiased, kind="class-wise")
        second = expected_calibration_error(y, P, sample_weight=1e6 * w, debiased=debiased, kind="class-wise")
        assert first == pytest.approx(second)


def test_columns_may_come_in_any_order_if_named():
    y, P = _random_predictions(3)
    names = np.array(["blue", "green", "red"])
    order = [2, 0, 1]
    first = probability_scores(names[y], P, names)
    assert probability_scores(names[y], P[:, order], names[order]) == pytest.approx(first)


def test_one_column_means_the_second_class():
    y = np.array(["no", "yes", "yes"])
    p = np.array([0.2, 0.9, 0.4])
    assert brier_score(y, p) == brier_score(y, np.stack([1 - p, p], axis=1))


def test_equal_bins_by_weight_hold_the_same_number_of_rows():
    from kernelproba.inspection.scores.binning import assign_bins

    p = np.random.RandomState(0).uniform(size=107) ** 3
    binning = assign_bins(p, np.ones(107), n_bins=10, strategy="quantile")
    counts = binning.sums(np.ones(107))
    assert counts.sum() == 107
    assert set(counts) == {10, 11}


def test_float32_probabilities_are_scored_in_double_precision():
    y, P = _random_predictions(4)
    P = (0.1 / 3 + 0.9 * P).astype(np.float32)  # away from 0, where the rounding unit matters
    assert probability_scores(y, P) == pytest.approx(probability_scores(y, P.astype(float)), rel=1e-6)
