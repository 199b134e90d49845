import subprocess
import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from kernelproba.datasets import three_gaussians, three_gaussians_problem, two_gaussians_problem
from kernelproba.inspection import PosteriorDisplay


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_the_grid_holds_the_probabilities_of_its_points():
    problem = three_gaussians_problem()
    X, y = problem.sample(50, random_state=0)
    display = PosteriorDisplay.from_estimator(problem, X, y, resolution=20)
    frame = display.frame()
    P = problem.posterior(frame[["x0", "x1"]].to_numpy())
    np.testing.assert_allclose(frame[["P(0)", "P(1)", "P(2)"]], P)
    np.testing.assert_array_equal(frame["prediction"], P.argmax(axis=1))


def test_the_map_is_not_transposed():
    # Class 1 lies to the right; the first index of the grid goes upwards.
    problem = two_gaussians_problem(distance=4)
    display = PosteriorDisplay.from_estimator(problem, *problem.sample(50, random_state=0), resolution=30)
    assert (display.posterior[:, -1, 1] > 0.9).all()
    assert (display.posterior[:, 0, 1] < 0.1).all()
    image = display.ax_.images[0]
    assert image.origin == "lower"


def test_the_boundary_is_where_the_probabilities_are_equal():
    problem = two_gaussians_problem(prior=0.8)
    display = PosteriorDisplay.from_estimator(problem, *problem.sample(200, random_state=0))
    (contour,) = [c for c in display.ax_.collections if hasattr(c, "levels")]
    line = np.concatenate([path.vertices for path in contour.get_paths()])
    # σ(2x₀ + log 4) = ½ at x₀ = −log 2
    np.testing.assert_allclose(line[:, 0], -np.log(2), atol=1e-3)


def test_the_map_covers_all_rows():
    X, y = three_gaussians(100, random_state=0)
    display = PosteriorDisplay.from_estimator(LogisticRegression().fit(X, y), X, y)
    for column, axis in enumerate(display.axes):
        assert axis[0] < X[:, column].min()
        assert axis[-1] > X[:, column].max()


def test_features_that_are_not_drawn_stay_at_their_median():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(101, 4))
    seen = []

    class Spy:
        classes_ = np.array([0, 1])

        def predict_proba(self, rows):
            seen.append(rows)
            return np.full((len(rows), 2), 0.5)

    PosteriorDisplay.from_estimator(Spy(), X, features=(3, 1), resolution=5)
    (rows,) = seen
    np.testing.assert_array_equal(rows[:, [0, 2]], np.tile(np.median(X, axis=0)[[0, 2]], (25, 1)))
    assert len(np.unique(rows[:, 3])) == len(np.unique(rows[:, 1])) == 5


def test_the_principal_plane_of_planar_data_contains_the_rows():
    rng = np.random.RandomState(0)
    X = 5 + rng.normal(size=(80, 2)) @ rng.normal(size=(2, 6)) * [1, 1e3, 1, 1, 1e-3, 1]
    y = (X[:, 0] > 5).astype(int)
    display = PosteriorDisplay.from_estimator(
        LogisticRegression().fit(X / X.std(axis=0), y), X, y, features="pca"
    )
    from kernelproba.inspection.displays.plane import choose_plane

    plane = choose_plane(X, "pca", list("abcdef"))
    np.testing.assert_allclose(plane.embed(plane.project(X)), X, rtol=1e-8)
    assert display.names[0].startswith("component 1")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_are_passed_on_with_their_names(frame):
    X, y = three_gaussians(100, random_state=0)
    data = frame({"left $": X[:, 0], "middle": X[:, 0] * 0, "up": X[:, 1]})
    model = LogisticRegression().fit(data, y)
    display = PosteriorDisplay.from_estimator(model, data, y, features=("left $", "up"), resolution=10)
    display.figure_.canvas.draw()
    assert display.names == ("left $", "up")
    assert list(display.frame().columns[:2]) == ["left $", "up"]


def test_rows_are_drawn_only_with_labels_and_not_too_many():
    problem = three_gaussians_problem()
    X, y = problem.sample(500, random_state=0)

    def drawn(display):
        return sum(len(c.get_offsets()) for c in display.ax_.collections if not hasattr(c, "levels"))

    assert drawn(PosteriorDisplay.from_estimator(problem, X, resolution=5)) == 0
    assert drawn(PosteriorDisplay.from_estimator(problem, X, y, resolution=5, points=False)) == 0
    assert drawn(PosteriorDisplay.from_estimator(problem, X, y, resolution=5)) == 500
    assert drawn(PosteriorDisplay.from_estimator(problem, X, y, resolution=5, max_points=100)) == 100


def test_thirty_classes_with_awkward_names_render(tmp_path):
    rng = np.random.RandomState(0)
    X = rng.normal(size=(120, 2))
    y = np.array([f"_class ${k % 30}^" for k in range(120)])
    display = PosteriorDisplay.from_estimator(LogisticRegression().fit(X, y), X, y, resolution=20)
    display.figure_.savefig(tmp_path / "figure.png")
    assert display.ax_.get_legend().get_title().get_text() == "10 of 30 classes"


def test_a_constant_feature_has_a_map():
    X, y = np.array([[0.0, 1], [1, 1], [2, 1]]), [0, 1, 1]
    display = PosteriorDisplay.from_estimator(LogisticRegression().fit(X, y), X, y, resolution=5)
    assert np.isfinite(display.posterior).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": (0, 0)}, "two different columns"),
        ({"features": (0, 2)}, "2 is none of its 2"),
        ({"features": (0, "height")}, "'height' is none"),
        ({"features": (0,)}, "two different columns"),
        ({"features": "tsne"}, "two columns or 'pca'"),
        ({"resolution": 1}, "resolution must be at least 2"),
    ],
)
def test_bad_options_are_refused(options, message):
    X, y = three_gaussians(30, random_state=0)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match=message):
        PosteriorDisplay.from_estimator(model, X, y, **options)


def test_bad_data_are_refused():
    X, y = three_gaussians(30, random_state=0)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(NotFittedError):
        PosteriorDisplay.from_estimator(LogisticRegression(), X, y)
    with pytest.raises(ValueError, match="not among the classes: 9"):
        PosteriorDisplay.from_estimator(model, X, np.full(30, 9), resolution=5)
    with pytest.raises(ValueError, match="each of the 30 rows of X"):
        PosteriorDisplay.from_estimator(model, X, y[:-1], resolution=5)
    with pytest.raises(ValueError, match="NaN"):
        PosteriorDisplay.from_estimator(model, np.full((3, 2), np.nan))
    with pytest.raises(ValueError, match="X has one feature"):
        PosteriorDisplay.from_estimator(model, X[:, :1])


def test_importing_the_displays_needs_neither_matplotlib_nor_pandas():
    code = (
        "import sys; sys.modules['matplotlib'] = sys.modules['pandas'] = None; "
        "from kernelproba.inspection import PosteriorDisplay, ReliabilityDisplay, probability_scores as s; "
        "s([0, 1], [0.2, 0.9])"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
