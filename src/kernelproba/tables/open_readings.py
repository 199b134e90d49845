"""What the texts of a column leave open although they were read, so that the user may settle it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from kernelproba.plain_text import shorten
from kernelproba.tables.date_styles import as_moment, date_style, other_order
from kernelproba.tables.number_styles import (
    CONTINENTAL,
    ENGLISH,
    as_number,
    currencies,
    number_style,
    unit_of,
    written_as,
)
from kernelproba.tables.readings import DATE, GAPS, NUMBER, TEXT, Reading, recognise_as

#: Different texts from which on, and share of them, that make a column of numbers with a few slips.
_FEWEST, _NEARLY_ALL = 20, 0.9

#: The same of bounds such as <0.5, which stand for numbers of their own.
_BOUNDS = 0.5

#: Texts that tell how numbers are written, if they are numbers.
_LOOKED_AT = 200

#: Ways of writing that a column mixes at most: more are codes that end in letters.
_STYLES = 4


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
    if reading.kind == TEXT:
        return _stray_texts(known, decimal) or _mixed_styles(known, decimal)
    if reading.kind != NUMBER:
        return None
    found = sorted(currencies(known))
    if len(found) > 1:
        return f"amounts in {' and '.join(found)} are taken for the same currency: convert them first"
    if written_as(reading.style) != ENGLISH or decimal is not None:
        return None
    return _open_thousands(known, unit_of(reading.style))


def _stray_texts(known: Sequence[str], decimal: str | None) -> str | None:
    """Say which few texts keep a column from being numbers: a unit below its name, a remark, a slip."""
    looked_at = known[:_LOOKED_AT]
    reading = recognise_as(NUMBER, looked_at, decimal=decimal) if len(known) >= _FEWEST else None
    if reading is None:
        return None
    values, _ = reading.values(known)
    stray = [text for text, value in zip(known, values.tolist(), strict=True) if math.isnan(value)]
    share = _BOUNDS if all(text[0] in "<>≤≥~" for text in stray) else 1 - _NEARLY_ALL
    if not 0 < len(stray) <= share * len(known):
        return None
    more = " and others" if len(stray) > 1 else ""
    return (
        f"'{shorten(stray[0], 40)}'{more} among {len(known):,} different texts is no number, so that all are "
        "taken for words: say --kind COLUMN=number to read it as missing"
    )


def _mixed_styles(known: Sequence[str], decimal: str | None) -> str | None:
    """Say that texts are dates or numbers one by one, but written in different ways or units."""
    if len(known) < _FEWEST:
        return None
    if shown := _of_each_style(known, lambda text: date_style([text])):
        return f"dates are written in different ways, such as {shown}, and taken for words: write them alike"
    if shown := _of_each_style(known, lambda text: _unit_alone(text, decimal)):
        return f"numbers have different units, such as {shown}, and are taken for words: convert them first"
    return None


def _of_each_style(known: Sequence[str], style: Callable[[str], str | None]) -> str:
    """Return a text of each style, empty if some have none, or all the same, or they have many."""
    first: dict[str, str] = {}
    for text in known[:_LOOKED_AT]:
        found = style(text)
        if found is None:
            return ""
        first.setdefault(found, text)
    return " and ".join(shorten(text, 40) for text in first.values()) if 1 < len(first) <= _STYLES else ""


def _unit_alone(text: str, decimal: str | None) -> str | None:
    """Return the unit of a number, which may be empty, None if it is no number."""
    style = number_style([text], decimal=decimal)
    return None if style is None else unit_of(style)


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


def _open_thousands(known: Sequence[str], unit: str) -> str | None:
    """Say that commas may be decimal signs, if all numbers allow it and it makes a difference."""
    styles = [f"{written} {unit}".rstrip() for written in (ENGLISH, CONTINENTAL)]
    pairs = [(as_number(text, styles[0]), as_number(text, styles[1])) for text in known]
    if any(two is None for _, two in pairs):
        return None
    text, value = next(
        ((text, one) for text, (one, two) in zip(known, pairs, strict=True) if one != two), ("", 0.0)
    )
    if not text:
        return None
    return f"{shorten(text, 40)} is taken for {value:.0f}: if the comma is a decimal sign, say --decimal ,"
