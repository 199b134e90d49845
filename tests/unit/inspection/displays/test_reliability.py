import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier

from kernelproba.datasets import three_gaussians, three_gaussians_problem
from kernelproba.inspection import ReliabilityDisplay, expected_calibration_error, reliability_tables

KINDS = ["top-label", "class-wise"]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def _texts(legend):
    return [text.get_text() for text in legend.get_texts()]


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_tables_hold_every_row_and_the_calibration_error(kind, strategy):
    X, y = three_gaussians(500, random_state=0)
    P = LogisticRegression().fit(X, y).predict_proba(X)
    tables = reliability_tables(y, P, kind=kind, strategy=strategy)
    assert all(table.count.sum() == table.histogram.sum() == 500 for table in tables)
    error = np.mean([table.calibration_error for table in tables])
    assert error == pytest.approx(expected_calibration_error(y, P, kind=kind, strategy=strategy, n_bins=10))


def test_the_interval_of_a_bin_is_wilsons():
    y = np.array([1] * 7 + [0] * 3)
    (table,) = reliability_tables(y, np.full(10, 0.8), confidence=0.9)
    expected = binomtest(7, 10).proportion_ci(0.9, method="wilson")
    assert (table.frequency_low[0], table.frequency_high[0]) == pytest.approx((expected.low, expected.high))


def test_weights_of_one_scale_give_the_interval_of_the_counts():
    y, p = np.array([1] * 7 + [0] * 3), np.full(10, 0.8)
    (plain,) = reliability_tables(y, p)
    (scaled,) = reliability_tables(y, p, sample_weight=np.full(10, 3.0))
    np.testing.assert_allclose(scaled.frequency_low, plain.frequency_low)


def test_the_intervals_of_the_true_posterior_cover_the_diagonal():
    problem = three_gaussians_problem()
    inside = total = 0
    for seed in range(20):
        X, y = problem.sample(1000, random_state=seed)
        for table in reliability_tables(y, problem.posterior(X), kind="class-wise", confidence=0.9):
            inside += (
                (table.frequency_low <= table.probability) & (table.probability <= table.frequency_high)
            ).sum()
            total += len(table.probability)
    # Bins of one sample are dependent, hence twice the binomial standard error of about 1.3 %.
    assert inside / total == pytest.approx(0.9, abs=0.04)


def test_the_frame_has_one_row_for_each_bin_with_rows():
    X, y = three_gaussians(300, random_state=0)
    display = ReliabilityDisplay.from_estimator(LogisticRegression().fit(X, y), X, y, kind="class-wise")
    frame = display.frame()
    assert set(frame["event"]) == {"0", "1", "2"}
    assert (frame["count"] > 0).all()
    assert frame.groupby("event")["count"].sum().tolist() == [300, 300, 300]
    assert frame["frequency"].between(frame["frequency_low"], frame["frequency_high"]).all()


def test_estimator_and_predictions_draw_the_same():
    X, y = three_gaussians(300, random_state=0)
    model = LogisticRegression().fit(X, y)
    first = ReliabilityDisplay.from_estimator(model, X, y)
    second = ReliabilityDisplay.from_predictions(y, model.predict_proba(X), name="LogisticRegression")
    assert first.frame().equals(second.frame())
    assert _texts(first.ax_.get_legend()) == _texts(second.ax_.get_legend())
    assert _texts(first.ax_.get_legend())[0].startswith("LogisticRegression (ECE ")


@pytest.mark.parametrize("kind", KINDS)
def test_the_figure_renders_with_its_histogram(kind, tmp_path):
    X, y = three_gaussians(300, random_state=0)
    display = ReliabilityDisplay.from_estimator(LogisticRegression().fit(X, y), X, y, kind=kind)
    display.figure_.savefig(tmp_path / "figure.png")
    assert len(display.figure_.axes) == 2
    assert display.histogram_ax_.get_xlabel() == "stated probability"
    # Nothing may stick out of the figure.
    box = display.figure_.get_tightbbox()
    assert box.ymin >= -0.01
    assert box.xmin >= -0.01


def test_given_axes_are_used_and_can_be_shared():
    X, y = three_gaussians(300, random_state=0)
    model = LogisticRegression().fit(X, y)
    figure, axes = plt.subplots(1, 2)
    ReliabilityDisplay.from_estimator(model, X, y, ax=axes[1], histogram=False)
    second = ReliabilityDisplay.from_estimator(model, X, y, ax=axes[1], histogram=False, name="again")
    assert second.ax_ is axes[1]
    assert second.figure_ is figure
    assert second.histogram_ax_ is None
    assert [text.split(" ")[0] for text in _texts(axes[1].get_legend())] == ["LogisticRegression", "again"]
    colours = {container.lines[0].get_color() for container in axes[1].containers}
    assert len(colours) == 2
    assert sum(line.get_gid() == "diagonal" for line in axes[1].lines) == 1


def test_axes_outside_a_grid_take_no_histogram():
    axes = plt.figure().add_axes((0.1, 0.1, 0.8, 0.8))
    with pytest.raises(ValueError, match="histogram=False"):
        ReliabilityDisplay.from_predictions([0, 1], [0.2, 0.8], ax=axes)


def test_of_many_classes_the_worst_six_are_coloured():
    rng = np.random.RandomState(0)
    y, P = rng.randint(20, size=400), rng.dirichlet(np.ones(20), size=400)
    display = ReliabilityDisplay.from_predictions(y, P, kind="class-wise")
    errors = {table.name: table.calibration_error for table in display.tables}
    worst = sorted(errors, key=errors.get)[-6:]
    assert {text.split(" ")[0] for text in _texts(display.ax_.get_legend())} == set(worst)


@pytest.mark.parametrize(
    "name", ["$x^", "_private", "a" * 200, "<script>alert(1)</script>", "שלום", "two\nlines"]
)
def test_any_class_name_is_shown_as_text(name, tmp_path):
    y = np.array([name, "other"] * 10)
    P = np.tile([0.6, 0.4], (20, 1))
    display = ReliabilityDisplay.from_predictions(y, P, kind="class-wise", classes=[name, "other"], name=name)
    display.figure_.savefig(tmp_path / "figure.png")
    assert len(_texts(display.ax_.get_legend())) == 2


def test_unusable_estimators_are_refused():
    X, y = three_gaussians(30, random_state=0)
    with pytest.raises(NotFittedError):
        ReliabilityDisplay.from_estimator(LogisticRegression(), X, y)
    with pytest.raises(ValueError, match="RidgeClassifier has none"):
        ReliabilityDisplay.from_estimator(RidgeClassifier().fit(X, y), X, y)
    with pytest.raises(ValueError, match="confidence must lie between 0 and 1"):
        ReliabilityDisplay.from_predictions([0, 1], [0.2, 0.8], confidence=95)
