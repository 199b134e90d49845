"""Methods side by side."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from kernelproba import KernelLogisticRegression
from kernelproba.inspection import score_intervals
from kernelproba.report.comparison import compare, rivals
from kernelproba.report.leaderboard import SCORES


class Stated(ClassifierMixin, BaseEstimator):
    """States its input as the posterior."""

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X)[:, : len(self.classes_)]


def test_scores_are_those_of_the_rows_left_out():
    rng = np.random.RandomState(0)
    P, y = rng.dirichlet(np.ones(3), size=60), np.arange(60) % 3
    table = compare(P, y, {"stated": Stated()}, cv=4, random_state=7)
    expected = score_intervals(y, P, random_state=7)
    for score in SCORES:
        row = table.loc[0, [score, f"{score}_low", f"{score}_high"]].tolist()
        assert row == pytest.approx(expected[score])


def test_folds_are_scikit_learns():
    X, y = load_iris(return_X_y=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    P = cross_val_predict(KNeighborsClassifier(), X, y, cv=folds, method="predict_proba")
    table = compare(X, y, {"by number": KNeighborsClassifier()})
    assert table.loc[0, "error"] == pytest.approx(np.mean(P.argmax(axis=1) != y))
    given = compare(X, y, {"by splitter": KNeighborsClassifier()}, cv=folds)
    pd.testing.assert_frame_equal(table[list(SCORES)], given[list(SCORES)])


def test_every_usual_rival_takes_any_numeric_table():
    X, y = load_iris(as_frame=True, return_X_y=True)
    table = compare(X, y.map({0: "a", 1: "b", 2: "c"}), rivals(), cv=2)
    assert table["method"].tolist() == list(rivals())
    assert (table["problem"] == "").all()
    assert (table["error"] < 0.15).all()
    assert (table[["fit_seconds", "predict_seconds"]] > 0).all(axis=None)
    assert table.attrs == {"rows": 150, "folds": 2}


def test_a_method_that_fails_leaves_a_row_with_its_problem():
    X, y = load_iris(return_X_y=True)
    table = compare(X, y, {"no probabilities": SVC(), "frequencies": DummyClassifier(strategy="prior")}, cv=5)
    assert "predict_proba" in table.loc[0, "problem"]
    assert table.loc[0, list(SCORES)].isna().all()
    assert table.loc[1, "error"] == pytest.approx(2 / 3)


def test_progress_counts_every_fit_also_of_a_method_that_fails():
    told = []
    X, y = load_iris(return_X_y=True)
    methods = {"fails": SVC(), "works": DummyClassifier()}
    compare(X, y, methods, cv=3, progress=lambda *news: told.append(news))
    assert told == [("fails", 3, 6), ("works", 4, 6), ("works", 5, 6), ("works", 6, 6)]


def test_a_class_that_a_fold_has_not_seen_has_probability_zero_there():
    y = np.array(["rare"] + ["left", "right"] * 10)
    table = compare(np.ones((21, 1)), y, {"prior": DummyClassifier(strategy="prior")}, cv=LeaveOneOut())
    # 20 rows find their class 9 times among the other 20, and the rare one finds its own never.
    surprise = [-np.log(9 / 20)] * 20 + [-np.log(np.finfo(float).eps)]
    assert table.loc[0, "log_loss"] == pytest.approx(np.mean(surprise))


def test_precomputed_kernels_are_cut_on_both_sides():
    X, y = load_iris(return_X_y=True)
    table = compare(X @ X.T, y, {"kernel": KernelLogisticRegression(kernel="precomputed")}, cv=2)
    linear = compare(X, y, {"linear": KernelLogisticRegression(kernel="linear")}, cv=2)
    np.testing.assert_allclose(table[list(SCORES)], linear[list(SCORES)], atol=1e-3)


@pytest.mark.parametrize(
    ("y", "methods", "cv", "message"),
    [
        ([0, 1] * 5, {}, 2, "methods is empty"),
        ([0, 1] * 5, {"m": DummyClassifier()}, 9, "2 ≤ cv ≤ 5"),
        ([0, 1] * 5, {"m": DummyClassifier()}, 1, "2 ≤ cv ≤ 5"),
        ([0, 1] * 4, {"m": DummyClassifier()}, 2, "inconsistent numbers of samples"),
    ],
)
def test_bad_input_is_refused_with_the_cure(y, methods, cv, message):
    with pytest.raises(ValueError, match=message):
        compare(np.ones((10, 2)), y, methods, cv=cv)
