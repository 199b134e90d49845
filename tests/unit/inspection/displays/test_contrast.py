"""The display of contrasts."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_moons
from sklearn.linear_model import LogisticRegression

from kernelproba.estimators.maximum_contrast import MaximumContrastClassifier
from kernelproba.inspection.displays.contrast import ContrastDisplay

mpl.use("Agg")


@pytest.fixture(scope="module")
def fitted():
    X, y = make_moons(120, noise=0.25, random_state=0)
    y[:4] = 1 - y[:4]
    return MaximumContrastClassifier(0.05, gamma=2.0, l1_ratio=0.9).fit(X, y), X, y


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_the_table_lists_the_least_credible_rows_first(fitted):
    model, X, y = fitted
    table = ContrastDisplay.from_estimator(model, X, y, resolution=20).frame()
    assert (np.diff(table["margin"]) >= 0).all()
    assert_array_equal(np.sort(table.index[table["deactivated"]]), model.deactivated_)
    assert_array_equal(np.sort(table.index[table["weight"] > 0]), model.support_)
    assert_array_equal(table.loc[:, "label"].to_numpy(), y[table.index])
    assert_allclose(table["contrast"], model.contrast(X, y)[table.index], atol=1e-7)


def test_the_map_holds_the_decision_function(fitted):
    model, X, y = fitted
    display = ContrastDisplay.from_estimator(model, X, y, resolution=10)
    x0, x1 = display.axes
    assert_allclose(display.margin[3, 7], model.decision_function([[x0[7], x1[3]]])[0])
    assert display.margin.shape == (10, 10)


def test_deactivated_rows_are_encircled(fitted):
    model, X, y = fitted
    display = ContrastDisplay.from_estimator(model, X, y, resolution=20, all_points=True)
    rings = [c for c in display.ax_.collections if c.get_label() == "deactivated"]
    assert_allclose(rings[0].get_offsets(), X[model.deactivated_])
    assert f"{len(model.deactivated_)} deactivated" in display.ax_.get_title()
    assert display.figure_ is display.ax_.figure


def test_many_classes_frames_and_components():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = MaximumContrastClassifier(0.1).fit(X, y)
    display = ContrastDisplay.from_estimator(model, X, y, features="pca", resolution=15)
    assert (display.margin.max(axis=-1) >= 0).all()
    named = ContrastDisplay.from_estimator(
        model, X, y, features=list(X.columns[2:]), resolution=15, lines=False
    )
    assert named.names == tuple(X.columns[2:])
    assert isinstance(named.frame(), pd.DataFrame)


def test_black_lines_part_all_classes():
    X, y = load_iris(return_X_y=True)
    X = X[:, 2:]
    model = MaximumContrastClassifier(0.1).fit(X, y)
    display = ContrastDisplay.from_estimator(model, X, y, resolution=60, lines=False)
    black = [c for c in display.ax_.collections if c.get_edgecolor().tolist() == [[0, 0, 0, 1]]]
    on_lines = np.concatenate([path.vertices for line in black for path in line.get_paths()])
    fields = model.decision_function(on_lines)
    assert len(on_lines) > 20
    assert_allclose(np.abs(fields).min(axis=1), 0, atol=0.02)
    parted = np.sort(np.argsort(np.abs(fields), axis=1)[:, :2], axis=1)
    assert_array_equal(np.unique(parted, axis=0), [[0, 1], [1, 2]])


def test_errors_say_what_to_pass(fitted):
    model, X, y = fitted
    with pytest.raises(ValueError, match="training rows"):
        ContrastDisplay.from_estimator(model, X[:5], y[:5])
    with pytest.raises(ValueError, match="MaximumContrastClassifier"):
        ContrastDisplay.from_estimator(LogisticRegression().fit(X, y), X, y)
    with pytest.raises(ValueError, match="resolution"):
        ContrastDisplay.from_estimator(model, X, y, resolution=1)
