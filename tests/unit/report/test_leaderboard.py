"""Results as they come, within a time, and paired differences."""

import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier

from kernelproba.report.leaderboard import Leaderboard
from kernelproba.report.time_limit import OutOfTime, time_limit


class Stated(ClassifierMixin, BaseEstimator):
    """States a column of its input as the probability of the second class; may sleep first."""

    def __init__(self, column=0, seconds=0.0):
        self.column, self.seconds = column, seconds

    def fit(self, X, y):  # noqa: ARG002
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            time.sleep(0.01)
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        p = np.asarray(X)[:, self.column]
        return np.column_stack([1 - p, p])


def stated(n=400, seed=0):
    rng = np.random.default_rng(seed)
    P = rng.uniform(0.05, 0.95, size=(n, 2))
    return P, (rng.uniform(size=n) < P[:, 0]).astype(int)


def test_rows_come_one_by_one():
    X, y = stated()
    board = Leaderboard(X, y, {"a": Stated(), "b": Stated(1)})
    run = board.run()
    assert next(run)["method"] == "a"
    assert board.table()["method"].tolist() == ["a"]
    assert next(run)["method"] == "b"


def test_gaps_are_paired_differences_of_log_losses():
    X, y = stated()
    board = Leaderboard(X, y, {"true": Stated(), "noise": Stated(1)})
    list(board.run())
    table = board.table().set_index("method")
    losses = [-np.log(np.where(y == 1, X[:, j], 1 - X[:, j])) for j in (0, 1)]
    difference = losses[1] - losses[0]
    half = 1.96 * difference.std(ddof=1) / np.sqrt(len(y))
    assert table.loc["true", "log_loss_gap"] == 0
    gap = table.loc["noise", ["log_loss_gap", "log_loss_gap_low", "log_loss_gap_high"]]
    assert gap.tolist() == pytest.approx(
        [difference.mean(), difference.mean() - half, difference.mean() + half]
    )


def test_time_that_is_over_leaves_what_is_done():
    X, y = stated()
    methods = {"quick": Stated(), "slow": Stated(0, 0.4), "late": DummyClassifier()}
    board = Leaderboard(X, y, methods, cv=5)
    start = time.monotonic()
    list(board.run(max_time=1.0))
    assert time.monotonic() - start < 3
    table = board.table().set_index("method")
    assert table.loc["quick", "problem"] == ""
    assert table.loc["slow", "problem"] == "out of time"
    assert 0 < table.loc["slow", "folds_done"] < 5
    assert np.isfinite(table.loc["slow", "log_loss"])
    assert table.loc["late", "folds_done"] == 0
    assert np.isnan(table.loc["late", "log_loss"])


def test_no_search_swallows_the_end_of_the_time():
    def endless():
        while True:
            try:
                time.sleep(0.01)
            except Exception:
                continue

    with pytest.raises(OutOfTime), time_limit(0.05):
        endless()
    with time_limit(5):
        pass
    time.sleep(0.01)  # no alarm is left
