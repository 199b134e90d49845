"""Text and tables that Markdown shows as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kernelproba.report.table import markdown_table

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!~$^:-])")


def escape(text: object) -> str:
    r"""Return text that Markdown shows as it is, on one line.

    Examples
    --------
    >>> escape("<b>*a*</b>"), escape("two\nlines")
    ('&lt;b&gt;\\*a\\*&lt;/b&gt;', 'two lines')
    """
    line = " ".join(str(text).split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", line)


def lines_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of rows whose texts have been escaped; "None." if there is none."""
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    return markdown_table(records, columns) if records else "None."
