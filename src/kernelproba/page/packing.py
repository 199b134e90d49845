"""Numbers as JSON has them, exactly and in few letters."""

from __future__ import annotations

import base64

import numpy as np

#: Up to so many numbers are written out.
_SHORT = 16
#: Lines from which on codes may be shorter than numbers, and different numbers that codes of a byte can tell.
_LONG, _LEVELS = 64, 256


def packed_numbers(values: np.ndarray) -> dict[str, object]:
    """Return an array in the form that the page's script unpacks: exactly the same numbers, as doubles.

    Parameters
    ----------
    values : ndarray
        Texts, or numbers.
    """
    shape = list(values.shape)
    if values.dtype == object:
        return {"shape": shape, "texts": values.ravel().tolist()}
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.size <= _SHORT and np.isfinite(numbers).all():
        return {"shape": shape, "list": numbers.ravel().tolist()}
    if numbers.ndim == 2 and max(shape) >= _LONG:
        return {"shape": shape} | _lines(numbers)
    return {"shape": shape, "bytes": _bytes(numbers)}


def _lines(numbers: np.ndarray) -> dict[str, object]:
    """Return a matrix line by line, the long way."""
    is_tall = numbers.shape[0] >= numbers.shape[1]
    lines = [_line(line) for line in (numbers.T if is_tall else numbers)]
    if not any(isinstance(line, dict) for line in lines):
        return {"bytes": _bytes(numbers)}
    return {"by": "column" if is_tall else "row", "lines": lines}


def _line(line: np.ndarray) -> object:
    """Return a line as bytes, or as codes where it has few different numbers."""
    levels, codes = np.unique(line, return_inverse=True)
    if len(levels) > min(_LEVELS, len(line) // 2):
        return _bytes(line)
    return {"levels": _bytes(levels), "codes": _bytes(codes, "u1")}


def _bytes(numbers: np.ndarray, kind: str = "<f8") -> str:
    return base64.b64encode(np.ascontiguousarray(numbers, dtype=kind).tobytes()).decode("ascii")
