"""Texts that a spreadsheet would run as formulas, made harmless.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tabulator or a carriage return is a formula to a
spreadsheet, and formulas may call programs or fetch addresses.  Texts of others that are copied into a file
get an apostrophe in front, which spreadsheets take for "this is text"; numbers stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_FORMULA = r"^[=+\-@\t\r]"
_NUMBER = r"^[+-]?(\d[\d., ]*|[.,]\d+)([eE][+-]?\d+)?\s*%?$|^[+-]?[iI]nf(inity)?$"


def without_formulas(table: pa.Table) -> pa.Table:
    """Put an apostrophe before every text, and name of a column, that would be a formula.

    Parameters
    ----------
    table : Table
        Columns that are no texts stay as they are.
    """
    import pyarrow as pa

    names = _guarded(pa.array(table.column_names, pa.string())).to_pylist()
    columns = [_guarded(column) if _is_text(column.type) else column for column in table.columns]
    return pa.table(columns, names=names)


def _guarded(texts: pa.Array) -> pa.Array:
    import pyarrow.compute as pc

    # `and_` keeps gaps as gaps, and a gap in the condition is a gap in the result.
    risky = pc.and_(
        pc.match_substring_regex(texts, _FORMULA), pc.invert(pc.match_substring_regex(texts, _NUMBER))
    )
    return pc.if_else(risky, pc.binary_join_element_wise("'", texts, ""), texts)


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return pa.types.is_string(kind) or pa.types.is_large_string(kind)
