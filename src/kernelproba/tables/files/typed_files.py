"""Files that know the types of their columns: Parquet, Feather and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from kernelproba.rows.budget import physical_memory
from kernelproba.rows.parquet_file import list_files
from kernelproba.tables.errors import TableError
from kernelproba.tables.files.table_file import BLOCK_BYTES, Progress, TableFile, chunk_rows

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


#: Share of the machine's memory that a table may take as it is read: what decoding and data frames take on
#: top is four times as much again (2.5 million rows of 12 columns, 0.25 GB: 1.2 GB in all).
MEMORY_SHARE = 0.1
#: Rows by which it is told how much all take.
_MEASURED_ROWS = 1000


class ParquetTable(TableFile):
    """Parquet, read in chunks."""

    def _names(self) -> list[str]:
        return list(self._file.schema_arrow.names)

    @cached_property
    def _file(self) -> pq.ParquetFile:
        from pyarrow.parquet import ParquetFile

        with self._explained():
            return ParquetFile(self.path, buffer_size=BLOCK_BYTES)  # else a whole row group is held

    @property
    def row_bytes(self) -> float:
        """Memory that a row takes, by the first of them.

        The file may know each text once, however often it stands there; in memory it is many texts.
        """
        with self._explained():
            first = next(self._file.iter_batches(_MEASURED_ROWS), None)
        return first.nbytes / first.num_rows if first is not None and first.num_rows else 0.0

    def bytes_in_memory(self, row_bytes: float) -> int:
        """How much the whole table takes, roughly, if a row takes so much."""
        with self._explained():
            known = self._file.metadata
        groups = (known.row_group(number) for number in range(known.num_row_groups))
        row_bytes = max(row_bytes, 8 * known.num_columns)
        return max(sum(group.total_byte_size for group in groups), round(row_bytes * known.num_rows))

    @property
    def exceeds_memory(self) -> bool:
        return self.bytes_in_memory(self.row_bytes) > MEMORY_SHARE * physical_memory()

    def read(self) -> pa.Table:
        with self._explained():
            return self._file.read()

    def column(self, name: str) -> pa.ChunkedArray:
        with self._explained():
            return self._file.read([name]).column(0)

    def batches(self, columns: Sequence[str], progress: Progress) -> Iterator[pa.RecordBatch]:
        rows, done = max(self._file.metadata.num_rows, 1), 0
        with self._explained():
            for batch in self._file.iter_batches(chunk_rows(len(columns)), columns=list(columns)):
                done += batch.num_rows
                progress(done / rows)
                yield batch


class ParquetFolder(TableFile):
    """A folder of Parquet files with the same columns, one below the other in the order of their names."""

    @cached_property
    def _files(self) -> list[ParquetTable]:
        try:
            paths = list_files(self.path)
        except FileNotFoundError:
            message = f"{self.path} is a folder without Parquet files: give a file, or such a folder"
            raise TableError(message) from None
        return [ParquetTable(path, f"{self.name}/{path.relative_to(self.path)}") for path in paths]

    def _names(self) -> list[str]:
        first, *others = self._files
        for other in others:
            if set(other.names) != set(first.names):
                raise TableError(
                    f"{other.name} has other columns than {first.name}: give files with the same columns"
                )
        return first.names

    @property
    def exceeds_memory(self) -> bool:
        row = self._files[0].row_bytes
        return sum(file.bytes_in_memory(row) for file in self._files) > MEMORY_SHARE * physical_memory()

    def column(self, name: str) -> pa.ChunkedArray:
        import pyarrow as pa

        with self._explained():
            parts = [pa.table({name: file.column(name)}) for file in self._files]
            return pa.concat_tables(parts, promote_options="permissive").column(0)

    def read(self) -> pa.Table:
        import pyarrow as pa

        with self._explained():
            parts = [file.read().select(self.names) for file in self._files]
            return pa.concat_tables(parts, promote_options="permissive")

    def batches(self, columns: Sequence[str], progress: Progress) -> Iterator[pa.RecordBatch]:
        for done, file in enumerate(self._files):
            share = partial(_share_of, progress, done, len(self._files))
            yield from file.batches(columns, share)


def _share_of(progress: Progress, done: int, files: int, share: float) -> None:
    """Report the share of one file as that of all."""
    progress((done + share) / files)


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
    """JSON: one object per line, or one list of objects."""

    def _load(self) -> pa.Table:
        from pyarrow.json import read_json

        with self.path.open("rb") as file:
            first = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        return self._list() if first == b"[" else read_json(self.path)

    def _list(self) -> pa.Table:
        import pyarrow as pa

        try:
            rows = json.loads(self.path.read_text(encoding="utf-8-sig"))
        except ValueError as error:
            raise TableError(f"{self.name} cannot be read: {error}") from error
        if not rows or not all(isinstance(row, dict) for row in rows):
            raise TableError(f"{self.name} is no list of objects: give one object for each row")
        names = dict.fromkeys(name for row in rows for name in row)
        return pa.table({name: as_arrow([row.get(name) for row in rows]) for name in names})


def as_arrow(cells: Sequence[object]) -> pa.Array:
    """Return cells of one column as one type: their own if they share it, else text."""
    import pyarrow as pa

    try:
        return pa.array(cells)
    except pa.ArrowException:
        numbers = [cell for cell in cells if isinstance(cell, int | float)]
        if len(numbers) == sum(cell is not None for cell in cells):
            return pa.array([float(cell) if isinstance(cell, int | float) else None for cell in cells])
        return pa.array([None if cell is None else str(cell) for cell in cells])
