"""Drawing in SVG: elements, scales, axes, and marks that tell what they stand for.

Elements are built as a tree and never as text, so that whatever a name contains is escaped.  Colours come
from classes and variables of the page's style sheet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

Element = ET.Element


def canvas(width: float, height: float, title: str) -> Element:
    """Return an empty figure of this size, with its title for screen readers."""
    return ET.Element(
        "svg",
        {
            "viewBox": f"0 0 {_text(width)} {_text(height)}",
            "role": "group",
            "aria-label": title,
            "class": "figure",
        },
    )


def draw(parent: Element, tag: str, text: str | None = None, **attributes: object) -> Element:
    """Append an element; ``stroke_width=1`` and ``class_="x"`` become stroke-width="1" and class="x"."""
    named = {key.rstrip("_").replace("_", "-"): _text(value) for key, value in attributes.items()}
    element = ET.SubElement(parent, tag, named)
    element.text = text
    return element


def mark(parent: Element, tag: str, tip: str, **attributes: Any) -> Element:
    """Append an element that shows a tooltip under the mouse and under the keyboard's focus."""
    return draw(parent, tag, **attributes, data_tip=tip, aria_label=tip, role="img", tabindex=-1)


def markup(figure: Element) -> str:
    """Return the figure as text to be put into a page."""
    return ET.tostring(figure, encoding="unicode")


@dataclass(frozen=True)
class Scale:
    """Maps [low, high] linearly to [start, stop] of the figure."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        """Place of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.stop - self.start)


@dataclass(frozen=True)
class Axes:
    """A pair of scales with ticks: (value, label) pairs."""

    x: Scale
    y: Scale

    def draw_x(self, figure: Element, ticks: Sequence[tuple[float, str]], title: str = "") -> None:
        """Draw ticks, grid lines and the title of the horizontal axis."""
        for value, label in ticks:
            at = self.x(value)
            draw(figure, "line", x1=at, x2=at, y1=self.y.start, y2=self.y.stop, class_="grid")
            draw(figure, "text", label, x=at, y=self.y.start + 15, class_="tick", text_anchor="middle")
        if title:
            middle = (self.x.start + self.x.stop) / 2
            draw(figure, "text", title, x=middle, y=self.y.start + 32, class_="title", text_anchor="middle")

    def draw_y(self, figure: Element, ticks: Sequence[tuple[float, str]], title: str = "") -> None:
        """Draw ticks, grid lines and the title of the vertical axis."""
        for value, label in ticks:
            at = self.y(value)
            draw(figure, "line", x1=self.x.start, x2=self.x.stop, y1=at, y2=at, class_="grid")
            draw(figure, "text", label, x=self.x.start - 6, y=at + 4, class_="tick", text_anchor="end")
        if title:
            turned = f"translate(11 {_text((self.y.start + self.y.stop) / 2)}) rotate(-90)"
            draw(figure, "text", title, transform=turned, class_="title", text_anchor="middle")


def _text(value: object) -> str:
    """Numbers with at most two decimals, to keep the page small."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
