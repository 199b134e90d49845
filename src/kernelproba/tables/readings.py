"""Readings: how the texts of a column become numbers, dates or times of day, or stay what they are.

Files have no types, and frames that were read from files often have too few.  A reading is recognised from
all distinct texts of a column at once, so that one of them may settle what the others leave open (31/12/2020
says that the day comes first), and is kept: later texts are read in the same way or refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernelproba.plain_text import shorten
from kernelproba.tables.columns import FLAG, Column
from kernelproba.tables.date_styles import as_moment, as_seconds, date_style, time_style
from kernelproba.tables.number_styles import (
    CONTINENTAL,
    ENGLISH,
    PLAIN,
    as_number,
    number_style,
    unit_of,
    written_as,
)

NUMBER, DATE, TIME, TEXT = "number", "date", "time", "text"

#: Texts that mean "missing" wherever a number, date or time is expected, in small letters.
GAPS = frozenset({"-", "--", "–", "—", ".", "..", "?", "n.a.", "n/a", "na", "nan", "null", "none", "nil",
                  "<na>", "#n/a", "#na", "#null!", "#value!", "#div/0!", "k.a.", "s.o."})  # fmt: skip

_MEANING = {
    PLAIN: "numbers",
    ENGLISH: "numbers with thousands set apart",
    CONTINENTAL: "numbers with a decimal comma",
}


@dataclass(frozen=True)
class Reading:
    """How texts are read.

    Attributes
    ----------
    kind : {"number", "date", "time", "flag", "text"}
        What they become.
    style : str
        In which way they are written.
    lenient : bool
        Whether what cannot be read is missing.
    """

    kind: str = TEXT
    style: str = ""
    lenient: bool = False

    def check(self) -> None:
        """Complain of a reading that cannot be one, as from a damaged file."""
        known = {NUMBER: set(_MEANING), FLAG: {""}, TEXT: {""}}.get(self.kind, {self.style})
        style = written_as(self.style) if self.kind == NUMBER else self.style
        if self.kind not in (NUMBER, FLAG, TEXT, DATE, TIME) or style not in known:
            raise ValueError(f"there is no reading {self.kind!r} {self.style!r}")

    @property
    def noun(self) -> str:
        """What texts are called, such as "number in %"."""
        unit = unit_of(self.style) if self.kind == NUMBER else ""
        return f"{self.kind} in {unit}" if unit else self.kind

    @property
    def written(self) -> str:
        """How texts are written, such as "read as %d/%m/%Y"; empty if there is nothing to say."""
        if self.kind == NUMBER:
            return "" if written_as(self.style) == PLAIN else _MEANING[written_as(self.style)]
        return f"read as {self.style}" if self.style else ""

    def values(self, distinct: Sequence[str]) -> tuple[NDArray, NDArray]:
        """Read texts.

        Parameters
        ----------
        distinct : sequence of m texts
            To be read.

        Returns
        -------
        values : ndarray of shape (m,)
            float64 or datetime64[us]; gaps and what cannot be read are missing.
        readable : ndarray of bool of shape (m,)
            Which can be.
        """
        read: Callable = {NUMBER: as_number, DATE: as_moment, TIME: as_seconds, FLAG: _as_flag}[self.kind]
        found = [None if text.lower() in GAPS else read(text, self.style) for text in distinct]
        gap = np.array([self.lenient or text.lower() in GAPS for text in distinct], dtype=bool)
        readable = gap | np.array([value is not None for value in found], dtype=bool)
        if self.kind == DATE:
            missing = np.datetime64("NaT", "us")
            return np.array([value or missing for value in found], "datetime64[us]"), readable
        return np.array([np.nan if value is None else value for value in found], np.float64), readable


def recognise(
    distinct: Sequence[str], *, decimal: str | None = None, day_first: bool | None = None
) -> tuple[Reading, str]:
    """Return how the distinct texts of a column are to be read, and why.

    Parameters
    ----------
    distinct : sequence of str
        Texts that occur.
    decimal : {".", ","}, optional
        Decimal sign, where texts such as 1,234 leave it open.
    day_first : bool, optional
        Whether the day comes before the month, where texts such as 03/04/2020 leave it open.
    """
    known = [text for text in distinct if text.lower() not in GAPS]
    if not known:
        return Reading(), "no values"
    if {text.lower() for text in known} == {"true", "false"}:
        return Reading(FLAG), "true and false"
    if style := date_style(known, day_first=day_first):
        return Reading(DATE, style), f"dates such as {known[0]}, read as {style}"
    if (style := number_style(known, decimal=decimal)) is not None:
        return Reading(NUMBER, style), _meaning(style, known)
    if style := time_style(known):
        return Reading(TIME, style), "times of day"
    return Reading(), "text"


def recognise_as(
    kind: str, distinct: Sequence[str], *, decimal: str | None = None, day_first: bool | None = None
) -> Reading | None:
    """Return how texts are read that a user has called numbers, dates or times; what is none is a gap.

    The style is that of the texts that have one in common, tried from the most frequent reading down; None if
    not even a half of the texts have.
    """
    for style in _styles(kind, distinct, decimal, day_first):
        reading = Reading(kind, style, lenient=True)
        values, _ = reading.values(distinct)
        if 2 * np.count_nonzero(values == values) >= len(distinct):
            return reading
    return None


def _styles(kind: str, distinct: Sequence[str], decimal: str | None, day_first: bool | None) -> list[str]:
    """Return the styles of each text alone, the most frequent first."""
    find: Callable = {
        NUMBER: lambda text: number_style([text], decimal=decimal),
        DATE: lambda text: date_style([text], day_first=day_first),
        TIME: lambda text: time_style([text]),
    }[kind]
    return [style for style, _ in Counter(filter(None, map(find, distinct))).most_common()]


def distinct_texts(values: NDArray) -> tuple[list[str], NDArray]:
    """Return the distinct texts of a column (m,), and which of them each value is (n,), −1 for none."""
    distinct = [value for value in dict.fromkeys(values) if value is not None]
    place = {value: j for j, value in enumerate(distinct)} | {None: -1}
    return distinct, np.fromiter(map(place.__getitem__, values), dtype=np.intp, count=len(values))


def of_each_text(values: NDArray, of: Callable[[str | None], object]) -> NDArray:
    """Return of(value) for every value of a column (n,), asked once for each distinct text."""
    distinct, codes = distinct_texts(values)
    return np.array([*map(of, distinct), of(None)])[codes]  # code −1 is the last


def read_column(column: Column, reading: Reading) -> tuple[Column, NDArray]:
    """Read a column of texts; return it and the numbers of its rows that cannot be read.

    Parameters
    ----------
    column : Column of n texts
        As it came.
    reading : Reading
        Of numbers, dates, times or flags.
    """
    distinct, codes = distinct_texts(column.values)
    values, readable = reading.values(distinct)
    missing = np.datetime64("NaT", "us") if reading.kind == DATE else np.nan
    read = np.append(values, np.array([missing], values.dtype))[codes]  # code −1 is the last: missing
    bad = np.flatnonzero(~np.append(readable, True)[codes])
    return Column(column.name, read, FLAG if reading.kind == FLAG else None), bad


def _meaning(style: str, known: Sequence[str]) -> str:
    """Say how numbers are written, by one that is more than digits and a point."""
    odd = next((text for text in known if not text.lstrip("+-").replace(".", "", 1).isdigit()), None)
    return _MEANING[PLAIN] if odd is None else f"{_MEANING[written_as(style)]}, such as {shorten(odd, 40)}"


def _as_flag(text: str, style: str) -> float | None:  # noqa: ARG001
    return {"true": 1.0, "false": 0.0}.get(text.lower())
