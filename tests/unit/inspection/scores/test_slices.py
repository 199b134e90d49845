"""Where predictions are worst: slices that were made worse are found, and no others."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_ind

from kernelproba.inspection import error_slices
from kernelproba.inspection.scores.slices import holm


def truthful(n=800, seed=0):
    """Rows, and labels drawn with the probabilities that are stated."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"a": rng.normal(size=n), "town": rng.choice(list("xyz"), n), "flag": rng.random(n) < 0.3}
    )
    p = 1 / (1 + np.exp(-2 * X["a"].to_numpy()))
    return X, (rng.random(n) < p).astype(int), p


def test_swapped_labels_of_a_level_are_the_worst_slice_and_unexpected():
    X, y, p = truthful()
    y = np.where(X["town"] == "y", 1 - y, y)
    worst = error_slices(y, p, X).iloc[0]
    assert (worst["column"], worst["slice"]) == ("town", "equal to “y”")
    assert worst["p_unexpected"] < 1e-6
    assert worst["log_loss"] > worst["frequencies"]
    assert worst["rows"] == (X["town"] == "y").sum()


def test_rows_that_are_merely_hard_are_expected_to_be():
    X, y, p = truthful()
    lines = error_slices(y, p, X)
    middle = lines[(lines["column"] == "a") & (lines["p_value"] < 0.01)]
    assert len(middle)  # near the boundary losses are larger
    assert (middle["p_unexpected"] > 0.05).all()


def test_true_probabilities_raise_an_alarm_no_more_often_than_stated():
    alarms = 0
    for seed in range(60):
        X, y, p = truthful(300, seed)
        alarms += (error_slices(y, p, X)["p_unexpected"] < 0.05).any()
    assert alarms <= 8  # 3 on the average, and more than 8 once in 200 times


def test_the_test_is_welchs_and_p_values_are_corrected_for_the_slices():
    X, y, p = truthful()
    lines = error_slices(y, p, X[["town"]])
    losses = -np.log(np.where(y == 1, p, 1 - p))
    raw = []
    for town in lines["slice"].str[-2]:
        inside = (X["town"] == town).to_numpy()
        raw.append(ttest_ind(losses[inside], losses[~inside], equal_var=False, alternative="greater").pvalue)
    np.testing.assert_allclose(lines["p_value"], holm(np.array(raw)), rtol=1e-9)


def test_holm_rejects_what_his_procedure_rejects():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=40) ** 3
    for alpha in (0.01, 0.05, 0.3):
        rejected, order = np.zeros(40, dtype=bool), np.argsort(p)
        for k, i in enumerate(order):
            if p[i] > alpha / (40 - k):
                break
            rejected[i] = True
        np.testing.assert_array_equal(holm(p) <= alpha, rejected)


def test_numbers_have_ranges_that_hold_every_row_once_and_gaps_are_a_slice():
    X, y, p = truthful()
    X.loc[:99, "a"] = np.nan
    lines = error_slices(y, p, X[["a"]])
    assert lines["rows"].sum() == 800
    assert sorted(lines["rows"])[0] == 100
    assert "missing" in set(lines["slice"])


def test_dates_and_few_numbers_are_told_as_people_write_them():
    _, y, p = truthful()
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(800) // 100, unit="D")
    lines = error_slices(y, p, pd.DataFrame({"day": days, "dose": np.arange(800) % 3}))
    assert {"equal to 0", "equal to 1", "equal to 2"} <= set(lines["slice"])
    assert "from 2024-01-01 to 2024-01-02" in set(lines["slice"])


def test_small_slices_are_not_looked_at():
    X, y, p = truthful(100)
    assert len(error_slices(y, p, X, min_rows=60)) == 0
    assert (error_slices(y, p, X)["rows"] >= 20).all()


def test_wrong_arguments_are_named():
    X, y, p = truthful(100)
    with pytest.raises(ValueError, match="n_bins must be a whole number and at least 2"):
        error_slices(y, p, X, n_bins=1)
    with pytest.raises(ValueError, match="X must hold the 100 rows of P, but has 99"):
        error_slices(y, p, X[:99])
