"""Picture of an explanation: signed bars of the training rows that speak for and against a class."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from kernelproba.extras import extra
from kernelproba.inspection.displays.captions import caption
from kernelproba.inspection.displays.colours import GREY, class_colours
from kernelproba.inspection.reasons.explanation import CENTER, explain
from kernelproba.typing import MatrixLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

FOR, AGAINST = (tuple(class_colours(5)[k]) for k in (0, 4))


class ExplanationDisplay:
    """Training rows that speak for and against the classes, as horizontal bars.

    Parameters
    ----------
    lines : DataFrame
        From `kernelproba.inspection.explain`.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        One per score drawn.
    figure_ : matplotlib Figure
        Where they are.

    See Also
    --------
    explain : The same as a table.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelLogisticRegression().fit(X, y)
    >>> display = ExplanationDisplay.from_estimator(model, X[:1], labels=y, top=3)
    >>> len(display.axes_)
    3
    """

    def __init__(self, lines: pd.DataFrame):
        self.lines = lines

    @classmethod
    def from_estimator(
        cls,
        model: BaseEstimator,
        X: MatrixLike,
        *,
        top: int | None = 5,
        training: MatrixLike | None = None,
        labels: ArrayLike | None = None,
        **options: Any,
    ) -> ExplanationDisplay:
        """Explain the rows of X and draw the first of them.

        Parameters
        ----------
        model, X, top, training, labels
            As in `explain`.
        **options
            Of `plot`.
        """
        return cls(explain(model, X, top=top, training=training, labels=labels)).plot(**options)

    def frame(self) -> pd.DataFrame:
        """Contributions as a table, one line each."""
        return self.lines

    def plot(
        self,
        axes: Sequence[Axes] | np.ndarray | None = None,
        *,
        explained: object = None,
        max_scores: int = 3,
    ) -> ExplanationDisplay:
        """Draw the contributions to the scores of one row.

        Parameters
        ----------
        axes : sequence of matplotlib Axes, optional
            Where to draw, one for each score; a new figure if not given.
        explained : label, optional
            Which row, as in the column of that name; the first if not given.
        max_scores : int, default=3
            Of many scores, how many to draw: those of the classes in the lead.

        Returns
        -------
        ExplanationDisplay
            Itself.
        """
        scores = self._scores_of(explained)[: max_scores if axes is None else len(axes)]
        axes = _new_axes(scores) if axes is None else axes
        self.axes_, self.figure_ = list(axes), axes[0].figure
        for ax, lines in zip(self.axes_, scores, strict=True):
            _draw_score(ax, lines)
        self.axes_[-1].set_xlabel("contribution to the score")
        return self

    def _scores_of(self, explained: object) -> list[pd.DataFrame]:
        """Return the lines of each score of one row, the class in the lead first."""
        column = self.lines["explained"]
        chosen = column.iloc[0] if explained is None and len(column) else explained
        lines = self.lines[column == chosen]
        if lines.empty:
            raise ValueError(f"explained={explained!r} is not among the rows that were explained")
        parts = [part for _, part in lines.groupby(["class", "against"], dropna=False, sort=False)]
        return sorted(parts, key=_strength(parts), reverse=True)


def _strength(parts: list[pd.DataFrame]) -> Callable[[pd.DataFrame], float]:
    """Return what a score is sorted by: how much its class, or both classes of its pair, lead in all."""
    lead: dict[object, float] = defaultdict(float)
    for part in parts:
        first, total = part.iloc[0], part["contribution"].sum()
        lead[first["class"]] += total
        lead[first["against"]] -= total
    lead[None] = 0.0  # "against all others" is no class
    return lambda part: lead[part["class"].iloc[0]] + lead[part["against"].iloc[0]]


def _new_axes(scores: list[pd.DataFrame]) -> np.ndarray:
    """Return one axes below the other, as high as each has bars."""
    with extra("plot"):
        import matplotlib.pyplot as plt

    heights = [len(lines) + 2.5 for lines in scores]
    figure, axes = plt.subplots(
        len(scores),
        squeeze=False,
        sharex=True,
        figsize=(6.5, 0.24 * sum(heights) + 0.5),
        height_ratios=heights,
        layout="constrained",
    )
    figure.suptitle(f"Why row {caption(scores[0]['explained'].iloc[0])} gets its scores")
    return axes[:, 0]


def _draw_score(ax: Axes, lines: pd.DataFrame) -> None:
    """Draw one score from the top: rows for, the sums of the others, rows against, the intercept."""
    values = lines["contribution"].to_numpy()
    single = lines["term"].isin(["row", CENTER]).to_numpy()
    shown = zip(values, single, strict=True)
    colours: list[object] = [(FOR if value > 0 else AGAINST, 1.0 if one else 0.35) for value, one in shown]
    colours[-1] = GREY  # the intercept
    heights = np.arange(len(values))[::-1]
    ax.barh(heights, values, color=colours, height=0.75)
    ax.set_yticks(heights, [_bar_name(line) for line in lines.to_dict("records")], fontsize="small")
    ax.axvline(0, color="0.3", linewidth=0.8)
    _write_values(ax, heights, values)
    first = lines.iloc[0]
    against = f" against {caption(first['against'])}" if first["against"] is not None else ""
    ax.set_title(
        f"{caption(first['class'])}{against}: score {values.sum():+.2f}", loc="left", fontsize="medium"
    )
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def _write_values(ax: Axes, heights: np.ndarray, values: np.ndarray) -> None:
    for height, value in zip(heights, values, strict=True):
        right = value >= 0
        ax.annotate(
            f"{value:+.2g}",
            (value, height),
            xytext=(3 if right else -3, 0),
            textcoords="offset points",
            ha="left" if right else "right",
            va="center",
            fontsize="x-small",
            color="0.3",
        )
    ax.margins(x=0.12)


def _bar_name(line: dict) -> str:
    if line["term"] not in ("row", CENTER):
        return line["term"]
    named = isinstance(line["row"], str)  # a name needs no "row" before it
    name = caption(line["row"], limit=24) if named else f"{line['term']} {caption(line['row'])}"
    return f"{name} ({caption(line['label'], limit=16)})" if "label" in line else name
