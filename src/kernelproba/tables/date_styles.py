"""Dates, moments and times as people write them: 2020-12-31T10:00Z, 31.12.20, Dec 31, 2020, 10:30."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, time
from functools import cache

#: The international standard, with or without a time, as Python reads it.
ISO = "ISO"

#: Eight digits: year, month and day.
COMPACT = "%Y%m%d"

_YEAR_FIRST = ("%Y/%m/%d", "%Y.%m.%d", "%Y-%m-%d", "%Y %b %d", "%Y-%m", "%Y/%m")
_MONTH_FIRST = ("%m/%Y", "%m-%Y")
_NAMED = ("%d %b %Y", "%d-%b-%Y", "%d.%b.%Y", "%d/%b/%Y", "%b %d %Y", "%b %d, %Y", "%d. %b %Y", "%d-%b-%y",
          "%d %b %y", "%b %Y", "%b-%Y", "%b-%y")  # fmt: skip
_CLOCKS = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p", ", %H:%M", ", %H:%M:%S",
           ", %I:%M %p", ", %I:%M:%S %p", "T%H:%M:%S", " %H:%M:%S %z")  # fmt: skip
_TIMES = ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p", "%I %p")

#: Months from January on, in English, German, French, Spanish, Italian, Portuguese and Dutch.
_MONTHS = (
    "Jan january januar janvier enero gennaio janeiro januari",
    "Feb february februar février febrero febbraio fevereiro februari",
    "Mar march märz mrz mars marzo março maart", "Apr april avril abril aprile",
    "May mai mayo maggio maio mei",
    "Jun june juni juin junio giugno junho", "Jul july juli juillet julio luglio julho",
    "Aug august août agosto augustus", "Sep sept september septembre septiembre settembre setembro",
    "Oct october oktober okt octobre octubre ottobre outubro", "Nov november novembre noviembre novembro",
    "Dec december dezember dez décembre diciembre dicembre dezembro",
)  # fmt: skip
#: Words that tell nothing beside day, month and year.
_IDLE = """mon monday tue tues tuesday wed wednesday thu thur thurs thursday fri friday sat saturday sun
    sunday montag dienstag mittwoch donnerstag freitag samstag sonntag mo di mi do fr sa so lundi mardi
    mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo de of"""
_PLAIN = dict.fromkeys(_IDLE.split(), "") | {
    word.lower(): words.split()[0] for words in _MONTHS for word in words.split()
}
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]+(?:[.](?=[\s,]|$))?")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th|er)\b", re.IGNORECASE)

_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:?\d\d.*)?")
_ONE_DIGIT = re.compile(r":\d(?!\d)")
_ORDER = re.compile(r"%([dm])([/-])%([dm])(?=[/-]%[Yy])")  # with points the day comes first everywhere
#: What texts without a day must be: 3/1000 is no month, 20201231 is a date and 52341299 is none.
_SHAPES = {
    COMPACT: re.compile(r"(19|20)\d{6}"),
    **dict.fromkeys(_MONTH_FIRST, re.compile(r"\d{1,2}.(19|20)\d\d")),
}
_DIGITS = re.compile(r"\d{1,2}([/.-])\d{1,2}\1(\d{4}|\d{2})\b")


def date_style(texts: Sequence[str], *, day_first: bool | None = None) -> str | None:
    """Return the style in which all texts are dates, None if there is none.

    Parameters
    ----------
    texts : sequence of str
        Of one column.
    day_first : bool, optional
        Whether the day comes before the month, where that is open.
    """
    return next((style for style in _candidates(texts, day_first) if _all_fit(texts, style)), None)


def as_moment(text: str, style: str) -> datetime | None:
    """Return the moment, in UTC, that a text is in a style, None if it is none."""
    try:
        if style == ISO:
            moment = datetime.fromisoformat(text) if _ISO.fullmatch(text) else None
        elif "%b" in (named := style.replace("%B", "%b")):  # %A and %B are in models of former versions
            moment = datetime.strptime(_in_plain_words(text), re.sub("%[aA],? ?", "", named))
        else:
            moment = datetime.strptime(" ".join(text.split()), style)
    except ValueError:
        return None
    if moment is None or moment.tzinfo is None:
        return moment
    try:
        return moment.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:  # a moment within a day of year 1 or 9999
        return None


def time_style(texts: Sequence[str]) -> str | None:
    """Return the style in which all texts are times of day, None if there is none."""
    return next(
        (style for style in _TIMES if all(as_seconds(text, style) is not None for text in texts)), None
    )


def as_seconds(text: str, style: str) -> float | None:
    """Return the seconds since midnight that a text is in a style, None if it is none."""
    if _ONE_DIGIT.search(text):  # a ratio
        return None
    try:
        clock: time = datetime.strptime(text, style).time()
    except ValueError:
        return None
    return 3600.0 * clock.hour + 60.0 * clock.minute + clock.second + clock.microsecond / 1e6


def _in_plain_words(text: str) -> str:
    """Return a date with its month in three English letters, without its weekday and the ending of its day.

    Examples
    --------
    >>> _in_plain_words("Wednesday, 3rd of March 2021"), _in_plain_words("3 de marzo de 2021")
    ('3 Mar 2021', '3 Mar 2021')
    """

    def plain(word: re.Match[str]) -> str:
        return _PLAIN.get(word[0].lower().rstrip("."), word[0])

    return " ".join(_WORD.sub(plain, _ORDINAL.sub("", text)).split()).lstrip(", ")


def _candidates(texts: Sequence[str], day_first: bool | None) -> list[str]:
    """Return the styles in which the first text is a date, the likelier first."""
    first = texts[0]
    if not any(map(str.isdigit, first)):
        return []
    if first.isdigit():
        return [COMPACT]
    days = _YEAR_FIRST + _day_and_month(texts, day_first) + _NAMED
    styles = [ISO, *_MONTH_FIRST, *(day + clock for day in days for clock in _CLOCKS)]
    signs = Counter(" ".join(first.split()))
    return [style for style in styles if _signs(style) <= signs and as_moment(first, style) is not None]


@cache
def _signs(style: str) -> Counter[str]:
    """Return what a text must have, and how often, to be of a style: trying them all takes long."""
    return Counter() if style == ISO else Counter(re.sub("%.", "", style))


def _day_and_month(texts: Sequence[str], day_first: bool | None) -> tuple[str, ...]:
    """Return styles such as %d/%m/%Y and %m/%d/%Y, in the order in which to try them."""
    match = _DIGITS.match(texts[0])
    if match is None:
        return ()
    sign, year = match[1], "%Y" if len(match[2]) == 4 else "%y"
    if day_first is None:
        day_first = sign == "." or _first_is_constant(texts, sign)
    styles = (f"%d{sign}%m{sign}{year}", f"%m{sign}%d{sign}{year}")
    return styles if day_first else styles[::-1]


def other_order(style: str) -> str | None:
    """Return a style with day and month swapped, None if that is no style.

    Examples
    --------
    >>> other_order("%m/%d/%Y %H:%M")
    '%d/%m/%Y %H:%M'
    """
    fields = _ORDER.match(style)
    return None if fields is None else f"%{fields[3]}{fields[2]}%{fields[1]}{style[fields.end() :]}"


def _first_is_constant(texts: Sequence[str], sign: str) -> bool:
    """Whether the first field never changes but the second does: dates of months are their first days."""
    fields = [text.split(sign)[:2] for text in texts]
    return len({field[0] for field in fields}) == 1 and len({field[-1] for field in fields}) > 1


def _all_fit(texts: Sequence[str], style: str) -> bool:
    if style in _SHAPES and not all(_SHAPES[style].fullmatch(text) for text in texts):
        return False
    return all(as_moment(text, style) is not None for text in texts)
