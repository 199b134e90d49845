"""Reliability diagram: observed frequency against stated probability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from kernelproba.extras import extra
from kernelproba.inspection.displays.captions import caption
from kernelproba.inspection.displays.colours import GREY, MARKERS, class_colours
from kernelproba.inspection.scores.binning import BinTable, assign_bins
from kernelproba.inspection.scores.predictions import check_predictions, predict_probabilities
from kernelproba.typing import MatrixLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MAX_COLOURED = 6


def reliability_tables(
    y: ArrayLike,
    P: ArrayLike,
    *,
    kind: str = "top-label",
    n_bins: int = 10,
    strategy: str = "uniform",
    confidence: float = 0.95,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> list[BinTable]:
    """Bins of a reliability diagram, without drawing it.

    Parameters
    ----------
    y, P, kind, n_bins, strategy
        As in `expected_calibration_error`.
    confidence : float, default=0.95
        Of Wilson's interval for the frequency in each bin.
    classes, sample_weight
        As in `expected_calibration_error`.

    Returns
    -------
    list of BinTable
        One for the top label, or one for each class.

    See Also
    --------
    ReliabilityDisplay : Draws them.
    expected_calibration_error : One number for them.

    Examples
    --------
    >>> from kernelproba.inspection import reliability_tables
    >>> table = reliability_tables([0, 1, 1], [0.2, 0.7, 0.9], n_bins=5)[0]
    >>> table.frequency, table.count
    (array([1., 1.]), array([2, 1]))
    """
    checked = check_predictions(y, P, classes, sample_weight)
    tables = []
    for event in checked.events(kind):
        binning = assign_bins(event.probability, checked.weight, n_bins=n_bins, strategy=strategy)
        tables.append(BinTable.of(event, checked.weight, binning, confidence=confidence))
    return tables


class ReliabilityDisplay:
    """Reliability diagram of a classifier with any number of classes.

    Use `from_estimator` or `from_predictions`; both draw it.

    Parameters
    ----------
    tables : sequence of BinTable
        From `reliability_tables`.
    name : str, optional
        Of the classifier, for the legend.

    Attributes
    ----------
    tables, name
        As given.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    histogram_ax_ : matplotlib Axes or None
        The histogram below, if drawn.

    See Also
    --------
    reliability_tables : The bins without a figure.
    expected_calibration_error : One number for it.

    Examples
    --------
    >>> display = ReliabilityDisplay(reliability_tables([0, 1, 1], [0.2, 0.7, 0.9], n_bins=5))
    >>> display.frame()[["probability", "frequency", "count"]]
       probability  frequency  count
    0         0.75        1.0      2
    1         0.90        1.0      1
    """

    def __init__(self, tables: Sequence[BinTable], *, name: str | None = None):
        self.tables = tables
        self.name = name

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: MatrixLike, y: ArrayLike, *, name: str | None = None, **options: Any
    ) -> ReliabilityDisplay:
        """Draw the diagram of a fitted classifier on data that it has not seen.

        Parameters
        ----------
        estimator : classifier
            Fitted, with `predict_proba`.
        X, y
            Data.
        name : str, optional
            For the legend; the estimator's class if not given.
        **options
            As in `from_predictions`.
        """
        P, classes = predict_probabilities(estimator, X)
        return cls.from_predictions(y, P, classes=classes, name=name or type(estimator).__name__, **options)

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        P: ArrayLike,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        histogram: bool = True,
        **options: Any,
    ) -> ReliabilityDisplay:
        """Draw the diagram of given probabilities.

        Parameters
        ----------
        y, P
            Labels and probabilities.
        name : str, optional
            For the legend.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if not given.
        histogram : bool, default=True
            Whether to draw the number of rows in each bin below.
        **options
            Of `reliability_tables`: kind, n_bins, strategy, confidence, classes, sample_weight.
        """
        return cls(reliability_tables(y, P, **options), name=name).plot(ax, histogram=histogram)

    def frame(self) -> pd.DataFrame:
        """Bins as a table: one row for each bin that is not empty."""
        with extra("tables"):
            import pandas as pd

        parts = [pd.DataFrame({"event": table.name} | table.columns()) for table in self.tables]
        return pd.concat(parts, ignore_index=True)

    def plot(
        self, ax: Axes | None = None, *, name: str | None = None, histogram: bool = True
    ) -> ReliabilityDisplay:
        """Draw the diagram.

        Of many classes only the six with the largest calibration error are coloured.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.  Several displays may share one, with histograms for none of them.
        name : str, optional
            For the legend; that of the display if not given.
        histogram : bool, default=True
            Whether to draw the number of rows in each bin below.

        Returns
        -------
        ReliabilityDisplay
            Itself.
        """
        with extra("plot"):
            import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(5, 6 if histogram else 5), layout="constrained")
        self.ax_, self.figure_, self.histogram_ax_ = ax, ax.figure, None
        colours = self._colours(first=len(ax.containers))
        several, name = len(self.tables) > 1, name or self.name
        _draw_frame(ax)
        for k, (table, colour) in enumerate(zip(self.tables, colours, strict=True)):
            label = table.name if several else name or table.name
            _draw_curve(ax, table, colour, MARKERS[k % len(MARKERS)], _label(label, table, colour))
        ax.legend(
            title=caption(name) if several and name else None, loc="best", frameon=False, fontsize="small"
        )
        if histogram:
            self.histogram_ax_ = _draw_histogram(ax, self.tables, colours)
        return self

    def _colours(self, first: int) -> list[object]:
        """A colour for each curve; grey for all but the worst where there are many."""
        if len(self.tables) == 1:  # curves of several classifiers may share the axes
            return [tuple(class_colours(8)[first % 8])]
        worst = np.argsort([-table.calibration_error for table in self.tables])[:_MAX_COLOURED]
        colours: list[object] = [GREY] * len(self.tables)
        for k, colour in zip(sorted(worst), class_colours(_MAX_COLOURED), strict=False):
            colours[k] = tuple(colour)
        return colours


def _label(text: str, table: BinTable, colour: object) -> str:
    """Legend entry; a leading underscore keeps the grey curves out of the legend."""
    return "_" if colour == GREY else f"{caption(text)} (ECE {table.calibration_error:.3f})"


def _draw_frame(ax: Axes) -> None:
    """Draw the diagonal of perfect calibration, once, and name the axes."""
    if not any(line.get_gid() == "diagonal" for line in ax.lines):
        ax.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle=(0, (4, 3)), zorder=1, gid="diagonal")
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="stated probability", ylabel="observed frequency")
    ax.spines[["top", "right"]].set_visible(False)


def _draw_curve(ax: Axes, table: BinTable, colour: object, marker: str, label: str) -> None:
    muted = colour == GREY
    below, above = table.frequency - table.frequency_low, table.frequency_high - table.frequency
    ax.errorbar(
        table.probability,
        table.frequency,
        # Wilson's interval need not contain 0 or 1 exactly: rounding must not turn a bar negative.
        yerr=None if muted else np.maximum([below, above], 0),
        color=colour,
        marker=None if muted else marker,
        markersize=5,
        linewidth=0.7 if muted else 1.4,
        elinewidth=1,
        capsize=2,
        alpha=0.5 if muted else 1,
        label=label,
        zorder=2 if muted else 3,
        clip_on=muted,
    )


def _draw_histogram(ax: Axes, tables: Sequence[BinTable], colours: Sequence[object]) -> Axes:
    """Rows by stated probability, in a panel below the diagram that shares its horizontal axis."""
    below = _split_off_panel(ax)
    edges = np.linspace(0, 1, len(tables[0].histogram) + 1)
    for table, colour in zip(tables, colours, strict=True):
        if len(tables) == 1:
            below.stairs(table.histogram, edges, color=colour, fill=True, alpha=0.8)
        else:
            below.stairs(table.histogram, edges, color=colour, baseline=None)
    if len(tables) > 1:
        below.set_yscale("symlog", linthresh=1)  # most classes are improbable in most rows
    ax.tick_params(labelbottom=False)
    ax.set_xlabel("")
    below.set(xlabel="stated probability", ylabel="rows")
    below.set_ylim(bottom=0)
    below.spines[["top", "right"]].set_visible(False)
    return below


def _split_off_panel(ax: Any) -> Axes:
    """Give the lowest fifth of the axes' place to new axes; any layout engine then spaces both."""
    place = ax.get_subplotspec()
    if place is None:
        raise ValueError(
            "ax is not part of a grid of subplots: pass histogram=False, or make it by plt.subplots"
        )
    upper, lower = place.subgridspec(2, 1, height_ratios=(4, 1), hspace=0.08)
    ax.set_subplotspec(upper)
    return ax.figure.add_subplot(lower, sharex=ax)
