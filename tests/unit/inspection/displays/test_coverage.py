"""The display of coverage against sets whose coverage is known by construction."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelproba import ConformalClassifier, KernelLogisticRegression
from kernelproba.datasets import three_gaussians
from kernelproba.inspection import CoverageDisplay

Y = ["a", "a", "b", "b"]
SETS = [
    [[1, 0], [0, 1], [0, 1], [0, 0]],
    [[1, 1], [1, 0], [0, 1], [1, 0]],
]


def test_shares_and_sizes_are_counted():
    display = CoverageDisplay.from_predictions(Y, SETS, [0.5, 0.75])
    np.testing.assert_allclose(display.coverage, [0.5, 0.75])
    np.testing.assert_allclose(display.std_error, np.sqrt([0.5**2 / 4, 0.75 * 0.25 / 4]))
    np.testing.assert_allclose(display.mean_size, [0.75, 1.25])
    np.testing.assert_allclose(display.single, [0.75, 0.75])
    np.testing.assert_allclose(display.empty, [0.25, 0.0])
    np.testing.assert_allclose(display.class_coverage, [[0.5, 0.5], [1.0, 0.5]])


def test_a_weight_of_two_is_a_row_seen_twice():
    twice = np.array([1, 2, 1, 2])
    copies = np.repeat(np.arange(4), twice)
    one = CoverageDisplay.from_predictions(Y, SETS, [0.5, 0.75], sample_weight=twice).frame()
    other = CoverageDisplay.from_predictions(
        np.array(Y)[copies], np.array(SETS)[:, copies], [0.5, 0.75]
    ).frame()
    columns = ["confidence", "coverage", "mean_size", "single", "empty"]
    np.testing.assert_allclose(one[columns], other[columns])


@pytest.mark.parametrize("options", [{}, {"allow_empty": True}, {"novelty_level": 0.2}])
def test_the_sets_of_a_model_are_those_that_it_predicts(options):
    X, y = three_gaussians(300, random_state=0)
    model = ConformalClassifier(KernelLogisticRegression(), **options).fit(X[:150], y[:150])
    display = CoverageDisplay.from_estimator(model, X[150:], y[150:], confidence=[0.6, 0.95])
    for level, coverage, size in zip([0.6, 0.95], display.coverage, display.mean_size, strict=True):
        sets = model.predict_set(X[150:], level)
        assert coverage == pytest.approx(sets[np.arange(150), y[150:]].mean())
        assert size == pytest.approx(sets.sum(axis=1).mean())


@pytest.mark.parametrize("confidence", [1.5, 0, 0.999])
def test_levels_that_a_model_refuses_are_refused(confidence):
    X, y = three_gaussians(200, random_state=0)
    model = ConformalClassifier(GaussianNB()).fit(X[:100], y[:100])
    with pytest.raises(ValueError, match="confidence"):
        CoverageDisplay.from_estimator(model, X[100:], y[100:], confidence=[0.5, confidence])


def test_levels_go_as_far_as_the_calibration_rows_do():
    X, y = three_gaussians(60, random_state=0)
    model = ConformalClassifier(GaussianNB(), 0.6).fit(X[:30], y[:30])
    assert CoverageDisplay.from_estimator(model, X[30:], y[30:]).confidence.max() == 0.95


def test_a_pipeline_is_judged_by_its_last_step():
    X, y = three_gaussians(200, random_state=0)
    pipeline = make_pipeline(StandardScaler(), ConformalClassifier(LogisticRegression())).fit(
        X[:100], y[:100]
    )
    frame = CoverageDisplay.from_estimator(pipeline, X[100:], y[100:]).frame(by_class=True)
    assert frame.columns.tolist() == ["confidence", "class", "coverage", "std_error"]
    assert set(frame["class"]) == {0, 1, 2}


def test_the_picture_has_the_curve_the_diagonal_and_the_classes():
    display = CoverageDisplay.from_predictions(Y, SETS, [0.5, 0.75]).plot(name="sets", by_class=True)
    assert len(display.ax_.lines) == 4
    np.testing.assert_allclose(display.line_.get_ydata(), display.coverage)
    plt.close(display.figure_)


def test_wrong_shapes_and_models_without_sets_are_refused():
    with pytest.raises(ValueError, match="sets must have"):
        CoverageDisplay.from_predictions(Y, SETS[0], [0.5])
    X, y = three_gaussians(50, random_state=0)
    with pytest.raises(ValueError, match="wrap it in ConformalClassifier"):
        CoverageDisplay.from_estimator(GaussianNB().fit(X, y), X, y)
