import numpy as np
import pandas as pd
import pytest

from kernelproba.inspection import (
    brier_decomposition,
    brier_score,
    expected_calibration_error,
    probability_scores,
    squared_calibration_error,
)
from kernelproba.inspection.scores.predictions import check_predictions

SCORES = [
    brier_decomposition,
    brier_score,
    expected_calibration_error,
    probability_scores,
    squared_calibration_error,
]
GOOD = np.array([[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]])
BAD = {
    "unknown label": ([0, 1, 7], GOOD, [0, 1], "not among the classes: 7"),
    "wrong type of label": (["0", "1", "1"], GOOD, [0, 1], "not among the classes: 0, 1"),
    "missing label": ([0, 1, np.nan], GOOD, [0, 1], "not among the classes: nan"),
    "uncomparable labels": (np.array(["a", None, "b"], dtype=object), GOOD, None, "y mixes labels"),
    "sums": ([0, 1, 0], GOOD + 0.01 * np.array([[0, 0], [0, 1], [0, 0]]), None, "row 1 sums to 1.01"),
    "negative": ([0, 1, 0], [[0.2, 0.8], [-0.5, 1.5], [1, 0]], None, "between 0 and 1, but row 1"),
    "NaN": ([0, 1, 0], [[0.2, 0.8], [0.5, 0.5], [np.nan, 0]], None, "NaN or infinity, but does in row 2"),
    "infinity": ([0, 1, 0], [[np.inf, 0.8], [0.5, 0.5], [1, 0]], None, "NaN or infinity"),
    "empty": ([], np.empty((0, 2)), [0, 1], "no rows"),
    "lengths": ([0, 1], GOOD, None, r"each of the 3 rows of P, but has shape \(2,\)"),
    "two-dimensional y": ([[0], [1], [0]], GOOD, None, "one label for each"),
    "one column": ([0, 0, 0], GOOD[:, :1], None, "c ≥ 2 classes"),
    "classes not in y": ([0, 0, 0], GOOD, None, r"pass classes=estimator\.classes_"),
    "number of classes": ([0, 1, 1], GOOD, [0, 1, 2], "P has 2 columns, but there are 3 classes"),
    "repeated class": ([0, 0, 0], GOOD, [0, 0], "must not repeat"),
}


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("case", BAD)
def test_bad_predictions_are_refused_with_the_reason(score, case):
    y, P, classes, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        score(y, P, classes=classes)


@pytest.mark.parametrize("weight", [[1, 2], [1, -1, 1], [0, 0, 0], [1, np.nan, 1]])
def test_bad_weights_are_refused(weight):
    with pytest.raises(ValueError, match="sample_weight must"):
        brier_score([0, 1, 0], GOOD, sample_weight=weight)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"kind": "marginal"}, "kind must be one of 'top-label', 'class-wise', not 'marginal'"),
        ({"strategy": "equal"}, "strategy must be one of 'uniform', 'quantile', not 'equal'"),
        ({"n_bins": 0}, "n_bins must be a positive whole number"),
        ({"n_bins": 2.5}, "n_bins must be a positive whole number"),
    ],
)
def test_unknown_options_are_answered_with_the_known_ones(option, message):
    with pytest.raises(ValueError, match=message):
        expected_calibration_error([0, 1, 0], GOOD, **option)


def test_many_unknown_labels_are_shortened():
    with pytest.raises(ValueError, match=r"a, b, c, d, e, …$"):
        brier_score(list("abcdefgh"), np.full((8, 2), 0.5), classes=["x", "y"])


def test_frames_series_and_lists_are_read_alike():
    frame = pd.DataFrame(GOOD, columns=["no", "yes"])
    labels = pd.Series(["yes", "no", "no"], index=[5, 6, 7])
    assert brier_score(labels, frame) == brier_score(["yes", "no", "no"], GOOD.tolist())


def test_labels_are_numbered_in_the_order_of_the_columns():
    checked = check_predictions(["b", "a", "c"], np.eye(3), classes=["c", "a", "b"])
    np.testing.assert_array_equal(checked.codes, [2, 1, 0])


def test_probabilities_rounded_for_a_text_file_are_accepted():
    P = np.full((4, 3), 0.33333)
    assert brier_score([0, 1, 2, 0], P) == pytest.approx(2 / 3, abs=1e-4)
