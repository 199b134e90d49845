"""Share of rows whose label is in the set, against the confidence asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernelproba.report.figures.canvas import Axes, Element, Scale, canvas, draw, mark

_SIDE, _LEFT = 270, 58
_TICKS = [(0.5, "50%"), (0.6, "60%"), (0.7, "70%"), (0.8, "80%"), (0.9, "90%"), (1.0, "100%")]


def coverage_figure(sets: Mapping[str, Any]) -> Element:
    """Draw the coverage at every level with two standard errors, beside the diagonal.

    Parameters
    ----------
    sets : dict of lists
        From `describe_sets`.
    """
    low = min([0.5, *(c - 2 * e for c, e in zip(sets["coverage"], sets["std_error"], strict=True))])
    low = max(0.0, int(10 * low) / 10)
    figure = canvas(_LEFT + _SIDE + 16, _SIDE + 54, "Coverage of sets of labels")
    axes = Axes(Scale(0.45, 1, _LEFT, _LEFT + _SIDE), Scale(low - 0.05, 1, _SIDE + 10, 10))
    axes.draw_x(figure, _TICKS, "confidence asked for")
    axes.draw_y(figure, [tick for tick in _TICKS if tick[0] >= low], "label in the set")
    draw(figure, "line", x1=axes.x(0.5), x2=axes.x(1), y1=axes.y(0.5), y2=axes.y(1), class_="diagonal")
    points = list(zip(sets["confidence"], sets["coverage"], strict=True))
    path = " ".join(f"{axes.x(a):.1f},{axes.y(b):.1f}" for a, b in points)
    draw(figure, "polyline", points=path, class_="curve")
    columns = ("confidence", "coverage", "std_error", "mean_size", "single")
    for level, share, error, size, single in zip(*(sets[key] for key in columns), strict=True):
        at, ends = axes.x(level), (max(share - 2 * error, low - 0.05), min(share + 2 * error, 1.0))
        draw(figure, "line", x1=at, x2=at, y1=axes.y(ends[0]), y2=axes.y(ends[1]), class_="whisker")
        tip = f"{level:.0%} asked for: {share:.1%} in the set, {size:.2f} labels each, {single:.0%} of one"
        mark(figure, "circle", tip, cx=at, cy=axes.y(share), r=4, class_="mark point")
    return figure
