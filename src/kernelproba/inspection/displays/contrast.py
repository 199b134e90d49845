"""The contrast of densities on a plane, with the rows that carry them and the rows switched off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from kernelproba.extras import extra
from kernelproba.inspection.displays.colours import MARKERS, class_colours
from kernelproba.inspection.displays.plane import choose_plane
from kernelproba.inspection.scores.predictions import encode_labels
from kernelproba.tuning.grid.contrast_cv import MaximumContrastClassifierCV
from kernelproba.typing import MatrixLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_FEW_LEVELS, _MANY_LEVELS = np.arange(-3.0, 3.5, 0.5), 9


class ContrastDisplay:
    """Isolines of the margin, training rows sized by their weights, deactivated rows encircled.

    Black lines part the classes.  White is where the margin is within ±1, the region that training looks at;
    grey is where the contrast is decided.  Use `from_estimator`, which draws it.

    Parameters
    ----------
    axes : pair of ndarray of shape (g,)
        Coordinates of the grid along each axis.
    margin : ndarray of shape (g, g) or (g, g, c)
        P₁q₁ − P₀q₀ for two classes, the margin of each class for more; the first index goes along the second
        (vertical) axis.
    points : ndarray of shape (n, 2)
        Training rows on the plane.
    codes : ndarray of shape (n,)
        Their class numbers.
    classes : ndarray of shape (c,)
        Labels.
    weights, margins : ndarray of shape (n,)
        β and margin of the training rows.
    names : pair of str
        Names of the axes.

    Attributes
    ----------
    axes, margin, points, codes, classes, weights, margins, names
        As given.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.

    See Also
    --------
    PosteriorDisplay : The posterior on a plane, of all classifiers.
    kernelproba.MaximumContrastClassifier : Whose margins it draws.

    Examples
    --------
    >>> from kernelproba import MaximumContrastClassifier
    >>> from kernelproba.datasets import chessboard_problem
    >>> from kernelproba.inspection import ContrastDisplay
    >>> X, y = chessboard_problem().sample(60, random_state=0)
    >>> model = MaximumContrastClassifier(gamma=2.0).fit(X, y)
    >>> display = ContrastDisplay.from_estimator(model, X, y, resolution=20)
    >>> display.margin.shape
    (20, 20)
    """

    def __init__(
        self,
        axes: tuple[np.ndarray, np.ndarray],
        margin: np.ndarray,
        *,
        points: np.ndarray,
        codes: np.ndarray,
        classes: np.ndarray,
        weights: np.ndarray,
        margins: np.ndarray,
        names: tuple[str, str] = ("x₀", "x₁"),
    ):
        self.axes = axes
        self.margin = margin
        self.points = points
        self.codes = codes
        self.classes = classes
        self.weights = weights
        self.margins = margins
        self.names = names

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: Any,
        y: ArrayLike,
        *,
        features: Sequence[int | str] | str = (0, 1),
        resolution: int = 150,
        ax: Axes | None = None,
        **options: Any,
    ) -> ContrastDisplay:
        """Draw a fitted maximum contrast classifier with the rows it was fitted on.

        Parameters
        ----------
        estimator : MaximumContrastClassifier or MaximumContrastClassifierCV
            Fitted on X and y.
        X : array-like or data frame of shape (n, d)
            Training rows; the map covers their range.
        y : array-like of shape (n,)
            Their labels.
        features : pair of column numbers or names, or "pca", default=(0, 1)
            Two features, the others being held at their median, or the plane of the two leading principal
            components of the standardised features.
        resolution : int, default=150
            Points of the grid along each axis.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if not given.
        **options
            As in `plot`.
        """
        model = estimator.best_estimator_ if isinstance(estimator, MaximumContrastClassifierCV) else estimator
        values = _training_rows(model, X)
        if resolution < 2:
            raise ValueError(f"resolution must be at least 2, not {resolution!r}")
        columns = getattr(X, "columns", [f"x{k}" for k in range(values.shape[1])])
        plane = choose_plane(values, features, [str(column) for column in columns])
        points = plane.project(values)
        axes = (_ticks(points[:, 0], resolution), _ticks(points[:, 1], resolution))
        grid = np.stack(np.meshgrid(*axes), axis=-1)
        rows = plane.embed(grid.reshape(-1, 2)).astype(values.dtype)
        D = estimator.decision_function(type(X)(rows, columns=X.columns) if hasattr(X, "iloc") else rows)
        weights = np.zeros(len(values))
        weights[model.support_] = model.dual_coef_.sum(axis=0)
        display = cls(
            axes,
            D.reshape(grid.shape[:2] + D.shape[1:]),
            points=points,
            codes=encode_labels(np.asarray(y), estimator.classes_),
            classes=estimator.classes_,
            weights=weights,
            margins=model.margin_,
            names=plane.names,
        )
        return display.plot(ax, **options)

    @property
    def deactivated(self) -> np.ndarray:
        """Which rows were switched off, shape (n,)."""
        return self.margins <= -1

    def frame(self) -> pd.DataFrame:
        """Training rows as a table, the least credible first: place, label, weight, margin, contrast."""
        with extra("tables"):
            import pandas as pd

        table = pd.DataFrame(
            {
                self.names[0]: self.points[:, 0],
                self.names[1]: self.points[:, 1],
                "label": self.classes[self.codes],
                "weight": self.weights,
                "margin": self.margins,
                "contrast": np.clip(self.margins, -1, 1),
                "deactivated": self.deactivated,
            }
        )
        return table.sort_values("margin", kind="stable")

    def plot(
        self, ax: Axes | None = None, *, lines: bool = True, all_points: bool = False
    ) -> ContrastDisplay:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if not given.
        lines : bool, default=True
            Whether to draw the isolines of the margin beside the boundary.
        all_points : bool, default=False
            Whether to draw rows without weight too, as dots.

        Returns
        -------
        ContrastDisplay
            Itself.
        """
        with extra("plot"):
            import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(6, 5), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self._draw_map(ax, lines)
        self._draw_points(ax, all_points)
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        share = np.mean(self.weights > 0)
        ax.set_title(
            f"{share:.0%} of {len(self.points)} rows carry weight, {self.deactivated.sum()} deactivated"
        )
        return self

    def _draw_map(self, ax: Axes, lines: bool) -> None:
        classes = [self.margin] if self.margin.ndim == 2 else list(np.moveaxis(self.margin, -1, 0))
        highest = np.max(classes, axis=0)
        bound = float(np.abs(highest).max())
        far = max(bound, 1.1)
        for decided in ([-far, -1.0], [1.0, far]):
            ax.contourf(*self.axes, highest, levels=decided, colors=["0.85"], zorder=0)
        if lines:
            levels = _FEW_LEVELS if bound <= 3.5 else np.linspace(-bound, bound, _MANY_LEVELS)
            levels = levels[levels != 0]
            isolines = ax.contour(*self.axes, highest, levels=levels, colors="0.45", linewidths=0.7, zorder=1)
            ax.clabel(isolines, fontsize=7)
        for own in classes:
            if own.min() < 0 < own.max():
                ax.contour(*self.axes, own, levels=[0], colors="black", linewidths=1.5, zorder=1)

    def _draw_points(self, ax: Any, all_points: bool) -> None:
        colours, off = class_colours(len(self.classes)), self.deactivated
        largest = max(float(self.weights.max()), np.finfo(float).tiny)
        for k, label in enumerate(self.classes):
            own, marker = self.codes == k, MARKERS[k % len(MARKERS)]
            carrying = own & (self.weights > 0) & ~off
            sizes = 8 + 60 * self.weights[carrying] / largest
            style = {"color": [colours[k]], "marker": marker, "edgecolors": "0.3", "linewidths": 0.5}
            ax.scatter(*self.points[carrying].T, s=sizes, label=str(label), zorder=3, **style)
            ax.scatter(*self.points[own & off].T, s=14, zorder=3, **style)
            if all_points:
                idle = own & (self.weights == 0) & ~off
                ax.scatter(*self.points[idle].T, s=3, color=[colours[k]], zorder=2)
        if off.any():
            ring = {"facecolors": "none", "edgecolors": "black", "linewidths": 1.0, "s": 90}
            ax.scatter(*self.points[off].T, label="deactivated", zorder=4, **ring)
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, borderpad=0)


def _training_rows(estimator: BaseEstimator, X: MatrixLike) -> np.ndarray:
    """Return X as numbers, or say that it is not what the estimator was fitted on."""
    check_is_fitted(estimator)
    if not hasattr(estimator, "margin_"):
        raise ValueError(
            f"{type(estimator).__name__} has no contrast: pass a fitted MaximumContrastClassifier"
        )
    values = check_array(X, dtype=[np.float64, np.float32])
    if len(values) != len(estimator.margin_):
        raise ValueError(
            f"X has {len(values)} rows, but the estimator was fitted on {len(estimator.margin_)}: pass its "
            "training rows"
        )
    return values


def _ticks(values: np.ndarray, resolution: int) -> np.ndarray:
    """Evenly spaced coordinates over the range of the values and a margin of 8 % around it."""
    low, high = float(values.min()), float(values.max())
    margin = 0.08 * (high - low) or 1.0
    return np.linspace(low - margin, high + margin, resolution)
