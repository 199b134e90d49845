"""A table from a file, with columns of the types that their values suggest."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernelproba.extras import extra
from kernelproba.tables.files.arrow_columns import to_frame
from kernelproba.tables.files.table_file import Layout
from kernelproba.tables.files.table_format import open_table
from kernelproba.tables.training_table import TableSelection, read_columns

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def read_table(
    path: str | os.PathLike,
    *,
    kinds: Mapping[str, object] | None = None,
    decimal: str | None = None,
    day_first: bool | None = None,
    **layout: Any,
) -> pd.DataFrame:
    r"""Read a table as ``kernelproba fit`` does.

    Parameters
    ----------
    path : path
        CSV, TSV and their relatives (also zipped: .gz, .bz2, .xz, .zst, .zip), Parquet, Feather, JSON lines
        or a workbook (.xlsx).
    kinds : mapping, optional
        Name of a column → its kind, as in `TableEncoder`, where that is not to be found out.
    decimal : {".", ","}, optional
        Decimal sign, where texts such as 1,234 leave it open.
    day_first : bool, optional
        Whether the day comes before the month, where dates such as 03/04/2020 leave it open.
    **layout
        ``delimiter``, ``header`` (whether the first line names the columns) and ``encoding`` of a text file,
        ``sheet`` of a workbook; found out if not given.

    Returns
    -------
    DataFrame
        Of numbers (float64), flags, dates (datetime64) and texts; gaps are NaN, NaT and None.

    See Also
    --------
    kernelproba.TableClassifier : Learns from what it reads.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "plants.csv"
    ...     _ = file.write_text("width;seen;kind\n2,5;2020-03-04;iris\n;2020-03-05;rose\n")
    ...     read_table(file)
       width       seen  kind
    0    2.5 2020-03-04  iris
    1    NaN 2020-03-05  rose
    """
    with extra("tables"):
        import pandas  # noqa: F401
        import pyarrow  # noqa: F401

    table = open_table(Path(path), Layout(**layout)).read()
    choice = TableSelection("", kinds=dict(kinds or {}), decimal=decimal, day_first=day_first)
    return typed_frame(table, choice, first=0)


def typed_frame(table: pa.Table, choice: TableSelection, *, first: int) -> pd.DataFrame:
    """Return a table as a frame whose columns have the types that their values suggest.

    Parameters
    ----------
    table : Table
        As read from a file.
    choice : TableSelection
        How texts are to be read.
    first : int
        Number of the first row.
    """
    readings = {name: read for name, (read, _) in read_columns(table, table.column_names, choice).items()}
    return to_frame(table, readings, first=first)
