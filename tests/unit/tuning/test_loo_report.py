import numpy as np
import pytest
from sklearn.metrics import log_loss

from kernelproba.inspection import probability_scores
from kernelproba.tuning.loo_report import fit_temperature, out_of_sample_scores, tempered

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


def test_scores_are_those_of_the_inspection_module():
    log_P, y = drawn(200)
    weight = rng.random(200)
    found = out_of_sample_scores(log_P, y, weight)
    expected = probability_scores(y, np.exp(log_P), classes=[0, 1, 2], sample_weight=weight)
    for name, value in found.items():
        assert value == pytest.approx(expected[name]), name
    assert found["log_loss"] == pytest.approx(log_loss(y, np.exp(log_P), sample_weight=weight))
