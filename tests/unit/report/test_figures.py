"""Figures: marks stand where their numbers say."""

import io
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from kernelproba.inspection import reliability_tables
from kernelproba.inspection.displays.colours import class_colours
from kernelproba.report.figures.canvas import Scale, markup
from kernelproba.report.figures.confidence import confidence_histogram
from kernelproba.report.figures.confusion import confusion_matrix
from kernelproba.report.figures.intervals import round_ticks, score_ranking
from kernelproba.report.figures.posterior import colour_map, png, posterior_figure
from kernelproba.report.figures.reliability import reliability
from kernelproba.report.json_values import json_value

HOSTILE = "<script>alert(1)</script>\"'&"


def _marks(figure, tag):
    return [element for element in figure.iter(tag) if "data-tip" in element.attrib]


def test_a_scale_maps_ends_to_ends():
    scale = Scale(-1, 3, 100, 20)
    assert (scale(-1), scale(3), scale(1)) == (100, 20, 60)


def test_dots_of_a_calibrated_model_lie_on_the_diagonal():
    # In each bin the frequency is the stated probability.
    p = np.repeat([0.2, 0.6, 1.0], [10, 10, 10])
    y = np.concatenate([np.arange(10) < 2, np.arange(10) < 6, np.ones(10, bool)]).astype(int)
    _, table = reliability_tables(y, p, kind="class-wise")
    figure = reliability(json_value(table.columns()), "title")
    (diagonal,) = [line for line in figure.iter("line") if line.get("class") == "diagonal"]
    x1, y1, x2, y2 = (float(diagonal.get(key)) for key in ("x1", "y1", "x2", "y2"))
    for dot, share in zip(_marks(figure, "circle"), [0.2, 0.6, 1.0], strict=True):
        assert float(dot.get("cx")) == pytest.approx(x1 + share * (x2 - x1), abs=0.02)
        assert float(dot.get("cy")) == pytest.approx(y1 + share * (y2 - y1), abs=0.02)
        assert "in 10 rows" in dot.get("data-tip")


def test_bars_are_as_high_as_their_counts():
    figure = confidence_histogram([0.0, 0.5, 1.0], [10, 30], [4, 0])
    bars = _marks(figure, "rect")
    assert [bar.get("data-tip").split(" with")[0] for bar in bars] == ["10 right", "30 right", "4 wrong"]
    # Shares of their own kind: 1/4 and 3/4 of the right rows, all of the wrong ones.
    heights = [float(bar.get("height")) for bar in bars]
    assert heights == pytest.approx([heights[2] / 4, heights[2] * 3 / 4, heights[2]], rel=1e-3)


def test_a_model_without_mistakes_has_a_histogram():
    assert len(_marks(confidence_histogram([0.0, 1.0], [5], [0]), "rect")) == 1


def test_cells_of_the_confusion_matrix_stand_in_row_and_column():
    figure = confusion_matrix(["a", "b"], [[5, 0], [2, 3]])
    cells = {cell.get("data-tip").split(":")[0]: cell for cell in _marks(figure, "rect")}
    assert len(cells) == 3
    wrong = cells["true \u2068b\u2069, predicted \u2068a\u2069"]
    right = cells["true \u2068b\u2069, predicted \u2068b\u2069"]
    assert wrong.get("y") == right.get("y")
    assert float(wrong.get("x")) < float(right.get("x"))
    assert "2 rows, 40.0% of the class" in wrong.get("data-tip")


def test_methods_are_ranked_and_stand_between_the_ends_of_their_intervals():
    methods = [
        {"method": name, "ours": ours, "error": value, "error_low": value - 0.01, "error_high": value + 0.03}
        for name, value, ours in [("second", 0.2, False), ("first", 0.1, True)]
    ] + [{"method": "broken", "ours": False, "error": None, "error_low": None, "error_high": None}]
    figure = score_ranking(methods, "error", "Error", percent=True)
    dots = _marks(figure, "circle")
    assert ["first" in dots[0].get("data-tip"), "second" in dots[1].get("data-tip")] == [True, True]
    assert len(dots) == 2
    lines = [line for line in figure.iter("line") if "whisker" in line.get("class")]
    for dot, line in zip(dots, lines, strict=True):
        left, at, right = float(line.get("x1")), float(dot.get("cx")), float(line.get("x2"))
        assert (at - left) / (right - left) == pytest.approx(0.25, abs=1e-3)


def test_no_method_with_a_score_leaves_an_empty_figure():
    assert _marks(score_ranking([], "error", "Error", percent=True), "circle") == []


@pytest.mark.parametrize("high", [1e-7, 0.013, 0.5, 1.0, 1.99, 7.3, 4e5])
def test_ticks_are_few_round_and_reach_most_of_the_way(high):
    ticks = round_ticks(high)
    assert 3 <= len(ticks) <= 6
    assert ticks[0] == 0
    assert 0.6 * high < ticks[-1] <= high * (1 + 1e-9)


def test_a_png_is_read_back_by_another_library():
    image = pytest.importorskip("PIL.Image")
    pixels = np.random.RandomState(0).randint(256, size=(5, 7, 4)).astype(np.uint8)
    np.testing.assert_array_equal(np.asarray(image.open(io.BytesIO(png(pixels)))), pixels)


def test_the_map_is_upright_and_paler_where_it_is_less_sure():
    import base64

    image = pytest.importorskip("PIL.Image")
    label, probability = np.array([[0, 1], [1, 1]]), np.array([[1.0, 0.5], [0.75, 1.0]])
    address = colour_map(label, probability, 2)
    pixels = np.asarray(image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))))
    np.testing.assert_array_equal(pixels[1, 0, :3], np.round(255 * class_colours(2)[0]))  # lower left
    opacity = pixels[..., 3].astype(int)
    assert opacity[1, 0] == opacity[0, 1] > opacity[0, 0] > opacity[1, 1] > 0


def test_names_are_escaped_in_every_figure():
    point = {"at": [0.0, 0.0], "label": 0, "predicted": 1, "probability": 0.6}
    shown = {"ranges": [[-1, 1], [-1, 1]], "names": [HOSTILE, "b"], "label": [[0]], "probability": [[0.7]]}
    method = {"method": HOSTILE, "ours": True, "error": 0.1, "error_low": 0.0, "error_high": 0.2}
    for figure in (
        confusion_matrix([HOSTILE, "b"], [[1, 1], [0, 1]]),
        posterior_figure(shown | {"points": [point]}, [HOSTILE, "b"]),
        score_ranking([method], "error", HOSTILE, percent=False),
    ):
        text = markup(figure)
        assert "<script" not in text
        tips = [element.get("data-tip", "") for element in ET.fromstring(text).iter()]
        assert any(HOSTILE in tip for tip in tips)
