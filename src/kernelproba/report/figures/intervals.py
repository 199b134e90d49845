"""Estimates with names: a dot for each on a line for its interval, one below the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kernelproba.plain_text import shorten
from kernelproba.report.figures.canvas import Axes, Element, Scale, canvas, draw, mark
from kernelproba.report.summary_types import MethodScores

_LEFT, _WIDTH, _STEP = 190, 196, 24

#: Width of a digit of a label.
_DIGIT = 6


@dataclass(frozen=True)
class Estimate:
    """A number with the ends of its interval, and what is said of it.

    Attributes
    ----------
    name : str
        Beside the dot.
    value, low, high : float
        Estimate and ends.
    tip : str
        Under the mouse.
    kind : str
        Further classes of the style sheet.
    expected : float or None
        Another number to mark on the same line.
    """

    name: str
    value: float
    low: float
    high: float
    tip: str
    kind: str = ""
    expected: float | None = None


def dot_chart(
    estimates: Sequence[Estimate], title: str, show: Callable[[float], str], *, reference: float | None = None
) -> Element:
    """Draw estimates in the order given.

    Parameters
    ----------
    estimates : sequence of Estimate
        One line each.
    title : str
        Of the figure.
    show : callable
        A number as the axis shows it.
    reference : float, optional
        Where to draw a dashed line through all.
    """
    bottom = 34 + _STEP * len(estimates)
    figure = canvas(_LEFT + _WIDTH + 14, bottom + 24, title)
    draw(figure, "text", title, x=0, y=14, class_="heading")
    if not estimates:
        return figure
    low = min(0.0, *(each.low for each in estimates), 0.0)
    high = max(max(each.high, each.expected or 0.0) for each in estimates) or 1.0
    axes = Axes(Scale(low, high, _LEFT, _LEFT + _WIDTH), Scale(0, 1, bottom, 24))
    axes.draw_x(figure, _labelled(round_ticks(high, low), show))
    if reference is not None:
        at = axes.x(min(reference, high))
        draw(figure, "line", x1=at, x2=at, y1=24, y2=bottom, class_="diagonal")
    for k, estimate in enumerate(estimates):
        _draw_estimate(figure, axes, estimate, 24 + _STEP * (k + 0.5))
    return figure


def _labelled(ticks: list[float], show: Callable[[float], str]) -> list[tuple[float, str]]:
    """Return ticks with their labels: every second one, 0 among them, as long as they would touch."""
    while sum(len(show(tick)) + 2 for tick in ticks) * _DIGIT > _WIDTH and len(ticks) > 2:
        ticks = ticks[ticks.index(0) % 2 :: 2]
    return [(tick, show(tick)) for tick in ticks]


def _draw_estimate(figure: Element, axes: Axes, estimate: Estimate, at: float) -> None:
    kind = f" {estimate.kind}" if estimate.kind else ""
    label = shorten(estimate.name, 26)
    draw(figure, "text", label, x=_LEFT - 8, y=at + 4, class_=f"tick name{kind}", text_anchor="end")
    low, high = axes.x(estimate.low), axes.x(estimate.high)
    draw(figure, "line", x1=low, x2=high, y1=at, y2=at, class_=f"whisker{kind}")
    if estimate.expected is not None:
        place = axes.x(estimate.expected)
        draw(figure, "line", x1=place, x2=place, y1=at - 8, y2=at + 8, class_="expected")
    mark(figure, "circle", estimate.tip, cx=axes.x(estimate.value), cy=at, r=5, class_=f"mark point{kind}")


def score_ranking(methods: list[MethodScores], score: str, title: str, percent: bool) -> Element:
    """Draw the methods that have this score, sorted by it.

    Parameters
    ----------
    methods : list of dict
        With ``method``, the score and its ends ``…_low`` and ``…_high``, and ``ours``.
    score : str
        Which score.
    title : str
        Of the figure.
    percent : bool
        Whether the score is a share.
    """

    def show(value: float) -> str:
        return f"{100 * value:.3g}%" if percent else f"{value:.3g}"

    def estimate(method: MethodScores) -> Estimate:
        value, low, high = (method[f"{score}{end}"] for end in ("", "_low", "_high"))
        tip = f"\u2068{method['method']}\u2069: {show(value)} (95% interval {show(low)} to {show(high)})"
        return Estimate(method["method"], value, low, high, tip, "ours" if method["ours"] else "")

    ranked = sorted((m for m in methods if m[score] is not None), key=lambda m: m[score])
    return dot_chart([estimate(method) for method in ranked], title, show)


def round_ticks(high: float, low: float = 0.0) -> list[float]:
    """Return three to six round numbers from `low`, which is 0 or less, to `high`.

    Examples
    --------
    >>> round_ticks(0.07), round_ticks(0.1, -0.07)
    ([0.0, 0.02, 0.04, 0.06], [-0.05, 0.0, 0.05, 0.1])
    """
    span = high - low
    unit = 10 ** math.floor(math.log10(span))
    step = next(s * unit for s in (0.2, 0.5, 1.0, 2.0) if span / (s * unit) < 5.5)
    return [round(k * step, 12) for k in range(-int(-low / step + 1e-9), int(high / step + 1e-9) + 1)]
