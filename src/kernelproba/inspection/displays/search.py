"""What a self-tuning classifier has tried, and how much features count for it."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from kernelproba.extras import extra
from kernelproba.inspection.displays.colours import GREY, class_colours
from kernelproba.inspection.scores.predictions import check_option

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_KINDS = ("points", "weights")
_BAR = tuple(class_colours(1)[0])
#: Loss above the best, in per cent, from which on colours do not differ any more.
_WORST = 30.0
#: Bars that a picture has room for.
_BARS = 25
_LABELS = {"excess": "loss above the best, %"}


class SearchDisplay:
    """The candidates that a search has tried, or the weights it has given to features.

    Use `from_estimator`, which draws it.

    Parameters
    ----------
    points : DataFrame
        One line per candidate, with its parameters, ``n_rows`` and ``mean_test_score``.
    chosen : dict
        ``best_params_``.
    weights : Series, optional
        Weight of each feature.

    Attributes
    ----------
    points, chosen, weights
        As given.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.

    See Also
    --------
    PathDisplay : Strengths of a sparse model.
    kernelproba.KernelLogisticRegressionCV : A search that it draws.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegressionCV
    >>> from kernelproba.inspection import SearchDisplay
    >>> model = KernelLogisticRegressionCV().fit(*load_iris(return_X_y=True))
    >>> SearchDisplay.from_estimator(model).chosen == model.best_params_
    True
    """

    def __init__(self, points: pd.DataFrame, chosen: dict[str, object], weights: pd.Series | None = None):
        self.points, self.chosen, self.weights = points, chosen, weights

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, *, ax: Axes | None = None, kind: str = "points"
    ) -> SearchDisplay:
        """Draw the search of a fitted classifier.

        Parameters
        ----------
        estimator : classifier whose name ends with CV
            Fitted.
        ax : matplotlib Axes, optional
            Where to draw.
        kind : {"points", "weights"}, default="points"
            As in `plot`.
        """
        with extra("tables"):
            import pandas as pd

        check_is_fitted(estimator)
        points = estimator.cv_results_.frame().rename(columns=lambda name: name.removeprefix("param_"))
        weights = getattr(estimator, "feature_weights_", None)
        if weights is not None:
            names = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(len(weights))])
            weights = pd.Series(weights, index=names, name="weight")
        return cls(points, estimator.best_params_, weights).plot(ax, kind=kind)

    def frame(self, kind: str = "points") -> pd.DataFrame:
        """What is drawn, as a table.

        Parameters
        ----------
        kind : {"points", "weights"}, default="points"
            One line per point, with its loss above the best of those tried on as many rows, in per cent of
            it; or one per feature, the heaviest first.
        """
        check_option("kind", kind, _KINDS)
        if kind == "weights":
            return self._known_weights().sort_values(ascending=False).rename_axis("feature").reset_index()
        best = self.points.groupby("n_rows")["mean_test_score"].transform("max")
        excess = 100 * (best - self.points["mean_test_score"]) / best.abs().where(best != 0, 1.0)
        return self.points.assign(excess=excess)

    def plot(self, ax: Axes | None = None, *, kind: str = "points") -> SearchDisplay:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if not given.
        kind : {"points", "weights"}, default="points"
            All points, coloured by their loss, with a ring around the chosen one; or a bar for each feature.

        Returns
        -------
        SearchDisplay
            Itself.
        """
        check_option("kind", kind, _KINDS)
        if ax is None:
            with extra("plot"):
                import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(6, 4), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        ax.spines[["top", "right"]].set_visible(False)
        (self._draw_points if kind == "points" else self._draw_weights)(ax)
        return self

    def _draw_points(self, ax: Any) -> None:
        table, (x, y) = self.frame(), self._axes()
        last = table["n_rows"] == table["n_rows"].max()
        labels = self._labels()
        for label, marker in zip(labels.unique(), cycle("osD^vP"), strict=False):
            own = table[labels == label]
            dots = ax.scatter(
                _shown(own[x], table[x]),
                _shown(own[y], table[y]),
                c=own["excess"].clip(0, _WORST),
                s=np.where(last[own.index], 70, 25),
                vmin=0,
                vmax=_WORST,
                cmap="viridis_r",
                marker=marker,
                edgecolors="white",
                linewidths=0.5,
                label=label,
            )
        chosen = table.loc[self._chosen_line(table), [x, y]].astype(float)
        ring = [_shown(chosen[[name]], table[name]) for name in (x, y)]
        ax.scatter(*ring, s=220, facecolors="none", edgecolors="black")
        ax.set(xscale="log", xlabel=x, ylabel=_LABELS.get(y, y), yscale="linear" if y == "excess" else "log")
        ax.figure.colorbar(dots, ax=ax, label=f"{_LABELS['excess']} (up to {_WORST:.0f})")
        if labels.nunique() > 1:
            ax.legend(frameon=False, fontsize="small")
        large = "" if last.all() else f"; the large ones on {table['n_rows'].max():,} rows"
        ax.set_title(f"{len(table)} points{large}", fontsize="medium", color="0.3")

    def _labels(self) -> pd.Series:
        """What tells kinds of candidates apart: kernel and scale, as far as the search has chosen them."""
        parts = [
            prefix + self.points[name].fillna(absent).astype(str)
            for name, prefix, absent in (("kernel", "", "as given"), ("scale", "features: ", "as they are"))
            if name in self.points
        ]
        if not parts:
            return self.points["n_rows"].map(lambda _: "")
        return parts[0] if len(parts) == 1 else parts[0] + ", " + parts[1]

    def _axes(self) -> tuple[str, str]:
        """Names of the columns to draw: gamma and the strength, or the strength and the loss."""
        strength = "C" if "C" in self.points else "alpha"
        width = "gamma" in self.points and self.points["gamma"].notna().any()
        return ("gamma", strength) if width else (strength, "excess")

    def _chosen_line(self, table: pd.DataFrame) -> int:
        """Label of the line of the chosen parameters, the last one if they were tried on a sample first."""
        same = np.ones(len(table), dtype=bool)
        for name, value in self.chosen.items():
            if name in table:
                same &= table[name].isna() if value is None else (table[name] == value)
        return table.index[same][-1]

    def _draw_weights(self, ax: Axes) -> None:
        table = self.frame("weights")
        shown = table.head(_BARS)
        ax.barh(shown["feature"].astype(str), shown["weight"], color=_BAR)
        ax.axvline(1.0, color=GREY, linestyle=(0, (4, 3)), zorder=0)
        ax.invert_yaxis()
        ax.set_xlabel("weight in squared distances (mean 1)")
        rest = f", the heaviest {_BARS} of {len(table)}" if len(table) > _BARS else ""
        ax.set_title(f"how much features count{rest}", fontsize="medium", color="0.3")

    def _known_weights(self) -> pd.Series:
        if self.weights is None:
            raise ValueError("All features weigh the same: there are no weights to show.")
        return self.weights


def _shown(values: object, column: object) -> np.ndarray:
    """Numbers on a logarithmic axis, infinity beyond the largest of its column, a gamma of none below all."""
    values, column = np.asarray(values, dtype=float), np.asarray(column, dtype=float)
    known = column[np.isfinite(column)]
    low, high = (known.min() / 10, 10 * known.max()) if len(known) else (1.0, 1.0)
    return np.select([np.isnan(values), np.isinf(values)], [low, high], values)
