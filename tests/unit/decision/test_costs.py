"""Every way of writing costs is read alike, and mistakes are named."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kernelproba.decision import as_loss_matrix, as_reject_label, label_index, label_table

CLASSES = np.array(["a", "b", "c"])
COSTS = np.array([[0.0, 1.0, 2.0], [3.0, 0.5, 4.0], [5.0, 6.0, 0.0]])
PAIRS = {(i, j): COSTS[a, b] for a, i in enumerate("abc") for b, j in enumerate("abc")}
SHUFFLED = [2, 0, 1]


def test_none_is_the_zero_one_loss():
    np.testing.assert_array_equal(as_loss_matrix(None, CLASSES), [[0, 1, 1], [1, 0, 1], [1, 1, 0]])


@pytest.mark.parametrize(
    "written",
    [
        COSTS.tolist(),
        PAIRS,
        pd.DataFrame(COSTS, CLASSES, CLASSES).iloc[SHUFFLED, SHUFFLED[::-1]],
        pl.DataFrame({"truth": list("cab"), **{j: COSTS[SHUFFLED, k] for k, j in enumerate("abc")}}),
        pl.DataFrame({CLASSES[j]: COSTS[SHUFFLED, j] for j in SHUFFLED}),
    ],
    ids=["list", "mapping", "pandas", "polars with truths", "polars square"],
)
def test_arrays_mappings_and_frames_agree(written):
    np.testing.assert_array_equal(as_loss_matrix(written, CLASSES), COSTS)


def test_polars_columns_are_matched_to_numeric_labels():
    frame = pl.DataFrame({"truth": [7, 3], "7": [0.0, 1.0], "3": [2.0, 0.0]})
    np.testing.assert_array_equal(as_loss_matrix(frame, [3, 7]), [[0, 1], [2, 0]])


def test_a_missing_diagonal_costs_nothing():
    assert as_loss_matrix({("a", "b"): 1, ("b", "a"): 2}, ["a", "b"]).tolist() == [[0, 1], [2, 0]]


def test_labels_beyond_the_classes_are_left_out():
    np.testing.assert_array_equal(as_loss_matrix(PAIRS, ["a", "c"]), COSTS[np.ix_([0, 2], [0, 2])])


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ([[0, 1], [1, 0]], r"shape \(3, 3\).*got shape \(2, 2\)"),
        (COSTS[:, :2], r"got shape \(3, 2\)"),
        (np.where(COSTS == 6, np.nan, COSTS), "must be finite"),
        (np.where(COSTS == 6, np.inf, COSTS), "must be finite"),
        ({("a", "b"): 1.0}, r"lacks the .*\('a', 'c'\)"),
        (pd.DataFrame(COSTS, CLASSES, list("abd")), r"columns \(decisions\).*\['c'\]"),
        (pd.DataFrame(COSTS, list("aab"), CLASSES), r"rows \(truths\).*\['a', 'c'\]"),
        ([["x", "y", "z"]] * 3, "one number for each"),
        (np.zeros((4, 3, 3)), r"got shape \(4, 3, 3\)"),
    ],
)
def test_bad_costs_are_refused_with_the_cure(written, message):
    with pytest.raises(ValueError, match=message):
        as_loss_matrix(written, CLASSES)


def test_costs_per_row_need_one_matrix_for_each_row():
    costs = np.broadcast_to(COSTS, (4, 3, 3))
    assert as_loss_matrix(costs, CLASSES, n_rows=4).shape == (4, 3, 3)
    with pytest.raises(ValueError, match=r"\(3, 3\) or \(5, 3, 3\)"):
        as_loss_matrix(costs, CLASSES, n_rows=5)


def test_labels_are_found_whatever_the_order_of_the_classes():
    assert label_index(["b", "c", "a"], ["c", "a", "b"]).tolist() == [2, 0, 1]
    with pytest.raises(ValueError, match=r"\['z'\].*not among the classes"):
        label_index(["b", "z"], CLASSES)


@pytest.mark.parametrize(
    ("classes", "label", "table"),
    [
        (CLASSES, None, ["a", "b", "c", "reject"]),
        (CLASSES.astype(object), "unsure", ["a", "b", "c", "unsure"]),
        (np.array([0, 1]), None, [0, 1, -1]),
        (np.array([0, 1], dtype=np.uint8), np.int64(-7), [0, 1, -7]),
        (np.array([0.5, 1.5]), 9, [0.5, 1.5, 9.0]),
    ],
)
def test_the_reject_label_joins_the_classes_unharmed(classes, label, table):
    joined = label_table(classes, as_reject_label(label, classes))
    assert joined.tolist() == table
    assert (joined.dtype == object) == (classes.dtype == object)


@pytest.mark.parametrize(
    ("classes", "label", "message"),
    [
        (CLASSES, -1, "choose a string"),
        (np.array([0, 1]), "reject", "choose a whole number"),
        (np.array([0, 1]), 0.5, "choose a whole number"),
        (np.array([0, 2]), True, "choose a whole number"),
        (np.array([0.0, 1.0]), "reject", "choose a number"),
        (np.array([-1, 1]), None, "one of the classes"),
        (np.array([False, True]), None, "boolean"),
    ],
)
def test_a_reject_label_that_does_not_fit_is_refused(classes, label, message):
    with pytest.raises(ValueError, match=message):
        as_reject_label(label, classes)
