"""What the texts of a column leave open although they were read, so that the user may settle it."""

from __future__ import annotations

from collections.abc import Sequence

from kernelproba.plain_text import shorten
from kernelproba.tables.date_styles import as_moment, other_order
from kernelproba.tables.number_styles import CONTINENTAL, ENGLISH, as_number, currencies
from kernelproba.tables.readings import DATE, GAPS, NUMBER, Reading


def open_question(
    distinct: Sequence[str], reading: Reading, *, decimal: str | None = None, day_first: bool | None = None
) -> str | None:
    """Return what could be meant otherwise, and by which option to say so; None if nothing is open.

    Parameters
    ----------
    distinct : sequence of str
        Texts that occur.
    reading : Reading
        How they are read.
    decimal, day_first
        What the user has said, as in `recognise`.
    """
    known = [text for text in distinct if text.lower() not in GAPS]
    if reading.kind == DATE and day_first is None:
        return _open_date(known, reading.style)
    if reading.kind != NUMBER:
        return None
    found = sorted(currencies(known))
    if len(found) > 1:
        return f"amounts in {' and '.join(found)} are taken for the same currency: convert them first"
    return _open_thousands(known) if reading.style == ENGLISH and decimal is None else None


def _open_date(known: Sequence[str], style: str) -> str | None:
    """Say that day and month may be swapped, if all dates allow it and it makes a difference."""
    other = other_order(style)
    if other is None:
        return None
    pairs = [(as_moment(text, style), as_moment(text, other)) for text in known]
    text = next((text for text, (one, two) in zip(known, pairs, strict=True) if one != two), None)
    if text is None or any(two is None for _, two in pairs):
        return None
    first, option = ("month", "--day-first") if style.startswith("%m") else ("day", "--month-first")
    return f"in dates such as {shorten(text, 40)} the {first} is taken to come first: else say {option}"


def _open_thousands(known: Sequence[str]) -> str | None:
    """Say that commas may be decimal signs, if all numbers allow it and it makes a difference."""
    pairs = [(as_number(text, ENGLISH), as_number(text, CONTINENTAL)) for text in known]
    if any(two is None for _, two in pairs):
        return None
    text, value = next(
        ((text, one) for text, (one, two) in zip(known, pairs, strict=True) if one != two), ("", 0.0)
    )
    if not text:
        return None
    return f"{shorten(text, 40)} is taken for {value:.0f}: if the comma is a decimal sign, say --decimal ,"
