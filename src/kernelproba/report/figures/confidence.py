"""How sure the model was: rows it labelled right upwards, rows it labelled wrong downwards."""

from __future__ import annotations

from kernelproba.report.figures.canvas import Axes, Element, Scale, canvas, draw, mark

_LEFT, _WIDTH, _HALF, _TOP = 58, 290, 108, 26
_TICKS = [(0.0, "0"), (0.25, "25%"), (0.5, "50%"), (0.75, "75%"), (1.0, "100%")]


def confidence_histogram(edges: list[float], right: list[int], wrong: list[int]) -> Element:
    """Draw two histograms back to back, each as shares of its own kind of row.

    Parameters
    ----------
    edges : list of b + 1 float
        Of the bins of the probability of the predicted class.
    right, wrong : list of b int
        Rows in each bin.
    """
    figure = canvas(_LEFT + _WIDTH + 16, _TOP + 2 * _HALF + 42, "Confidence of right and wrong rows")
    middle, shares = _TOP + _HALF, [_shares(right), _shares(wrong)]
    most = max(*shares[0], *shares[1])
    axes = Axes(Scale(0, 1, _LEFT, _LEFT + _WIDTH), Scale(-most, most, _TOP + 2 * _HALF, _TOP))
    axes.draw_x(figure, _TICKS, "probability of the predicted class")
    axes.draw_y(figure, [(-most, f"{most:.0%}"), (most, f"{most:.0%}")], "share of rows")
    for kind, counts, share, sign in (("right", right, shares[0], 1), ("wrong", wrong, shares[1], -1)):
        for k, count in enumerate(counts):
            if count:
                _draw_bar(figure, axes, (edges[k], edges[k + 1]), kind, count, sign * share[k])
        at = _TOP - 9 if sign > 0 else _TOP + 2 * _HALF - 6
        draw(figure, "text", f"{kind}: {sum(counts):,}", x=_LEFT + 4, y=at, class_=f"legend {kind}")
    draw(figure, "line", x1=_LEFT, x2=_LEFT + _WIDTH, y1=middle, y2=middle, class_="axis")
    return figure


def _draw_bar(
    figure: Element, axes: Axes, edges: tuple[float, float], kind: str, count: int, height: float
) -> None:
    left, right = axes.x(edges[0]) + 0.8, axes.x(edges[1]) - 0.8
    low, high = sorted((axes.y(0.0), axes.y(height)))
    span = f"{edges[0]:.0%} to {edges[1]:.0%}"
    tip = f"{count:,} {kind} with probability {span}, {abs(height):.1%} of the {kind} rows"
    place = {"x": left, "y": low, "width": right - left, "height": max(high - low, 1.0)}
    mark(figure, "rect", tip, **place, class_=f"mark bar {kind}")


def _shares(counts: list[int]) -> list[float]:
    total = max(sum(counts), 1)
    return [count / total for count in counts]
