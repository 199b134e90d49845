"""Numbers as people write them: 1234.5, 1,234.50, 1.234,50, 1'234, $5, 12 %, 70 kg, (7), −3.

A unit that all numbers of a column have behind them is part of their style, ``"1234.5 kg"``: in such a column
70 g is no number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

#: Digits and a point; thousands set apart by commas, blanks or apostrophes; the same with a decimal comma.
PLAIN, ENGLISH, CONTINENTAL = "1234.5", "1,234.5", "1.234,5"

_BLANK = r"\s\u00a0\u2009\u202f"
_NUMBER = {
    PLAIN: re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?inf(?:inity)?", re.IGNORECASE),
    ENGLISH: re.compile(rf"[+-]?(?:[1-9]\d{{0,2}}(?:[,'’{_BLANK}]\d{{3}})+|\d+|(?=\.))(?:\.\d*)?"),
    CONTINENTAL: re.compile(rf"[+-]?(?:[1-9]\d{{0,2}}(?:[.'’{_BLANK}]\d{{3}})+|\d+|(?=,))(?:,\d*)?"),
}
_GROUP = {ENGLISH: re.compile(rf"[,'’{_BLANK}]"), CONTINENTAL: re.compile(rf"[.'’{_BLANK}]")}

_MONEY = (
    r"(?:US\$|R\$|[$€£¥₹₽₩₺₴₪฿]|USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|CAD|AUD|BRL|kr\.?|zł|Fr\.)"
)
_CURRENCY = re.compile(_MONEY)
_SIGNS = {"US$": "$", "USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹", "BRL": "R$", "PLN": "zł"}
_PREFIX = re.compile(rf"^([+-]?)\s*{_MONEY}\s*")
_SUFFIX = re.compile(rf"\s*{_MONEY}$")
_PERCENT = re.compile(r"\s*%$")

#: What stands behind a number; a few letters at most, lest words count as units.
_UNIT = re.compile(r"\d[.,]?\s*((?:[^\W\d_]|[°µ/²³]){1,6}\.?)$")

#: A code such as a postal one: with its zeros gone it would be another.
_CODE = re.compile(r"0\d{2,}")


def number_style(texts: Sequence[str], *, decimal: str | None = None) -> str | None:
    """Return the first style in which all texts are numbers, None if there is none.

    Parameters
    ----------
    texts : sequence of str
        Of one column.
    decimal : {".", ","}, optional
        Decimal sign, where that is open.
    """
    written = (CONTINENTAL, PLAIN, ENGLISH) if decimal == "," else (PLAIN, ENGLISH, CONTINENTAL)
    unit = _common_unit(texts)
    if any(_CODE.fullmatch(text.removesuffix(unit).rstrip()) for text in texts) or not _percents_agree(texts):
        return None
    for style in (*written, *(f"{each} {unit}" for each in written if unit)):
        if all(as_number(text, style) is not None for text in texts):
            return style
    return None


def written_as(style: str) -> str:
    """Return how the numbers of a style are written, whatever their unit."""
    return style.partition(" ")[0]


def unit_of(style: str) -> str:
    """Return the unit behind the numbers of a style, empty if they have none."""
    return style.partition(" ")[2]


def as_number(text: str, style: str) -> float | None:
    """Return the number that a text is in a style, None if it is none.

    Examples
    --------
    >>> as_number("$1,234.50", ENGLISH), as_number("(12 %)", PLAIN), as_number("1.234,5 €", CONTINENTAL)
    (1234.5, -12.0, 1234.5)
    >>> as_number("70 kg", "1234.5 kg"), as_number("70 g", "1234.5 kg")
    (70.0, None)
    """
    written, unit = written_as(style), unit_of(style)
    if unit and not text.rstrip().endswith(unit):
        return None
    bare, sign = _without_signs(text.rstrip().removesuffix(unit))
    if _NUMBER[written].fullmatch(bare) is None or not any(map(str.isalnum, bare)):
        return None
    if written != PLAIN:
        bare = _GROUP[written].sub("", bare).replace(",", ".")
    return sign * float(bare)


def currencies(texts: Sequence[str]) -> set[str]:
    """Return the currencies that stand beside numbers, by their signs.

    Examples
    --------
    >>> currencies(["USD 5", "$7", "8"])
    {'$'}
    """
    return {_SIGNS.get(found[0], found[0]) for text in texts if (found := _CURRENCY.search(text))}


def _without_signs(text: str) -> tuple[str, float]:
    """Return a number without currency, percent sign and brackets, and −1 if there were brackets."""
    bare = text.replace("\N{MINUS SIGN}", "-").strip()
    in_brackets = bare.startswith("(") and bare.endswith(")")  # as accountants write what is owed
    if in_brackets:
        bare = bare[1:-1].strip()
    bare = _PERCENT.sub("", _SUFFIX.sub("", _PREFIX.sub(r"\1", bare)))
    return bare, -1.0 if in_brackets else 1.0


def _common_unit(texts: Sequence[str]) -> str:
    """Return the unit that all texts end with, empty if there is none."""
    found = {match[1] if (match := _UNIT.search(text.rstrip())) else "" for text in texts}
    return found.pop() if len(found) == 1 else ""


def _percents_agree(texts: Sequence[str]) -> bool:
    """Whether all numbers are percentages, or none is: 5% and 5 are not the same."""
    with_percent = sum("%" in text for text in texts)
    return with_percent in (0, len(texts))
