"""Values as JSON knows them."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from kernelproba.plain_text import name


def json_value(value: object) -> Any:
    """Return the value as dicts, lists, strings, numbers and None; what is missing or infinite is None.

    Examples
    --------
    >>> json_value({"a": np.float32(0.5), "b": np.array([1, 2]), "c": float("nan")})
    {'a': 0.5, 'b': [1, 2], 'c': None}
    """
    if isinstance(value, Mapping):
        return {name(key): json_value(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return json_value(value.tolist())
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat() if value == value else None  # NaT is not equal to itself
    return name(value)
