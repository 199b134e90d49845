"""Curves over all thresholds on the probability of a class: false alarms, recall, precision, and costs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kernelproba.report.figures.canvas import Axes, Element, Scale, canvas, draw, mark

_TICKS = [(0.0, "0"), (0.5, "50%"), (1.0, "100%")]
_SIDE, _LEFT = 220, 58

#: Thresholds that are marked.
_MARKED = (0.9, 0.75, 0.5, 0.25, 0.1)

#: Kind → its axes (key and title of each), and how they are told.
_KINDS = {
    "roc": (("false_alarms", "false alarms"), ("recall", "recall"), "ROC curve"),
    "precision-recall": (("recall", "recall"), ("precision", "precision"), "Precision and recall"),
}


def threshold_figure(curve: dict[str, Any], kind: str) -> Element:
    """Draw the curve of one class.

    Parameters
    ----------
    curve : dict
        From `threshold_curve`, with the ``name`` of the class.
    kind : {"roc", "precision-recall"}
        Which curve.
    """
    (x, x_title), (y, y_title), title = _KINDS[kind]
    figure = canvas(_LEFT + _SIDE + 16, _SIDE + 54, f"{title} of the class {curve['name']}")
    axes = Axes(Scale(0, 1, _LEFT, _LEFT + _SIDE), Scale(0, 1, _SIDE + 10, 10))
    axes.draw_x(figure, _TICKS, x_title)
    axes.draw_y(figure, _TICKS, y_title)
    points = list(zip(curve[x], curve[y], strict=True))
    if kind == "roc":
        points = [(0.0, 0.0), *points]
        draw(figure, "line", x1=axes.x(0), x2=axes.x(1), y1=axes.y(0), y2=axes.y(1), class_="diagonal")
    draw(figure, "polyline", points=_path(axes, points), class_="curve strong")
    for threshold in _MARKED:
        _draw_threshold(figure, axes, curve, threshold, (x, y))
    return figure


def cost_figure(curve: dict[str, Any]) -> Element:
    """Draw what acting on the probabilities of one class costs, beside always or never acting.

    Parameters
    ----------
    curve : dict
        With ``costs`` from `cost_curve` and the ``name`` of the class.
    """
    costs = curve["costs"]
    top = max(*costs["cost"], *costs["ignorant"], 1e-9)
    figure = canvas(_LEFT + _SIDE + 16, _SIDE + 54, f"Costs of acting on the class {curve['name']}")
    axes = Axes(Scale(0, 1, _LEFT, _LEFT + _SIDE), Scale(0, top, _SIDE + 10, 10))
    axes.draw_x(figure, _TICKS, "threshold = cost of a false alarm")
    axes.draw_y(figure, [(0.0, "0"), (top, f"{top:.2g}")], "cost per row")
    for key, style in (("ignorant", "curve dashed"), ("cost", "curve strong")):
        pairs = zip(costs["ratio"], costs[key], strict=True)
        draw(figure, "polyline", points=_path(axes, pairs), class_=style)
    for threshold in sorted(_MARKED):
        k = round(threshold * (len(costs["ratio"]) - 1))
        tip = (
            f"threshold {costs['ratio'][k]:.0%}: cost {costs['cost'][k]:.3g} per row, "
            f"{costs['ignorant'][k]:.3g} by always or never acting"
        )
        at = {"cx": axes.x(costs["ratio"][k]), "cy": axes.y(costs["cost"][k])}
        mark(figure, "circle", tip, **at, r=4, class_="mark point")
    return figure


def _path(axes: Axes, points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{axes.x(a):.1f},{axes.y(b):.1f}" for a, b in points)


def _draw_threshold(
    figure: Element, axes: Axes, curve: dict[str, Any], threshold: float, keys: tuple[str, str]
) -> None:
    """Mark what a threshold gives, if any row reaches it."""
    reached = [k for k, value in enumerate(curve["threshold"]) if value >= threshold]
    if not reached:
        return
    k = reached[-1]
    tip = (
        f"above {threshold:.0%}: recall {curve['recall'][k]:.1%}, precision {curve['precision'][k]:.1%}, "
        f"false alarms {curve['false_alarms'][k]:.1%}"
    )
    at = {"cx": axes.x(curve[keys[0]][k]), "cy": axes.y(curve[keys[1]][k])}
    mark(figure, "circle", tip, **at, r=4, class_="mark point")
