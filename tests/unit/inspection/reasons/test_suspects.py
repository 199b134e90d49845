"""Suspects: flipped labels are found, and the table says which row was meant."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_wine, make_moons
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from kernelproba import KernelLogisticRegression
from kernelproba.datasets import DatasetUnavailable, load
from kernelproba.inspection import SuspectsDisplay, suspects

matplotlib.use("Agg")
MODEL = make_pipeline(StandardScaler(), KernelLogisticRegression())


def flip(y, share=0.05, seed=0):
    """Give a share of the rows another label; return all labels and the rows that were flipped."""
    rng = np.random.default_rng(seed)
    classes, codes = np.unique(y, return_inverse=True)
    rows = rng.choice(len(y), round(share * len(y)), replace=False)
    codes[rows] = (codes[rows] + rng.integers(1, len(classes), size=len(rows))) % len(classes)
    return classes[codes], rows


def found(X, y, seed=0):
    """Share of the flipped rows among twice as many suspects."""
    y, rows = flip(y, seed=seed)
    return np.isin(rows, suspects(MODEL, X, y, top=2 * len(rows))["row"]).mean()


@pytest.mark.parametrize("seed", range(3))
def test_flipped_labels_of_wine_are_found(seed):
    assert found(*load_wine(return_X_y=True), seed=seed) >= 0.75


@pytest.mark.parametrize("seed", range(3))
def test_flipped_labels_of_two_moons_are_found(seed):
    assert found(*make_moons(400, noise=0.2, random_state=seed), seed=seed) >= 0.75


def test_flipped_labels_of_satimage_are_found():
    try:
        data = load("satimage", download=False)
    except DatasetUnavailable:
        pytest.skip("satimage is not here")
    rows = np.random.default_rng(0).choice(len(data.X), 800, replace=False)
    assert found(data.X[rows], data.y[rows]) >= 0.75


@pytest.fixture(scope="module")
def wine():
    data = load_wine(as_frame=True)
    return data.data.set_axis([f"bottle {i}" for i in range(178)]), data.target_names[data.target]


def test_the_table_is_sorted_by_cross_validated_probabilities_of_the_labels(wine):
    X, y = wine
    table = suspects(MODEL, X, y, cv=4)
    P = cross_val_predict(MODEL, X, y, cv=4, method="predict_proba")
    classes = np.unique(y)
    own = P[np.arange(178), np.searchsorted(classes, y)]
    at = np.array([int(name.removeprefix("bottle ")) for name in table["row"]])
    np.testing.assert_allclose(table["probability"], np.sort(own))
    np.testing.assert_allclose(own[at], table["probability"])
    np.testing.assert_array_equal(table["label"], y[at])
    np.testing.assert_array_equal(table["predicted"], classes[P[at].argmax(axis=1)])
    np.testing.assert_allclose(table["predicted_probability"], P[at].max(axis=1))
    pd.testing.assert_frame_equal(table[X.columns], X.iloc[at].reset_index(drop=True))
    pd.testing.assert_frame_equal(suspects(MODEL, X, y, cv=4, top=5), table[:5])


class Remembering(ClassifierMixin, BaseEstimator):
    """Stands for models that know their leave-one-out probabilities or the rows they switched off."""

    def __init__(self, loo=None, off=None):
        self.loo = loo
        self.off = off

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.unique(y)
        if self.loo is not None:
            self.loo_proba_ = self.loo
        if self.off is not None:
            self.deactivated_ = self.off
        return self

    def predict_proba(self, X):
        return np.tile([0.7, 0.2, 0.1], (len(X), 1))


X4, Y4 = np.zeros((4, 1)), np.array([0, 1, 2, 2])
LOO = np.array([[0.6, 0.4, 0.0], [0.5, 0.1, 0.4], [0.0, 0.8, 0.2], [0.1, 0.1, 0.8]])


def test_leave_one_out_probabilities_of_the_model_are_used_where_it_has_them():
    model = make_pipeline(StandardScaler(), Remembering(LOO)).fit(X4, Y4)
    table = suspects(model, X4, Y4)
    assert table["row"].tolist() == [1, 2, 0, 3]
    assert table["probability"].tolist() == [0.1, 0.2, 0.6, 0.8]
    assert table["predicted"].tolist() == [0, 1, 0, 2]
    assert "deactivated" not in table
    with pytest.raises(ValueError, match="of 4 rows, but X has 3: pass the rows it was fitted on"):
        suspects(model, X4[:3], Y4[:3])


def test_rows_that_training_switched_off_come_first():
    table = suspects(Remembering(LOO, off=[3, 0]).fit(X4, Y4), X4, Y4)
    assert table["row"].tolist() == [0, 3, 1, 2]
    assert table["deactivated"].tolist() == [True, True, False, False]
    ring = SuspectsDisplay(table).plot().ax_.lines[-1]
    assert ring.get_xdata().tolist() == [0.6, 0.8]
    none = suspects(Remembering(LOO, off=np.array([])).fit(X4, Y4), X4, Y4)
    assert none["row"].tolist() == [1, 2, 0, 3]
    matplotlib.pyplot.close("all")


def test_a_label_seen_once_has_no_probability_and_comes_last():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(41, 2)), np.repeat(["a", "b", "c"], [20, 20, 1])
    table = suspects(LogisticRegression(), X, y, cv=KFold(5, shuffle=True, random_state=0))
    assert table["row"].iloc[-1] == 40
    assert np.isnan(table["probability"].iloc[-1])
    assert table["predicted"].iloc[-1] in ("a", "b")
    assert table["probability"][:-1].notna().all()


def test_weights_reach_the_fits():
    X, y = np.zeros((40, 1)), np.repeat([0, 1], 20)
    table = suspects(
        DummyClassifier(), X, y, fit_params={"sample_weight": np.where(y == 0, 3.0, 1.0)}
    ).sort_values("row")
    np.testing.assert_allclose(table["probability"], np.where(y == 0, 0.75, 0.25))


def test_a_precomputed_kernel_is_split_on_both_sides():
    X, y = make_moons(100, noise=0.2, random_state=0)
    direct = suspects(KernelLogisticRegression(gamma=1.0, tol=1e-8), X, y)
    model = KernelLogisticRegression(kernel="precomputed", tol=1e-8)
    matrix = suspects(model, rbf_kernel(X, gamma=1.0), y)
    np.testing.assert_allclose(matrix["probability"], direct["probability"], atol=1e-5)


def test_bad_input_is_refused_with_the_cure(wine):
    X, y = wine
    with pytest.raises(ValueError, match="has no predict_proba"):
        suspects(LinearSVC(), X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        suspects(MODEL, X, y[:10])


def test_the_display_draws_what_the_table_says(wine):
    X, y = wine
    display = SuspectsDisplay.from_estimator(MODEL, X, flip(y)[0], top=7)
    table = display.frame()
    own, predicted = display.ax_.lines[:2]
    np.testing.assert_array_equal(own.get_xdata(), table["probability"])
    np.testing.assert_array_equal(predicted.get_xdata(), table["predicted_probability"])
    first = table.iloc[0]
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names[0] == f"{first['row']}: {first['label']} → {first['predicted']}"
    assert own.get_ydata()[0] == max(own.get_ydata())  # the most suspect row is on top
    _, ax = matplotlib.pyplot.subplots()
    assert len(SuspectsDisplay(table).plot(ax, max_rows=3).ax_.lines[0].get_xdata()) == 3
    matplotlib.pyplot.close("all")
