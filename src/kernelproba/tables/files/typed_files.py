"""Files that know the types of their columns: Parquet, Feather, JSON lines and workbooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernelproba.extras import extra
from kernelproba.tables.errors import TableError
from kernelproba.tables.files.table_file import BLOCK_BYTES, Progress, TableFile, chunk_rows

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


class ParquetTable(TableFile):
    """Parquet, read in chunks."""

    def _names(self) -> list[str]:
        return list(self._file.schema_arrow.names)

    @cached_property
    def _file(self) -> pq.ParquetFile:
        from pyarrow.parquet import ParquetFile

        with self._explained():
            return ParquetFile(self.path, buffer_size=BLOCK_BYTES)  # else a whole row group is held

    def read(self) -> pa.Table:
        with self._explained():
            return self._file.read()

    def batches(self, columns: Sequence[str], progress: Progress) -> Iterator[pa.RecordBatch]:
        rows, done = max(self._file.metadata.num_rows, 1), 0
        with self._explained():
            for batch in self._file.iter_batches(chunk_rows(len(columns)), columns=list(columns)):
                done += batch.num_rows
                progress(done / rows)
                yield batch


class WholeTable(TableFile):
    """A file that is read at once."""

    def _names(self) -> list[str]:
        return list(self._table.column_names)

    def read(self) -> pa.Table:
        return self._table

    @cached_property
    def _table(self) -> pa.Table:
        with self._explained():
            return self._load()

    def _load(self) -> pa.Table:
        raise NotImplementedError


class FeatherTable(WholeTable):
    """Feather, also known as Arrow's own format."""

    def _load(self) -> pa.Table:
        from pyarrow.feather import read_table

        return read_table(self.path)


class JsonTable(WholeTable):
    """JSON lines: one object per line."""

    def _load(self) -> pa.Table:
        from pyarrow.json import read_json

        return read_json(self.path)


class WorkbookTable(WholeTable):
    """A sheet of a workbook (.xlsx): its first row names the columns.

    Parameters
    ----------
    path, name
        As of all files.
    sheet : str, optional
        Its name; the first by default.
    """

    def __init__(self, path: Path, name: str | None = None, sheet: str | None = None):
        super().__init__(path, name)
        self._sheet = sheet

    def _load(self) -> pa.Table:
        with extra("excel"):
            import openpyxl  # noqa: F401  (used by pandas)
        import pandas as pd
        import pyarrow as pa

        try:
            frame = pd.read_excel(self.path, sheet_name=self._sheet or 0, dtype=object, engine="openpyxl")
        except Exception as error:  # of many kinds, from zip archives to XML
            raise TableError(f"{self.name} cannot be read: {error}") from error
        columns = {str(name).strip(): _arrow(frame[name].tolist()) for name in frame.columns}
        return pa.table(columns)


def _arrow(cells: list[Any]) -> pa.Array:
    """Return cells of one column as one type: their own if they share it, else text."""
    import pandas as pd
    import pyarrow as pa

    cells = [None if pd.isna(cell) or cell == "" else cell for cell in cells]
    try:
        return pa.array(cells)
    except pa.ArrowException:
        if all(cell is None or isinstance(cell, int | float) for cell in cells):
            return pa.array([None if cell is None else float(cell) for cell in cells])
        return pa.array([None if cell is None else str(cell) for cell in cells])
