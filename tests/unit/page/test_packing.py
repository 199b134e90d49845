"""Numbers on a page are exactly those of the model."""

import base64

import numpy as np
import pytest

from kernelproba.page.packing import packed_numbers


def unpacked(constant):
    """What the page's script makes of a constant, said again in Python."""

    def numbers(text, kind="<f8"):
        return np.frombuffer(base64.b64decode(text), dtype=kind)

    shape = constant["shape"]
    if "list" in constant:
        return np.array(constant["list"]).reshape(shape)
    if "bytes" in constant:
        return numbers(constant["bytes"]).reshape(shape)
    lines = [
        numbers(line) if isinstance(line, str) else numbers(line["levels"])[numbers(line["codes"], "u1")]
        for line in constant["lines"]
    ]
    return np.array(lines).T if constant["by"] == "column" else np.array(lines)


RNG = np.random.default_rng(0)
ARRAYS = {
    "a scalar": np.array(0.1),
    "infinities": np.array([np.inf, -np.inf, np.nan]),
    "a vector": RNG.normal(size=100),
    "a tall matrix of few values": RNG.integers(3, size=(200, 4)) / 3,
    "a wide matrix, some lines of few values": np.vstack([RNG.normal(size=90), RNG.integers(2, size=90)]),
    "the ends of the range": np.array([5e-324, 1.7976931348623157e308] * 50).reshape(50, 2),
    "whole numbers": np.arange(40),
    "nothing": np.empty((0, 3)),
    "three axes": RNG.normal(size=(2, 3, 4)),
}


@pytest.mark.parametrize("what", ARRAYS)
def test_numbers_come_back_as_they_were(what):
    np.testing.assert_array_equal(unpacked(packed_numbers(ARRAYS[what])), ARRAYS[what])


def test_lines_of_few_values_are_short():
    assert len(str(packed_numbers(ARRAYS["a tall matrix of few values"]))) < 200 * 4 * 2
