"""Scores of probabilities against scikit-learn's."""

import inspect

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

from kernelproba.inspection import brier_score, expected_calibration_error, probability_scores

NAMES = np.array(["ant", "bee", "cat", "dog"])


@pytest.fixture(params=range(5))
def predictions(request):
    rng = np.random.RandomState(request.param)
    c = 2 + request.param % 3
    y = NAMES[rng.randint(c, size=300)]
    return y, rng.dirichlet(np.full(c, 0.4), size=300), NAMES[:c], rng.uniform(0.1, 2, size=300)


def test_log_loss_and_error_are_scikit_learns(predictions):
    y, P, classes, w = predictions
    scores = probability_scores(y, P, classes, sample_weight=w)
    assert scores["log_loss"] == pytest.approx(log_loss(y, P, labels=classes, sample_weight=w), rel=1e-12)
    labels = classes[P.argmax(axis=1)]
    assert 1 - scores["error"] == pytest.approx(accuracy_score(y, labels, sample_weight=w), rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_log_loss_of_a_zero_probability_is_scikit_learns(dtype):
    P = np.array([[1, 0], [0.25, 0.75], [0, 1]], dtype=dtype)
    assert probability_scores([1, 1, 1], P, [0, 1])["log_loss"] == pytest.approx(
        log_loss([1, 1, 1], P, labels=[0, 1]), rel=1e-6
    )


def test_the_brier_score_is_twice_the_one_for_two_classes():
    rng = np.random.RandomState(0)
    y, p, w = rng.randint(2, size=100), rng.uniform(size=100), rng.uniform(size=100)
    assert brier_score(y, p, sample_weight=w) == pytest.approx(2 * brier_score_loss(y, p, sample_weight=w))


@pytest.mark.skipif(
    "scale_by_half" not in inspect.signature(brier_score_loss).parameters,
    reason="this scikit-learn has no Brier score for several classes",
)
def test_the_brier_score_of_several_classes_is_scikit_learns(predictions):
    y, P, classes, w = predictions
    expected = brier_score_loss(y, P, labels=classes, sample_weight=w, scale_by_half=False)
    assert brier_score(y, P, classes, w) == pytest.approx(expected, rel=1e-12)


def test_the_calibration_error_is_the_area_between_the_calibration_curve_and_the_diagonal():
    rng = np.random.RandomState(1)
    p = rng.uniform(size=500)
    y = (rng.uniform(size=500) < p**1.5).astype(int)
    frequency, probability = calibration_curve(y, p, n_bins=10)
    counts = np.bincount(np.searchsorted(np.linspace(0, 1, 11)[1:-1], p), minlength=10)
    expected = (counts[counts > 0] * abs(frequency - probability)).sum() / 500
    # The gaps of the first class are those of the second, mirrored.
    ours = expected_calibration_error(y, np.stack([1 - p, p], axis=1), n_bins=10, kind="class-wise")
    assert ours == pytest.approx(expected, rel=1e-12)


def test_the_bins_of_the_second_class_are_those_of_the_calibration_curve():
    from kernelproba.inspection.scores.binning import BinTable, assign_bins
    from kernelproba.inspection.scores.predictions import check_predictions

    rng = np.random.RandomState(2)
    p = rng.uniform(size=400).round(2)
    y = (rng.uniform(size=400) < p).astype(int)
    checked = check_predictions(y, p)
    event = checked.class_event(1)
    binning = assign_bins(event.probability, checked.weight, n_bins=20, strategy="uniform")
    table = BinTable.of(event, checked.weight, binning, confidence=0.95)
    frequency, probability = calibration_curve(y, p, n_bins=20)
    np.testing.assert_allclose(table.frequency, frequency)
    np.testing.assert_allclose(table.probability, probability)
