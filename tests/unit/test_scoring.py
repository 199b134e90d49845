"""The four scores, against scikit-learn and by hand."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss, zero_one_loss

from kernelproba import KernelLogisticRegressionCV, LeastSquaresProbabilisticClassifierCV
from kernelproba.inspection import expected_calibration_error, probability_scores
from kernelproba.scoring import mean_scores, row_log_losses, uniform_bins


@pytest.fixture
def stated():
    rng = np.random.default_rng(0)
    return rng.dirichlet(np.ones(3), 200), rng.integers(3, size=200), rng.random(200)


def test_scores_are_those_of_scikit_learn(stated):
    P, y, weight = stated
    scores = mean_scores(P, y, weight)
    assert scores["error"] == pytest.approx(zero_one_loss(y, P.argmax(axis=1), sample_weight=weight))
    assert scores["log_loss"] == pytest.approx(log_loss(y, P, sample_weight=weight))
    # Half of the Brier score of one class against the others, summed over the classes: older versions of
    # scikit-learn have no other.
    parts = [brier_score_loss(y == k, P[:, k], sample_weight=weight) for k in range(3)]
    assert scores["brier"] == pytest.approx(sum(parts))
    assert scores["ece"] == pytest.approx(expected_calibration_error(y, P, sample_weight=weight))
    assert probability_scores(y, P, sample_weight=weight) == pytest.approx(scores)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_probability_of_zero_counts_as_the_rounding_unit(dtype):
    P, y = np.array([[1.0, 0.0], [1.0, 0.0]], dtype=dtype), np.array([0, 1])
    np.testing.assert_allclose(row_log_losses(P, y), [0, -np.log(np.finfo(dtype).eps)], rtol=1e-6)
    assert mean_scores(P, y, np.ones(2))["log_loss"] == pytest.approx(log_loss(y, P), rel=1e-6)


def test_a_bin_takes_its_upper_edge():
    assert uniform_bins(np.array([0.0, 0.5, 0.500001, 1.0]), 2).tolist() == [0, 0, 1, 1]


def test_what_a_model_says_of_itself_is_what_its_report_would_say():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    for model in (KernelLogisticRegressionCV(), LeastSquaresProbabilisticClassifierCV()):
        model.fit(X, y)
        assert model.loo_scores_ == pytest.approx(probability_scores(y, model.loo_proba_))
