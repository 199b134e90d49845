"""How a text file is laid out: its encoding, its delimiter, and whether its first line names the columns."""

from __future__ import annotations

import codecs
import csv
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from kernelproba.tables.errors import TableError
from kernelproba.tables.readings import GAPS, NUMBER, TEXT, recognise

#: Records that are looked at.
_RECORDS = 200

_DELIMITERS = ",;\t|"

#: Lines among which a table begins.
_TITLE_LINES = 20

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True)
class TextLayout:
    """What the beginning of a file tells.

    Attributes
    ----------
    delimiter : str
        Between fields.
    names : list of str
        Of the columns.
    has_header : bool
        Whether the file names them.
    begin : int
        Bytes, in UTF-8, before the first row of data.
    title : int
        Lines before the table that are no more than a title or comments.
    """

    delimiter: str
    names: list[str]
    has_header: bool
    begin: int
    title: int = 0


def encoding_of(head: bytes) -> str:
    """Return the encoding of a text that begins so: UTF-8 or UTF-16 if it can be, else that of Windows."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    zeros = (head[:2000:2].count(0), head[1:2000:2].count(0))
    if max(zeros) > len(head[:2000]) / 4:  # letters of the West have a zero byte in UTF-16
        return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def decoded(head: bytes, encoding: str, name: str) -> str:
    """Return the beginning of a text; it may break off within a letter."""
    try:
        text = codecs.getincrementaldecoder(encoding)("strict").decode(head)
    except (UnicodeDecodeError, LookupError) as error:
        raise TableError(f"{name} is not text in {encoding}: {error}") from None
    check_text(text.encode(), name)
    if not text.strip():
        raise TableError(f"{name} is empty: give a table with a header and rows")
    return text


def check_text(content: bytes, name: str) -> None:
    """Complain of zero bytes, which no text has."""
    if b"\0" in content:
        raise TableError(f"{name} is not text: it has zero bytes")


def lay_out(head: str, delimiter: str | None, header: bool | None) -> TextLayout:
    """Return the layout of a text that begins so.

    Parameters
    ----------
    head : str
        Whole records, but for the last perhaps.
    delimiter : str or None
        If given.
    header : bool or None
        Whether the first record names the columns, if that is known.
    """
    with _fields_of_any_length():
        return _lay_out(io.StringIO(head, newline="").readlines(), delimiter, header)


@contextmanager
def _fields_of_any_length() -> Iterator[None]:
    """Let the csv module read fields of more than 128 KB; its limit is one for the whole process."""
    usual = csv.field_size_limit(sys.maxsize >> 33)  # a C long, which Windows keeps short
    try:
        yield
    finally:
        csv.field_size_limit(usual)


def _lay_out(lines: list[str], delimiter: str | None, header: bool | None) -> TextLayout:
    first = next(number for number, line in enumerate(lines) if line.strip("\ufeff \t\r\n"))
    if lines[first].lower().startswith("sep=") and len(lines[first].strip()) <= 5:  # as Excel writes
        delimiter = delimiter or lines[first].strip()[4:] or None
        first += 1
    title = _title_lines(lines[first:], delimiter or _likeliest_below(lines[first:]))
    first += title
    delimiter = delimiter or _likeliest(lines[first:])
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise TableError(
            f"the delimiter {delimiter!r} cannot part fields: give one character such as ',' or ';'"
        )
    reader = csv.reader(lines[first:], delimiter=delimiter)
    names = next(record for record in reader if record)
    after = first + reader.line_num
    rows = [record for record in islice(reader, _RECORDS) if len(record) == len(names)]
    has_header = names_columns(names, rows) if header is None else header
    after = after if has_header else first
    return TextLayout(
        delimiter, column_names(names, has_header), has_header, len("".join(lines[:after]).encode()), title
    )


def _title_lines(lines: list[str], delimiter: str) -> int:
    """Return how many lines come before a table: such as have no two fields, or are comments.

    None, if the lines after them do not all have as many fields.  A commented line of as many is the header.
    """
    if len(delimiter) != 1:
        return 0
    for number, line in enumerate(lines[:_TITLE_LINES]):
        sizes = {len(record) for record in islice(_records(lines[number:], delimiter), 20)}
        several = sum(bool(field.strip()) for field in line.split(delimiter)) > 1
        if several and len(sizes) == 1:
            return number
        if (several and not line.startswith("#")) or line.count('"') % 2:  # a name of two lines
            break
    return 0


def _likeliest_below(lines: list[str]) -> str:
    """Return the delimiter of the lines that are below any title."""
    return _likeliest(lines[min(_TITLE_LINES, len(lines) // 2) :])


def title_note(lines: int, name: str) -> str:
    """Tell a user that so many lines above a table were left out."""
    return f"{lines:,} of the first lines of {name} are no more than a title or comments: left out"


def column_names(first: list[str], has_header: bool) -> list[str]:
    """Return the names of the columns, from the first record if it names them; else they are numbered."""
    if not has_header:
        return [f"column {number}" for number in range(1, len(first) + 1)]
    return [field.strip() or f"unnamed {number}" for number, field in enumerate(first, start=1)]


def _likeliest(lines: list[str]) -> str:
    """Return the delimiter that cuts records into most fields, the same number in each if one does."""

    def fields(delimiter: str) -> tuple[bool, int]:
        sizes = [len(record) for record in islice(_records(lines, delimiter), 20)]
        return len(set(sizes)) == 1 and sizes[0] > 1, sizes[0]

    return max(_DELIMITERS, key=fields)


def _records(lines: list[str], delimiter: str) -> Iterator[list[str]]:
    return (record for record in csv.reader(lines, delimiter=delimiter) if record)


def names_columns(first: list[str], rows: list[list[str]]) -> bool:
    """Whether the first record names the columns rather than being one of the rows.

    It is a row if every one of its fields could be a value of its column: a number within the range of the
    numbers below it, or a word that is found below it, where words are found twice.
    """
    if len(rows) < 3:
        return True
    known = False
    for j, field in enumerate(first):
        verdict = _could_be_value(field.strip(), [row[j].strip() for row in rows])
        if verdict is False:
            return True
        known = known or verdict is not None
    return not known


def _could_be_value(field: str, below: list[str]) -> bool | None:
    """Whether a field could be one of the values of a column; None if the column cannot tell."""
    known = [value for value in below if not _is_gap(value)]
    if _is_gap(field) or not known:
        return None
    reading, _ = recognise(known)
    if reading.kind == TEXT:
        return field in known if len(set(known)) <= len(known) / 2 else None
    value, readable = reading.values([field])
    if not readable[0]:
        return False
    if reading.kind != NUMBER:
        return True
    numbers, _ = reading.values(known)
    spread = numbers.max() - numbers.min()
    return bool(numbers.min() - spread <= value[0] <= numbers.max() + spread)


def _is_gap(field: str) -> bool:
    """Whether a field holds nothing, or a word for it."""
    return not field or field.lower() in GAPS
