"""Reliability diagram: observed frequency against stated probability, over the number of rows in each bin."""

from __future__ import annotations

from collections.abc import Iterator

from kernelproba.report.figures.canvas import Axes, Element, Scale, canvas, draw, mark

_QUARTERS = [(0.0, "0"), (0.25, "25%"), (0.5, "50%"), (0.75, "75%"), (1.0, "100%")]
_ENDS = [(0.0, "0"), (0.5, "50%"), (1.0, "100%")]


def reliability(bins: dict[str, list[float]], title: str, *, small: bool = False) -> Element:
    """Draw the bins of one event.

    Parameters
    ----------
    bins : dict of lists
        Columns of a `BinTable`: low, high, count, probability, frequency, frequency_low, frequency_high.
    title : str
        For screen readers.
    small : bool, default=False
        For a row of figures: fewer ticks and no titles.
    """
    side, left = (132, 40) if small else (270, 58)
    figure = canvas(left + side + 16, side + (74 if small else 124), title)
    upper = Axes(Scale(0, 1, left, left + side), Scale(0, 1, side + 10, 10))
    ticks = _ENDS if small else _QUARTERS
    upper.draw_x(figure, ticks if small else [(value, "") for value, _ in ticks])
    upper.draw_y(figure, ticks, "" if small else "observed frequency")
    draw(figure, "line", x1=upper.x(0), x2=upper.x(1), y1=upper.y(0), y2=upper.y(1), class_="diagonal")
    _draw_points(figure, upper, bins)
    top = side + (36 if small else 26)
    _draw_counts(figure, Axes(upper.x, Scale(0, 1, top + (34 if small else 58), top)), bins, small)
    return figure


def _draw_points(figure: Element, axes: Axes, bins: dict[str, list[float]]) -> None:
    path = " ".join(
        f"{axes.x(p):.1f},{axes.y(f):.1f}"
        for p, f in zip(bins["probability"], bins["frequency"], strict=True)
    )
    draw(figure, "polyline", points=path, class_="curve")
    most = max(bins["count"])
    for p, f, low, high, count in _columns(
        bins, "probability", "frequency", "frequency_low", "frequency_high", "count"
    ):
        at = axes.x(p)
        draw(figure, "line", x1=at, x2=at, y1=axes.y(low), y2=axes.y(high), class_="whisker")
        tip = f"stated {p:.1%}, observed {f:.1%} (95% interval {low:.1%} to {high:.1%}) in {_rows(count)}"
        # The area grows with the rows, but a lone row must still be seen.
        radius = 2.4 + 2.8 * (count / most) ** 0.5
        mark(figure, "circle", tip, cx=at, cy=axes.y(f), r=radius, class_="mark point")


def _draw_counts(figure: Element, axes: Axes, bins: dict[str, list[float]], small: bool) -> None:
    """Bars of the number of rows in each bin."""
    most, base = max(bins["count"]), axes.y.start
    scale = Scale(0, most, base, axes.y.stop)
    for low, high, count in _columns(bins, "low", "high", "count"):
        left, right, top = axes.x(low) + 1, axes.x(high) - 1, min(scale(count), base - 1)
        tip = f"{_rows(count)} with a stated probability between {low:.0%} and {high:.0%}"
        mark(figure, "rect", tip, x=left, y=top, width=right - left, height=base - top, class_="mark bar")
        if not small:
            middle = (left + right) / 2
            draw(figure, "text", f"{count:,}", x=middle, y=top - 3, class_="count", text_anchor="middle")
    if not small:
        axes.draw_x(figure, [], "stated probability")
        for value, label in _QUARTERS:
            draw(figure, "text", label, x=axes.x(value), y=base + 15, class_="tick", text_anchor="middle")
        draw(figure, "text", "rows", x=axes.x.start - 6, y=base, class_="tick", text_anchor="end")


def _columns(bins: dict[str, list[float]], *names: str) -> Iterator[tuple[float, ...]]:
    return zip(*(bins[name] for name in names), strict=True)


def _rows(count: float) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"
