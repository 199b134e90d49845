"""Map of the posterior: the colour of the likeliest class, fainter where it is less sure, and the rows."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelproba.inspection.displays.colours import class_colours
from kernelproba.plain_text import shorten
from kernelproba.report.figures.canvas import Axes, Element, Scale, canvas, draw, mark

_LEFT, _SIDE, _TOP = 40, 310, 8


def posterior_figure(shown: dict[str, Any], classes: list[str]) -> Element:
    """Draw the map.

    Parameters
    ----------
    shown : dict
        From `summarise_map`.
    classes : list of c str
        Names.
    """
    figure = canvas(_LEFT + _SIDE + 10, _TOP + _SIDE + 42, "Map of the posterior")
    (left, right), (bottom, top) = shown["ranges"]
    axes = Axes(Scale(left, right, _LEFT, _LEFT + _SIDE), Scale(bottom, top, _TOP + _SIDE, _TOP))
    picture = colour_map(np.array(shown["label"]), np.array(shown["probability"]), len(classes))
    place: dict[str, Any] = {"x": _LEFT, "y": _TOP, "width": _SIDE, "height": _SIDE}
    draw(figure, "image", href=picture, preserveAspectRatio="none", **place)
    draw(figure, "rect", **place, class_="frame")
    axes.draw_x(figure, [], shorten(shown["names"][0], 44))
    axes.draw_y(figure, [], shorten(shown["names"][1], 44))
    _draw_ranges(figure, axes)
    colours = hex_colours(len(classes))
    for point in shown["points"]:
        _draw_point(figure, axes, point, classes, colours)
    return figure


def _draw_ranges(figure: Element, axes: Axes) -> None:
    """Write the ends of both axes into the corners."""
    for value, anchor in ((axes.x.low, "start"), (axes.x.high, "end")):
        draw(
            figure,
            "text",
            f"{value:.3g}",
            x=axes.x(value),
            y=_TOP + _SIDE + 15,
            class_="tick",
            text_anchor=anchor,
        )
    for value, shift in ((axes.y.low, 0), (axes.y.high, 9)):
        draw(
            figure,
            "text",
            f"{value:.3g}",
            x=_LEFT - 5,
            y=axes.y(value) + shift,
            class_="tick",
            text_anchor="end",
        )


def _draw_point(
    figure: Element, axes: Axes, point: dict[str, Any], classes: list[str], colours: list[str]
) -> None:
    label, predicted = point["label"], point["predicted"]
    verdict = "as predicted" if label == predicted else f"predicted \u2068{classes[predicted]}\u2069"
    tip = f"\u2068{classes[label]}\u2069, {verdict} with {point['probability']:.0%}"
    x, y = point["at"]
    kind = "" if label == predicted else " missed"
    mark(
        figure,
        "circle",
        tip,
        cx=axes.x(x),
        cy=axes.y(y),
        r=3.4,
        fill=colours[label],
        class_=f"mark dot{kind}",
    )


def hex_colours(c: int) -> list[str]:
    """Colours of c classes as CSS writes them."""
    return ["#" + "".join(f"{round(255 * part):02x}" for part in colour) for colour in class_colours(c)]


def colour_map(label: NDArray, probability: NDArray, c: int) -> str:
    """Return the grid as an image in an address: the class gives the colour, its probability the opacity.

    Parameters
    ----------
    label, probability : ndarray of shape (g, g)
        Likeliest class and its probability, the first index going upwards.
    c : int
        Number of classes.
    """
    # 0 where all classes are equally likely, 1 where one is certain
    sure = (probability - 1 / c) / (1 - 1 / c)
    pixels = np.empty((*label.shape, 4), dtype=np.uint8)
    pixels[..., :3] = np.round(255 * class_colours(c)[label])
    pixels[..., 3] = np.round(255 * (0.06 + 0.54 * np.clip(sure, 0, 1)))
    return "data:image/png;base64," + base64.b64encode(png(pixels[::-1])).decode("ascii")


def png(pixels: NDArray) -> bytes:
    """Encode red, green, blue and opacity (h, w, 4) of type uint8 as a PNG file."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)  # 0: this line is not filtered
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)  # 8 bits, colour with opacity
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
