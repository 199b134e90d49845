"""The curve of cost against coverage: against loops over thresholds."""

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from kernelproba.estimators.minimum_risk import MinimumRiskClassifier
from kernelproba.inspection.displays.risk import RiskCoverageDisplay

matplotlib.use("Agg")
COSTS = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [9.0, 3.0, 0.0]])


@pytest.fixture
def guesses():
    rng = np.random.default_rng(0)
    P = rng.multinomial(8, rng.dirichlet(np.ones(3), size=120)) / 8  # eighths: exact sums, many ties
    return np.array([rng.choice(3, p=p) for p in P]), P


def test_each_point_is_the_mean_over_the_rows_below_its_threshold(guesses):
    y, P = guesses
    display = RiskCoverageDisplay.from_predictions(y, P, loss_matrix=COSTS)
    risk = (P @ COSTS).min(axis=1)
    cost = COSTS[y, (P @ COSTS).argmin(axis=1)]
    for _, point in display.frame().iterrows():
        kept = risk <= point["threshold"]
        assert point["coverage"] == pytest.approx(kept.mean())
        assert point["realised_cost"] == pytest.approx(cost[kept].mean())
        assert point["std_error"] == pytest.approx(cost[kept].std() / np.sqrt(kept.sum()), abs=1e-7)
        assert point["expected_cost"] == pytest.approx(risk[kept].mean())
    assert display.coverage[-1] == 1


def test_a_weight_of_two_is_a_row_seen_twice(guesses):
    y, P = guesses
    weights = np.random.default_rng(1).integers(0, 3, size=len(y))
    weighted = RiskCoverageDisplay.from_predictions(y, P, sample_weight=weights).frame()
    repeated = RiskCoverageDisplay.from_predictions(
        np.repeat(y, weights), np.repeat(P, weights, axis=0)
    ).frame()
    for name in ("coverage", "realised_cost", "expected_cost"):
        # A row of weight 0 may add a point, but none off the curve.
        np.testing.assert_allclose(np.unique(weighted[name].round(9)), np.unique(repeated[name].round(9)))


def test_a_minimum_risk_classifier_brings_its_costs_and_its_point_along():
    X, y = load_iris(return_X_y=True)
    model = MinimumRiskClassifier(LogisticRegression(max_iter=500), COSTS, coverage=0.8).fit(X, y)
    alone = RiskCoverageDisplay.from_estimator(model, X, y)
    by_hand = RiskCoverageDisplay.from_predictions(y, model.predict_proba(X), loss_matrix=COSTS)
    np.testing.assert_array_equal(alone.realised_cost, by_hand.realised_cost)
    point = alone.plot(name="iris").ax_.lines[-1]
    assert point.get_xdata()[0] == pytest.approx((model.predict(X) != -1).mean())
    assert point.get_ydata()[0] == pytest.approx(-model.score(X, y))
    pipeline = make_pipeline(StandardScaler(), model).fit(X, y)
    ended = RiskCoverageDisplay.from_estimator(pipeline, X, y)
    assert ended.reject_cost == pipeline[-1].reject_cost_
    matplotlib.pyplot.close("all")


def test_plots_share_axes_and_take_options_of_the_line(guesses):
    y, P = guesses
    display = RiskCoverageDisplay.from_predictions(y, P).plot()
    again = RiskCoverageDisplay.from_predictions(y, P, reject_cost=-1.0).plot(
        display.ax_, color="red", label="other"
    )
    assert again.figure_ is display.figure_
    assert again.line_.get_color() == "red"
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["realised cost", "expected cost", "other", "expected cost"]
    assert display.line_.get_xdata().min() >= 0.05
    matplotlib.pyplot.close("all")


def test_bad_input_is_refused_with_the_cure(guesses):
    y, P = guesses
    with pytest.raises(ValueError, match="pass classes if y_true lacks some"):
        RiskCoverageDisplay.from_predictions(y[y != 2], P[y != 2])
    X, labels = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="no predict_proba"):
        RiskCoverageDisplay.from_estimator(LinearSVC().fit(X, labels), X, labels)
