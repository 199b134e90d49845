"""What a self-tuning classifier has tried, and how it weighs the features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelproba.inspection.displays.colours import GREY, class_colours
from kernelproba.inspection.scores.predictions import check_option

if TYPE_CHECKING:
    import pandas as pd

_KINDS = ("points", "weights")
_BAR = tuple(class_colours(1)[0])
#: Loss above the best, in per cent, from which on colours do not differ any more.
_WORST = 30.0
#: Bars that a picture has room for.
_BARS = 25


class SearchDisplay:
    """The points (gamma, C) that a search has tried, or the weights it has given to features.

    Use `from_estimator`, which draws it.

    Parameters
    ----------
    points : DataFrame
        ``cv_results_.frame()``.
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

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegressionCV
    >>> from kernelproba.inspection import SearchDisplay
    >>> model = KernelLogisticRegressionCV().fit(*load_iris(return_X_y=True))
    >>> SearchDisplay.from_estimator(model).chosen == model.best_params_
    True
    """

    def __init__(self, points: pd.DataFrame, chosen: dict[str, Any], weights: pd.Series | None = None):
        self.points, self.chosen, self.weights = points, chosen, weights

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, kind: str = "points") -> SearchDisplay:
        """Draw the search of a fitted classifier.

        Parameters
        ----------
        estimator : KernelLogisticRegressionCV or LeastSquaresProbabilisticClassifierCV
            Fitted.
        ax : matplotlib Axes, optional
            Where to draw.
        kind : {"points", "weights"}, default="points"
            As in `plot`.
        """
        import pandas as pd

        check_is_fitted(estimator)
        if not hasattr(estimator.cv_results_, "frame"):
            raise ValueError(f"{type(estimator).__name__} keeps no table of points; look at its cv_results_.")
        weights = getattr(estimator, "feature_weights_", None)
        if weights is not None:
            names = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(len(weights))])
            weights = pd.Series(weights, index=names, name="weight")
        return cls(estimator.cv_results_.frame(), estimator.best_params_, weights).plot(ax, kind=kind)

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

    def plot(self, ax: Any = None, *, kind: str = "points") -> SearchDisplay:
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
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(6, 4), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        ax.spines[["top", "right"]].set_visible(False)
        (self._draw_points if kind == "points" else self._draw_weights)(ax)
        return self

    def _draw_points(self, ax: Any) -> None:
        table, strength = self.frame(), "C" if "C" in self.points else "alpha"
        last = table["n_rows"] == table["n_rows"].max()
        scales = table["scale"].fillna("as they are")
        for scale, marker in zip(scales.unique(), ("o", "s", "^"), strict=False):
            own = table[scales == scale]
            dots = ax.scatter(
                own["gamma"].fillna(1.0),
                own[strength],
                c=own["excess"].clip(0, _WORST),
                s=np.where(last[own.index], 70, 25),
                vmin=0,
                vmax=_WORST,
                cmap="viridis_r",
                marker=marker,
                edgecolors="white",
                linewidths=0.5,
                label=f"features: {scale}",
            )
        ax.scatter(
            self.chosen["gamma"] or 1.0, self.chosen[strength], s=220, facecolors="none", edgecolors="black"
        )
        ax.set(xscale="log", yscale="log", xlabel="gamma", ylabel=strength)
        ax.figure.colorbar(dots, ax=ax, label=f"loss above the best, % (up to {_WORST:.0f})")
        ax.legend(frameon=False, fontsize="small")
        large = "" if last.all() else f"; the large ones on {table['n_rows'].max():,} rows"
        ax.set_title(f"{len(table)} points{large}", fontsize="medium", color="0.3")

    def _draw_weights(self, ax: Any) -> None:
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
