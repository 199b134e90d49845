import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from kernelproba.calibration import (
    MAX_EXPONENT,
    MIN_EXPONENT,
    Clipping,
    HeldOutScores,
    PowerCalibration,
    PriorOutside,
    SlopeMap,
    fit_power,
    fit_score_map,
    fit_slope,
    fit_temperature,
    tempered,
)

PRIOR = np.array([0.5, 0.3, 0.2])


def posterior_sample(n=4000, seed=0):
    """True posteriors and labels drawn from them."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.full(3, 0.5), n)
    return P, (P.cumsum(axis=1) < rng.random(n)[:, None]).sum(axis=1)


def log_loss(log_P, y):
    return -log_P[np.arange(len(y)), y].mean()


def test_clipping_divides_by_what_is_left():
    Q = np.array([[0.2, -0.1, 0.6], [1e-320, 0.0, 3e-320]])
    np.testing.assert_allclose(Clipping(PRIOR).probabilities(Q), [[0.25, 0, 0.75], PRIOR])
    np.testing.assert_allclose(Clipping(PRIOR).probabilities(Q * 1e-290)[0], [0.25, 0, 0.75])


def test_the_prior_answers_where_every_score_is_clipped():
    P = Clipping(PRIOR).probabilities(np.array([[-1.0, -2.0, 0.0]]))
    np.testing.assert_allclose(P[0], PRIOR)


def test_an_exponent_undoes_a_power():
    """Probabilities flattened by a power of 1/3 need an exponent of 3."""
    P, y = posterior_sample()
    flat = P ** (1 / 3)
    flat /= flat.sum(axis=1, keepdims=True)
    power = fit_power(flat, y, floors=(1e-12,))
    assert power.exponent == pytest.approx(3, rel=0.1)
    np.testing.assert_allclose(np.exp(power.log_probabilities(flat)), P, atol=0.05)


def test_the_exponent_minimises_the_log_loss():
    P, y = posterior_sample(500)
    power = fit_power(P, y, floors=(1e-2,))
    best = minimize_scalar(
        lambda t: log_loss(PowerCalibration(t, 1e-2).log_probabilities(P), y),
        bounds=(0.2, 5),
        method="bounded",
    )
    assert log_loss(power.log_probabilities(P), y) <= best.fun + 1e-5


def test_a_weight_of_two_is_a_row_seen_twice():
    P, y = posterior_sample(300)
    weight = np.random.default_rng(1).integers(1, 4, 300)
    weighted = fit_power(P, y, weight, n_observations=weight.sum())
    repeated = fit_power(P.repeat(weight, axis=0), y.repeat(weight))
    assert weighted.floor == repeated.floor
    assert weighted.exponent == pytest.approx(repeated.exponent, rel=1e-9)


def test_the_unit_of_weights_does_not_matter():
    P, y = posterior_sample(300)
    assert fit_power(P, y, np.full(300, 1e-6)).exponent == pytest.approx(fit_power(P, y).exponent, rel=1e-9)


def test_no_class_overtakes_another():
    P, y = posterior_sample(200)
    log_P = fit_power(P, y).log_probabilities(P)
    np.testing.assert_array_equal(log_P.argsort(axis=1), P.argsort(axis=1))


def test_perfect_scores_stay_short_of_certainty_and_noise_keeps_its_order():
    y = np.arange(30) % 3
    perfect = fit_power(np.eye(3)[y], y)
    assert MIN_EXPONENT <= perfect.exponent <= MAX_EXPONENT
    # 30 hits of 30, and one row's worth of doubt shared by three classes.
    truth = np.exp(perfect.log_probabilities(np.eye(3))).diagonal()
    np.testing.assert_allclose(truth, 1 - 2 / 3 / 31, atol=2e-3)
    wrong = fit_power(np.eye(3)[(y + 1) % 3], y)
    assert MIN_EXPONENT <= wrong.exponent <= 2 * MIN_EXPONENT


def test_without_evidence_the_answer_turns_to_the_priors():
    outside = PriorOutside(Clipping(PRIOR), PRIOR, threshold=0.1)
    Q = np.array([[0.9, 0.0, 0.1], [0.05, 0.0, 0.0], [1e-300, 0.0, 0.0], [-1.0, -1.0, -1.0]])
    P = np.exp(outside.log_probabilities(Q))
    np.testing.assert_allclose(P[0], [0.9, 0, 0.1])
    np.testing.assert_allclose(P[1], 0.5 * np.array([1, 0, 0]) + 0.5 * PRIOR)
    np.testing.assert_allclose(P[2:], [PRIOR, PRIOR])


def test_the_threshold_leaves_rows_like_the_training_rows_alone():
    rng = np.random.default_rng(0)
    Q = rng.random((2000, 3))
    rows = HeldOutScores(Q, rng.integers(0, 3, 2000), np.ones(2000))
    tails = fit_score_map(rows, PRIOR, None, "tails")
    prior = fit_score_map(rows, PRIOR, None, "prior")
    changed = np.abs(tails.probabilities(Q) - np.exp(prior.log_probabilities(Q))).max(axis=1) > 1e-12
    assert changed.mean() <= 2e-3


def test_classes_of_no_weight_get_no_prior():
    outside = PriorOutside(Clipping(np.array([1.0, 0.0])), np.array([1.0, 0.0]), threshold=1.0)
    P = np.exp(outside.log_probabilities(np.array([[0.0, 0.0], [0.0, 0.5]])))
    np.testing.assert_allclose(P, [[1, 0], [0.5, 0.5]])


@pytest.mark.parametrize("slope", [0.3, 5.0])
def test_the_slope_is_that_of_the_scores(slope):
    rng = np.random.default_rng(0)
    F = 2 * rng.standard_normal((20_000, 3))
    P = np.exp(SlopeMap(slope).log_probabilities(F))
    y = (P.cumsum(axis=1) < rng.random(len(F))[:, None]).sum(axis=1)
    assert fit_slope(HeldOutScores(F, y, np.ones(len(y)))).slope == pytest.approx(slope, rel=0.05)


def test_scores_worse_than_guessing_have_no_slope():
    F, y = np.eye(2)[[0, 1, 0, 1]], np.array([1, 0, 1, 0])
    assert fit_slope(HeldOutScores(F, y, np.ones(4))).slope == 0


def test_scores_that_separate_the_classes_have_a_finite_slope():
    y = np.array([1, 0, 1, 0])
    P = np.exp(fit_slope(HeldOutScores(np.eye(2)[y], y, np.ones(4))).log_probabilities(np.eye(2)))
    np.testing.assert_allclose(P.diagonal(), 3 / 4, rtol=1e-6)  # Platt's target (n + 1)/(n + 2)


rng = np.random.default_rng(0)


def drawn(n, c=3, sharpness=2.0):
    """Log-probabilities, and labels that follow them."""
    F = sharpness * rng.standard_normal((n, c))
    log_P = F - np.logaddexp.reduce(F, axis=1, keepdims=True)
    y = np.array([rng.choice(c, p=p) for p in np.exp(log_P)])
    return log_P, y


def test_true_probabilities_are_left_as_they_are():
    unchanged = [fit_temperature(*drawn(300), np.ones(300)) == 1.0 for _ in range(20)]
    # A gain of two nats by chance is as rare as once in twenty times.
    assert np.mean(unchanged) >= 0.75


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_a_model_that_is_too_sure_or_too_unsure_is_corrected_by_how_much_it_is(temperature):
    log_P, y = drawn(5000)
    found = fit_temperature(tempered(log_P, 1 / temperature), y, np.ones(5000))
    assert found == pytest.approx(temperature, rel=0.1)


def test_too_few_rows_are_no_evidence():
    log_P, y = drawn(5)
    assert fit_temperature(tempered(log_P, 0.8), y, np.ones(5)) == 1.0


def test_rows_that_are_all_right_are_no_evidence_for_certainty():
    log_P = np.log(np.tile([0.9, 0.1], (10, 1)))
    T = fit_temperature(log_P, np.zeros(10, dtype=int), np.ones(10))
    assert np.exp(tempered(log_P, T)).max() < 0.99


def test_a_temperature_keeps_probabilities_and_their_order():
    log_P, _ = drawn(50)
    P = np.exp(tempered(log_P, 3.0))
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(P.argsort(axis=1), log_P.argsort(axis=1))
