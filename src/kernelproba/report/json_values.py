"""Values as JSON knows them, and names as a reader can be shown them."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

# Characters that move the cursor, hide text or turn its direction: never part of what a reader should see.
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(value: Any) -> Any:
    """Return the value as dicts, lists, strings, numbers and None; what is missing or infinite is None.

    Examples
    --------
    >>> plain({"a": np.float32(0.5), "b": np.array([1, 2]), "c": float("nan")})
    {'a': 0.5, 'b': [1, 2], 'c': None}
    """
    if isinstance(value, Mapping):
        return {name(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat() if value == value else None  # NaT is not equal to itself
    return name(value)


def name(label: Any) -> str:
    r"""Return a label as text, with every character that could not be seen as �.

    Examples
    --------
    >>> name("a\x00b"), name(np.int64(3)), name("<b>")
    ('a�b', '3', '<b>')
    """
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", str(label))


def shorten(text: str, limit: int) -> str:
    r"""Return one line of at most `limit` characters.

    Examples
    --------
    >>> shorten("a long\nname", 7)
    'a long…'
    """
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
