"""One score of several methods: a dot for the estimate on a line for its interval, the best on top."""

from __future__ import annotations

import math
from typing import Any

from kernelproba.plain_text import shorten
from kernelproba.report.figures.canvas import Axes, Element, Scale, canvas, draw, mark

_LEFT, _WIDTH, _STEP = 164, 196, 24


def score_ranking(methods: list[dict[str, Any]], score: str, title: str, percent: bool) -> Element:
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
    ranked = sorted((m for m in methods if m[score] is not None), key=lambda m: m[score])
    bottom = 34 + _STEP * len(ranked)
    figure = canvas(_LEFT + _WIDTH + 14, bottom + 24, title)
    draw(figure, "text", title, x=0, y=14, class_="heading")
    if not ranked:
        return figure
    high = max(m[f"{score}_high"] for m in ranked) or 1.0
    axes = Axes(Scale(0, high, _LEFT, _LEFT + _WIDTH), Scale(0, 1, bottom, 24))
    axes.draw_x(figure, [(tick, _number(tick, percent)) for tick in round_ticks(high)])
    for k, method in enumerate(ranked):
        _draw_method(figure, axes, method, score, 24 + _STEP * (k + 0.5), percent)
    return figure


def _draw_method(
    figure: Element, axes: Axes, method: dict[str, Any], score: str, at: float, percent: bool
) -> None:
    ours = " ours" if method["ours"] else ""
    value, low, high = (method[f"{score}{end}"] for end in ("", "_low", "_high"))
    name = shorten(method["method"], 27)
    draw(figure, "text", name, x=_LEFT - 8, y=at + 4, class_=f"tick name{ours}", text_anchor="end")
    draw(figure, "line", x1=axes.x(low), x2=axes.x(high), y1=at, y2=at, class_=f"whisker{ours}")
    shown, ends = _number(value, percent), f"{_number(low, percent)} to {_number(high, percent)}"
    tip = f"\u2068{method['method']}\u2069: {shown} (95% interval {ends})"
    mark(figure, "circle", tip, cx=axes.x(value), cy=at, r=5, class_=f"mark point{ours}")


def _number(value: float, percent: bool) -> str:
    return f"{100 * value:.3g}%" if percent else f"{value:.3g}"


def round_ticks(high: float) -> list[float]:
    """Return three to six round numbers from 0 to `high`.

    Examples
    --------
    >>> round_ticks(0.07)
    [0.0, 0.02, 0.04, 0.06]
    """
    unit = 10 ** math.floor(math.log10(high))
    step = next(s * unit for s in (0.2, 0.5, 1.0, 2.0) if high / (s * unit) < 5.5)
    return [round(k * step, 12) for k in range(int(high / step + 1e-9) + 1)]
