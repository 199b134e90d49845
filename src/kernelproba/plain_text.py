"""Names and values of others as a reader can be shown them."""

from __future__ import annotations

import re

# Characters that move the cursor, hide text or turn its direction: never part of what a reader should see.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def name(label: object) -> str:
    r"""Return a label as text, with every character that could not be seen as �.

    Examples
    --------
    >>> name("a\x00b"), name(3), name("<b>")
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


def number_text(value: float, digits: int = 4) -> str:
    """Return a number of a table: whole ones in full, since they may be someone's; others to some digits.

    Examples
    --------
    >>> number_text(1067444.0), number_text(123456.78), number_text(0.123456), number_text(1.5e-7)
    ('1067444', '123457', '0.1235', '1.5e-07')
    """
    large = 1 <= abs(value) < 1e15
    if large and (value == int(value) or abs(value) >= 10**digits):
        return f"{value:.0f}"
    return f"{value:.{digits}g}"
