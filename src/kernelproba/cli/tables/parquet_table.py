"""Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kernelproba.cli.tables.table_file import BLOCK_BYTES, Progress, TableFile, chunk_rows

if TYPE_CHECKING:
    import pyarrow as pa


class ParquetTable(TableFile):
    """Parquet."""

    def _names(self) -> list[str]:
        return list(self._file.schema_arrow.names)

    @cached_property
    def _file(self) -> Any:
        from pyarrow.parquet import ParquetFile

        with self._explained():
            return ParquetFile(self.path, buffer_size=BLOCK_BYTES)  # else a whole row group is held

    def read(self) -> pa.Table:
        with self._explained():
            return self._file.read()

    def batches(self, types: Mapping[str, pa.DataType], progress: Progress) -> Iterator[pa.RecordBatch]:
        rows, done = max(self._file.metadata.num_rows, 1), 0
        with self._explained():
            for batch in self._file.iter_batches(chunk_rows(len(types)), columns=list(types)):
                done += batch.num_rows
                progress(done / rows)
                yield batch
