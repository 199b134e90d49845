"""Columns that matter, how probabilities go with their values, and slices that are predicted worst."""

from __future__ import annotations

from collections.abc import Sequence

from kernelproba.plain_text import shorten
from kernelproba.report.figures.canvas import Axes, Element, Scale, canvas, draw, mark
from kernelproba.report.figures.intervals import Estimate, dot_chart, round_ticks
from kernelproba.report.figures.posterior import hex_colours
from kernelproba.report.summary_types import (
    ColumnDependence,
    ColumnImportance,
    DependenceCurve,
    ErrorSlice,
)

_LEFT, _WIDTH, _HEIGHT, _TOP = 48, 300, 150, 10


def importance_figure(columns: Sequence[ColumnImportance]) -> Element:
    """Draw how much the log loss rises when each column is shuffled."""
    estimates = [
        Estimate(
            each["column"],
            each["importance"],
            each["low"],
            each["high"],
            f"\u2068{each['column']}\u2069: log loss rises by {each['importance']:.3g} "
            f"(95% interval {each['low']:.3g} to {each['high']:.3g})",
        )
        for each in columns
    ]
    return dot_chart(estimates, "Rise of the log loss", _short)


def slices_figure(slices: Sequence[ErrorSlice], overall: float) -> Element:
    """Draw the log loss of slices, beside what was to be expected of each and that of all rows."""
    estimates = [
        Estimate(
            f"{each['column']} {each['slice']}",
            each["log_loss"],
            each["low"],
            each["high"],
            f"\u2068{each['column']}\u2069 \u2068{each['slice']}\u2069: log loss {each['log_loss']:.3g} in "
            f"{each['rows']:,} rows, {each['expected']:.3g} expected, {each['elsewhere']:.3g} elsewhere",
            expected=each["expected"],
        )
        for each in slices
    ]
    return dot_chart(estimates, "Log loss of slices", _short, reference=overall)


def dependence_figure(dependence: ColumnDependence, n_classes: int) -> Element:
    """Draw mean probabilities over the values of a column, with bands for their intervals.

    Parameters
    ----------
    dependence : dict
        From `describe_columns`.
    n_classes : int
        Of the model, for the colours of the classes.
    """
    at = dependence["at"]
    if at is None:
        return _levels(dependence)
    title = f"Probabilities by {dependence['column']}"
    figure = canvas(_LEFT + _WIDTH + 24, _TOP + _HEIGHT + 40, title)
    high = max(max(curve["high"]) for curve in dependence["curves"]) or 1.0
    ends = (at[0], at[-1]) if at[-1] > at[0] else (at[0] - 1, at[0] + 1)
    axes = Axes(Scale(*ends, _LEFT, _LEFT + _WIDTH), Scale(0, high, _TOP + _HEIGHT, _TOP))
    axes.draw_y(figure, [(tick, f"{100 * tick:.3g}%") for tick in round_ticks(high)])
    axes.draw_x(figure, _ticks(dependence), shorten(dependence["column"], 44))
    colours = hex_colours(n_classes) if n_classes > 2 else None
    for curve in dependence["curves"]:
        colour = {} if colours is None else {"style": f"--accent: {colours[curve['code']]}"}
        _draw_curve(draw(figure, "g", **colour), axes, dependence, curve)
    return figure


def _ticks(dependence: ColumnDependence) -> list[tuple[float, str]]:
    """The ends, and the value nearest to the middle of the axis if there is room beside it."""
    assert dependence["at"] is not None
    places = list(zip(dependence["at"], dependence["values"], strict=True))
    first, last = places[0], places[-1]
    middle = min(places, key=lambda place: abs(place[0] - (first[0] + last[0]) / 2))
    span = (last[0] - first[0]) or 1.0
    room = 0.25 < (middle[0] - first[0]) / span < 0.75
    return [first, middle, last] if room else [first, last] if len(places) > 1 else [first]


def _draw_curve(figure: Element, axes: Axes, dependence: ColumnDependence, curve: DependenceCurve) -> None:
    at = dependence["at"]
    assert at is not None
    edge = [*zip(at, curve["low"], strict=True), *reversed([*zip(at, curve["high"], strict=True)])]
    draw(figure, "polygon", points=_path(axes, edge), class_="band")
    points = [*zip(at, curve["probability"], strict=True)]
    draw(figure, "polyline", points=_path(axes, points), class_="curve strong")
    for k, (x, p) in enumerate(points):
        tip = (
            f"\u2068{dependence['column']}\u2069 {dependence['values'][k]}: \u2068{curve['name']}\u2069 "
            f"{p:.1%} ({curve['low'][k]:.1%} to {curve['high'][k]:.1%})"
        )
        mark(figure, "circle", tip, cx=axes.x(x), cy=axes.y(p), r=3, class_="mark point")


def _path(axes: Axes, points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{axes.x(a):.1f},{axes.y(b):.1f}" for a, b in points)


def _levels(dependence: ColumnDependence) -> Element:
    """Draw one line per level, for the class that the column moves most."""
    curve = dependence["curves"][0]
    columns = (dependence["values"], curve["probability"], curve["low"], curve["high"])
    estimates = [
        Estimate(
            value,
            p,
            low,
            high,
            f"\u2068{value}\u2069: \u2068{curve['name']}\u2069 {p:.1%} ({low:.1%} to {high:.1%})",
        )
        for value, p, low, high in zip(*columns, strict=True)
    ]
    return dot_chart(estimates, shorten(dependence["column"], 40), lambda share: f"{100 * share:.3g}%")


def _short(value: float) -> str:
    return f"{value:.3g}"
