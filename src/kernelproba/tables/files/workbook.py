"""A sheet of a workbook: cells with types of their own, below titles and names of columns.

A cell that is shown as 37 % holds 0.37.  It is read as what people see, 37, as "37 %" in a text file is: a
model that has learnt from the one may then be asked about the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from kernelproba.extras import extra
from kernelproba.tables.errors import TableError
from kernelproba.tables.files.table_file import Layout
from kernelproba.tables.files.text_layout import column_names, names_columns, title_note
from kernelproba.tables.files.typed_files import WholeTable, as_arrow

if TYPE_CHECKING:
    import pyarrow as pa
    from openpyxl.cell.read_only import ReadOnlyCell

#: A number, text, flag, date or time; None for nothing.
Cell = object

#: What a format shows as it stands: an escaped sign, or a quotation.
_LITERAL = re.compile(r'\\.|"[^"]*"')

#: Rows that tell whether the first of them names the columns.
_LOOKED_AT = 200


class WorkbookTable(WholeTable):
    """A sheet of a workbook (.xlsx): its first row names the columns, if it looks like names.

    Parameters
    ----------
    path, name
        As of all files.
    layout : Layout
        Its sheet (the first by default) and whether there is a header count.
    """

    def __init__(self, path: Path, name: str | None, layout: Layout):
        super().__init__(path, name)
        self._given = layout

    @property
    def notes(self) -> list[str]:
        """What the user should know of how the sheet was read."""
        above, rows = self._content
        notes = [title_note(above, self.name)] if above else []
        if self._given.header is None and not self._has_header(rows):
            notes.append(
                f"the first line of {self.name} looks like data, not like names of columns: see --header"
            )
        return notes

    def _load(self) -> pa.Table:
        import pyarrow as pa

        _, rows = self._content
        names = ["" if cell is None else str(cell) for cell in rows[0]]
        has_header = self._has_header(rows)
        body = rows[1:] if has_header else rows
        columns = [as_arrow([row[j] for row in body]) for j in range(len(names))]
        return pa.table(columns, names=column_names(names, has_header))

    def _has_header(self, rows: list[list[Cell]]) -> bool:
        if self._given.header is not None:
            return self._given.header
        words = [["" if cell is None else str(cell) for cell in row] for row in rows[:_LOOKED_AT]]
        return names_columns(words[0], words[1:])

    @cached_property
    def _content(self) -> tuple[int, list[list[Cell]]]:
        """How many lines of a title come first, and the rows after them, all of the same width."""
        rows = self._cells()
        while rows and not _filled(rows[-1]):
            rows.pop()
        if not rows:
            raise TableError(f"{self.name} is empty: give a table with a header and rows")
        filled = list(map(_filled, rows))
        first = filled.index(max(filled))  # of a table of several columns, the first row that fills two
        width = max(len(row) for row in rows)
        rows = [row + [None] * (width - len(row)) for row in rows[first:]]
        columns = [j for j in range(width) if any(row[j] is not None for row in rows)]
        return filled[:first].count(1), [[row[j] for j in columns] for row in rows]

    def _cells(self) -> list[list[Cell]]:
        with extra("excel"):
            import openpyxl

        try:
            with self.path.open("rb") as file:  # a name without .xlsx would be refused
                book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
                sheet = book[self._given.sheet] if self._given.sheet else book.worksheets[0]
                sheet.reset_dimensions()  # some writers state them wrongly
                rows = [list(map(_value, row)) for row in sheet.iter_rows()]
        except Exception as error:  # of many kinds, from zip archives to XML
            raise TableError(f"{self.name} cannot be read: {error}") from error
        return rows


def _filled(row: Sequence[Cell]) -> int:
    """Return how many cells of a row hold something, two at most."""
    return sum(1 for _ in islice((cell for cell in row if cell is not None), 2))


def _value(cell: ReadOnlyCell) -> Cell:
    """Return what people see in a cell: percentages as they are shown; None for nothing and for errors."""
    value = cell.value
    if value is None or value == "" or cell.data_type == "e":
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and _is_percentage(cell):
        return float(f"{100 * value:.12g}")  # not 56.99999999999999
    return value


def _is_percentage(cell: ReadOnlyCell) -> bool:
    shown = cell.number_format or ""
    return "%" in shown and "%" in _LITERAL.sub("", shown)
