"""Numbers as people write them: 1234.5, 1,234.50, 1.234,50, 1'234, $5, 12 %, 70 kg, (7), 7-, −3.

A unit that all numbers of a column have behind them is part of their style, ``"1234.5 kg"``: in such a column
70 g is no number.  So are a percent sign and the one currency of a column, ``"1234.5 %"``, ``"1,234.5 $"``:
5 is not 5 %, nor is € 5 the same as $ 5, but 5 may stand among dollars.
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

#: What stands behind a number; a few letters at most, lest words count as units.
_UNIT = re.compile(r"\d[.,]?\s*(%|(?:[^\W\d_]|[°µ/²³]){1,6}\.?)\)?$")

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
    unit, money = _common_unit(texts), currencies(texts)
    if any(_CODE.fullmatch(text.removesuffix(unit).rstrip()) for text in texts):
        return None
    behind = " " + money.pop() if len(money) == 1 else ""
    for style in (*(each + behind for each in written), *(f"{each} {unit}" for each in written if unit)):
        if all(as_number(text, style) is not None for text in texts):
            return style
    return None


def written_as(style: str) -> str:
    """Return how the numbers of a style are written, whatever their unit."""
    return style.partition(" ")[0]


def unit_of(style: str) -> str:
    """Return the unit or the currency of the numbers of a style, empty if they have none."""
    return style.partition(" ")[2]


def as_number(text: str, style: str) -> float | None:
    """Return the number that a text is in a style, None if it is none.

    Examples
    --------
    >>> as_number("$1,234.50", ENGLISH), as_number("(12 %)", "1234.5 %"), as_number("1.234,5 €", CONTINENTAL)
    (1234.5, -12.0, 1234.5)
    >>> as_number("70 kg", "1234.5 kg"), as_number("70 g", "1234.5 kg")
    (70.0, None)
    """
    written, unit = written_as(style), unit_of(style)
    bare, sign = _without_brackets(text)
    if _is_currency(unit):
        if currencies([bare]) - {unit}:
            return None
    elif unit and not bare.endswith(unit):
        return None
    else:
        bare = bare.removesuffix(unit).rstrip()
    bare = _SUFFIX.sub("", _PREFIX.sub(r"\1", bare))
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


def _is_currency(unit: str) -> bool:
    return _CURRENCY.fullmatch(unit) is not None


def _without_brackets(text: str) -> tuple[str, float]:
    """Return a number without the brackets or the sign behind it that say what is owed, and −1 if it had."""
    bare = text.replace("\N{MINUS SIGN}", "-").strip()
    if bare.startswith("(") and bare.endswith(")"):
        return bare[1:-1].strip(), -1.0
    return (bare[:-1], -1.0) if bare[-1:] == "-" and bare[:1].isdigit() else (bare, 1.0)


def _common_unit(texts: Sequence[str]) -> str:
    """Return the unit that all texts end with, empty if there is none."""
    found = {match[1] if (match := _UNIT.search(text.rstrip())) else "" for text in texts}
    return found.pop() if len(found) == 1 else ""
