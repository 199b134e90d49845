"""Map of class probabilities on a plane through the feature space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from kernelproba.extras import extra
from kernelproba.inspection.displays.captions import caption
from kernelproba.inspection.displays.colours import MARKERS, blend, class_colours, is_light
from kernelproba.inspection.displays.plane import choose_plane
from kernelproba.inspection.scores.predictions import encode_labels, predict_probabilities
from kernelproba.typing import Classifier, MatrixLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MAX_LEGEND = 10


class PosteriorDisplay:
    """Class probabilities on a plane: colours mixed by probability, with the decision boundary.

    Use `from_estimator`, which draws it.

    Parameters
    ----------
    axes : pair of ndarray of shape (g,)
        Coordinates of the grid along each axis.
    posterior : ndarray of shape (g, g, c)
        Probabilities; the first index goes along the second (vertical) axis.
    classes : ndarray of shape (c,)
        Labels.
    names : pair of str
        Names of the axes.
    points : ndarray of shape (n, 2), optional
        Rows of the data on the plane.
    codes : ndarray of shape (n,), optional
        Class numbers of these rows.

    Attributes
    ----------
    axes, posterior, classes, names, points, codes
        As given.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.

    See Also
    --------
    posterior_map : The same without a figure.
    ContrastDisplay : Margins and centres.

    Examples
    --------
    >>> from kernelproba import KernelLogisticRegression
    >>> from kernelproba.datasets import three_gaussians
    >>> from kernelproba.inspection import PosteriorDisplay
    >>> X, y = three_gaussians(100, random_state=0)
    >>> model = KernelLogisticRegression().fit(X, y)
    >>> PosteriorDisplay.from_estimator(model, X, y, resolution=30).posterior.shape
    (30, 30, 3)
    """

    def __init__(
        self,
        axes: tuple[np.ndarray, np.ndarray],
        posterior: np.ndarray,
        *,
        classes: np.ndarray,
        names: tuple[str, str] = ("x₀", "x₁"),
        points: np.ndarray | None = None,
        codes: np.ndarray | None = None,
    ):
        self.axes = axes
        self.posterior = posterior
        self.classes = classes
        self.names = names
        self.points = points
        self.codes = codes

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: MatrixLike,
        y: ArrayLike | None = None,
        *,
        features: Sequence[int | str] | str = (0, 1),
        resolution: int = 150,
        ax: Axes | None = None,
        **options: Any,
    ) -> PosteriorDisplay:
        """Draw the probabilities that a fitted classifier gives to the points of a plane.

        Parameters
        ----------
        estimator : classifier
            Fitted, with `predict_proba`.
        X : array-like or data frame of shape (n, d)
            Numbers; the map covers their range.
        y : array-like of shape (n,), optional
            Labels, to draw the rows of X.
        features : pair of column numbers or names, or "pca", default=(0, 1)
            Two features, the others being held at their median, or the plane of the two
            leading principal components of the standardised features.
        resolution : int, default=150
            Points of the grid along each axis.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if not given.
        **options
            As in `plot`.
        """
        display = posterior_map(estimator, X, y, features=features, resolution=resolution)
        return display.plot(ax, **options)

    def frame(self) -> pd.DataFrame:
        """Grid as a table: the two coordinates, a column of probability per class, the label."""
        with extra("tables"):
            import pandas as pd

        x0, x1 = np.meshgrid(*self.axes)
        P = self.posterior.reshape(-1, len(self.classes))
        table = pd.DataFrame({self.names[0]: x0.ravel(), self.names[1]: x1.ravel()})
        for k, label in enumerate(self.classes):
            table[f"P({label})"] = P[:, k]
        return table.assign(prediction=self.classes[P.argmax(axis=1)])

    def plot(
        self, ax: Axes | None = None, *, points: bool = True, boundary: bool = True, max_points: int = 1000
    ) -> PosteriorDisplay:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if not given.
        points, boundary : bool, default=True
            Whether to draw the labelled rows, and the lines where the label changes.
        max_points : int, default=1000
            Of more rows, evenly chosen ones are drawn.

        Returns
        -------
        PosteriorDisplay
            Itself.
        """
        with extra("plot"):
            import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(6, 5), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        colours = class_colours(len(self.classes))
        _draw_map(ax, self.axes, blend(self.posterior, colours))
        if boundary:
            _draw_boundary(ax, self.axes, self.posterior)
        if points and self.points is not None and self.codes is not None:
            step = -(-len(self.points) // max_points)
            _draw_points(ax, self.points[::step], self.codes[::step], colours)
        _draw_legend(ax, self.classes, colours)
        ax.set(xlabel=caption(self.names[0], 48), ylabel=caption(self.names[1], 48))
        return self


def posterior_map(
    estimator: Classifier,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    features: Sequence[int | str] | str = (0, 1),
    resolution: int = 150,
) -> PosteriorDisplay:
    """Compute the map of `PosteriorDisplay.from_estimator` without drawing it.

    Parameters
    ----------
    estimator, X, y, features, resolution
        As there.

    See Also
    --------
    PosteriorDisplay : Draws it.

    Examples
    --------
    >>> from kernelproba import KernelLogisticRegression
    >>> from kernelproba.datasets import three_gaussians
    >>> from kernelproba.inspection import posterior_map
    >>> X, y = three_gaussians(100, random_state=0)
    >>> posterior_map(KernelLogisticRegression().fit(X, y), X, resolution=30).posterior.shape
    (30, 30, 3)
    """
    values = check_array(X, dtype=[np.float64, np.float32])
    if resolution < 2:
        raise ValueError(f"resolution must be at least 2, not {resolution!r}")
    plane = choose_plane(values, features, _feature_names(X, values.shape[1]))
    points = plane.project(values)
    axes = (_ticks(points[:, 0], resolution), _ticks(points[:, 1], resolution))
    grid = np.stack(np.meshgrid(*axes), axis=-1)
    rows = plane.embed(grid.reshape(-1, 2)).astype(values.dtype)
    P, classes = predict_probabilities(estimator, _like(X, rows))
    codes = None if y is None else _codes(y, classes, len(values))
    posterior = P.reshape(*grid.shape[:2], -1)
    return PosteriorDisplay(axes, posterior, classes=classes, names=plane.names, points=points, codes=codes)


def _feature_names(X: MatrixLike, d: int) -> list[str]:
    columns = getattr(X, "columns", None)
    return [f"x{k}" for k in range(d)] if columns is None else [str(column) for column in columns]


def _like(X: Any, rows: np.ndarray) -> MatrixLike:
    """Rows in a frame like X, so that an estimator fitted on names gets them."""
    if not hasattr(X, "columns"):
        return rows
    if hasattr(X, "iloc"):
        return type(X)(rows, columns=X.columns)
    return type(X)(rows, schema=list(X.columns))


def _codes(y: ArrayLike, classes: np.ndarray, n: int) -> np.ndarray:
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise ValueError(f"y must hold one label for each of the {n} rows of X, but has shape {labels.shape}")
    return encode_labels(labels, classes)


def _ticks(values: np.ndarray, resolution: int) -> np.ndarray:
    """Evenly spaced coordinates over the range of the values and a margin of 8 % around it."""
    low, high = float(values.min()), float(values.max())
    margin = 0.08 * (high - low) or 1.0
    return np.linspace(low - margin, high + margin, resolution)


def _draw_map(ax: Axes, axes: tuple[np.ndarray, np.ndarray], colours: np.ndarray) -> None:
    (left, right), (bottom, top) = ((axis[0], axis[-1]) for axis in axes)
    extent = (left, right, bottom, top)
    ax.imshow(colours, extent=extent, origin="lower", aspect="auto", interpolation="bilinear", zorder=0)


def _draw_boundary(ax: Axes, axes: tuple[np.ndarray, np.ndarray], P: np.ndarray) -> None:
    """Lines where p_k equals the largest of the other probabilities."""
    for k in range(P.shape[2] - 1):  # every boundary of the last class is one of another class too
        others = np.where(np.arange(P.shape[2]) == k, -1, P)
        # Against a class before k the line has been drawn.
        margin = np.ma.masked_where(others.argmax(axis=2) < k, P[:, :, k] - others.max(axis=2))
        if margin.count() and margin.min() < 0 < margin.max():
            ax.contour(*axes, margin, levels=[0], colors="black", linewidths=1, zorder=1)


def _draw_points(ax: Any, points: np.ndarray, codes: np.ndarray, colours: np.ndarray) -> None:
    for k in np.unique(codes):
        ax.scatter(
            *points[codes == k].T,
            color=[colours[k]],
            marker=MARKERS[k % len(MARKERS)],
            s=26,
            edgecolors="0.3" if is_light(colours[k]) else "white",
            linewidths=0.7,
            zorder=2,
        )


def _draw_legend(ax: Axes, classes: np.ndarray, colours: np.ndarray) -> None:
    """Name the classes beside the map, the first ten of many."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            linestyle="",
            marker=MARKERS[k % len(MARKERS)],
            color=tuple(colours[k]),
            label=caption(label, 24),
        )
        for k, label in enumerate(classes[:_MAX_LEGEND])
    ]
    title = None if len(classes) <= _MAX_LEGEND else f"{_MAX_LEGEND} of {len(classes)} classes"
    ax.legend(
        handles=handles, title=title, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, borderpad=0
    )
