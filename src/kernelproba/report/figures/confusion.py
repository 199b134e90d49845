"""Confusion matrix: the rows of each true class, spread over the classes predicted for them."""

from __future__ import annotations

from kernelproba.plain_text import shorten
from kernelproba.report.figures.canvas import Element, canvas, draw, mark

_SIDE, _LEFT, _TOP, _LABELS, _NUMBERS, _LENGTH = 300, 112, 24, 40, 12, 12


def confusion_matrix(classes: list[str], counts: list[list[int]]) -> Element:
    """Draw rows as true classes and columns as predicted ones; shades are shares of the true class.

    Parameters
    ----------
    classes : list of c str
        Names.
    counts : list of c lists of c int
        Rows of each true class, by predicted class.
    """
    c = len(classes)
    cell = _SIDE / c
    longest = max(len(shorten(label, _LENGTH)) for label in classes)
    figure = canvas(_LEFT + _SIDE + 8, _TOP + _SIDE + 14 + 8.4 * longest, "Confusion matrix")
    draw(figure, "rect", x=_LEFT, y=_TOP, width=_SIDE, height=_SIDE, class_="frame")
    for i, row in enumerate(counts):
        for j, count in enumerate(row):
            if count:
                _draw_cell(figure, classes, i, j, count / sum(row), count, cell)
    _draw_names(figure, classes, cell)
    draw(figure, "text", "true class", x=_LEFT - 6, y=_TOP - 8, class_="title", text_anchor="end")
    draw(figure, "text", "predicted class", x=_LEFT + _SIDE, y=_TOP - 8, class_="title", text_anchor="end")
    return figure


def _draw_cell(
    figure: Element, classes: list[str], i: int, j: int, share: float, count: int, cell: float
) -> None:
    x, y = _LEFT + j * cell, _TOP + i * cell
    rows = "1 row" if count == 1 else f"{count:,} rows"
    tip = (
        f"true \u2068{classes[i]}\u2069, predicted \u2068{classes[j]}\u2069: {rows}, {share:.1%} of the class"
    )
    kind = "right" if i == j else "wrong"
    gap = min(1.0, cell / 12)
    place = {"x": x + gap, "y": y + gap, "width": cell - 2 * gap, "height": cell - 2 * gap}
    mark(figure, "rect", tip, **place, class_=f"mark cell {kind}", fill_opacity=0.12 + 0.88 * share**0.7)
    if len(classes) <= _NUMBERS:
        strong = " strong" if share > 0.5 else ""
        size = min(13.0, cell / 2.2)
        draw(
            figure,
            "text",
            f"{count:,}" if count < 10_000 else f"{count / 1000:.0f}k",
            x=x + cell / 2,
            y=y + cell / 2 + size / 3,
            class_=f"cell-number{strong}",
            style=f"font-size: {size:.1f}px",
            text_anchor="middle",
        )


def _draw_names(figure: Element, classes: list[str], cell: float) -> None:
    """Name both sides; of many classes every second, third, … one, as there is room."""
    step = -(-len(classes) // _LABELS) if cell < 7 else 1
    size = min(11.0, max(6.5, cell * step * 0.9))
    for k in range(0, len(classes), step):
        label, middle = shorten(classes[k], _LENGTH), (k + 0.5) * cell + size / 3
        draw(
            figure,
            "text",
            label,
            x=_LEFT - 6,
            y=_TOP + middle,
            class_="tick",
            text_anchor="end",
            style=f"font-size: {size:.1f}px",
        )
        turned = f"translate({_LEFT + middle:.1f} {_TOP + _SIDE + 8}) rotate(-90)"
        draw(
            figure,
            "text",
            label,
            transform=turned,
            class_="tick",
            text_anchor="end",
            style=f"font-size: {size:.1f}px",
        )
