"""Tables in files: CSV, TSV (also compressed) and Parquet, whole or in chunks."""

from __future__ import annotations

import codecs
import csv
import io
import lzma
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from .errors import CommandError

if TYPE_CHECKING:
    import pyarrow as pa

#: Rows and cells of a chunk, at most: enough to make the overhead small, few enough to be held many times.
CHUNK_ROWS, CHUNK_CELLS = 32_768, 1 << 21

#: Bytes of text that are parsed at once.
_BLOCK_BYTES = 4 << 20

#: Bytes in which the header must end.
_HEADER_BYTES = 4 << 20

#: Texts that mean "missing", beside those that Arrow knows ("", "NA", "NaN", "null", …).
_MISSING = ["?", "None", "none", "<NA>"]

_CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".xz": "lzma"}
_DELIMITERS = {".csv": None, ".txt": None, ".tsv": "\t", ".tab": "\t"}
_PARQUET = {".parquet", ".pq"}

Progress = Callable[[float], None]


def open_table(path: Path, delimiter: str | None = None) -> TableFile:
    """Return the table in a file; its name tells the format.

    Parameters
    ----------
    path : Path
        Ends in .csv, .txt, .tsv, .tab (then perhaps .gz, .bz2, .xz, .zst), .parquet or .pq.
    delimiter : str, optional
        Between the fields of a text file; by default the one that cuts the header into most columns.
    """
    if not path.exists():
        raise CommandError(f"there is no file {path}")
    if path.is_dir():
        raise CommandError(f"{path} is a folder: give a file")
    codec, suffix = format_of(path)
    if path.stat().st_size == 0:
        raise CommandError(f"{path.name} is empty: give a table with a header and rows")
    return (
        ParquetTable(path) if suffix in _PARQUET else TextTable(path, codec, delimiter or _DELIMITERS[suffix])
    )


def format_of(path: Path) -> tuple[str | None, str]:
    """Return the codec and the suffix before it, such as ("gzip", ".csv")."""
    codec = _CODECS.get(path.suffix.lower())
    suffix = (path.with_suffix("") if codec else path).suffix.lower()
    if suffix in _DELIMITERS or (suffix in _PARQUET and codec is None):
        return codec, suffix
    raise CommandError(
        f"the name of {path.name} does not tell its format: it must end in .csv or .tsv (then perhaps .gz, "
        ".bz2, .xz or .zst) or in .parquet"
    )


class TableFile(ABC):
    """A table on disk."""

    def __init__(self, path: Path):
        self.path = path

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns; all different."""
        names = self._names()
        for name, count in Counter(names).items():
            if count > 1:
                raise CommandError(
                    f"{self.path.name} has {count} columns named '{name}': give each a name of its own"
                )
        return names

    @abstractmethod
    def _names(self) -> list[str]:
        """Return the names of the columns as they are in the file."""

    @abstractmethod
    def read(self) -> pa.Table:
        """Return the whole table, with types as the values suggest."""

    @abstractmethod
    def batches(self, types: Mapping[str, pa.DataType], progress: Progress) -> Iterator[pa.RecordBatch]:
        """Yield chunks of at most `CHUNK_ROWS` rows and `CHUNK_CELLS` cells of some columns.

        Parameters
        ----------
        types : mapping of str to DataType
            Name → type to read the column as.
        progress : callable
            Called with the share of the file that has been read.
        """

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn Arrow's errors about the content of the file into ours."""
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, lzma.LZMAError, EOFError) as error:
            raise CommandError(f"{self.path.name} cannot be read: {self._explain(str(error))}") from error
        except OSError as error:
            if error.filename is not None:
                raise
            raise CommandError(f"{self.path.name} cannot be read: {error}") from error

    def _explain(self, message: str) -> str:
        return message


class TextTable(TableFile):
    """CSV and its relatives, in UTF-8."""

    def __init__(self, path: Path, codec: str | None, delimiter: str | None):
        super().__init__(path)
        self._codec = codec
        self._head = self._read_head()
        self.delimiter = delimiter or _widest(self._head)

    def _names(self) -> list[str]:
        fields = _first_record(self._head, self.delimiter)
        return [field.strip() or f"unnamed {number}" for number, field in enumerate(fields, start=1)]

    def read(self) -> pa.Table:
        from pyarrow.csv import read_csv

        with self._explained(), self._opened(lambda _share: None) as stream:
            return read_csv(stream, **self._options({}))

    def batches(self, types: Mapping[str, pa.DataType], progress: Progress) -> Iterator[pa.RecordBatch]:
        from pyarrow.csv import open_csv

        with self._explained(), self._opened(progress) as stream:
            for batch in open_csv(stream, **self._options(types)):
                yield from _slices(batch)

    def _options(self, types: Mapping[str, pa.DataType]) -> dict[str, Any]:
        """Return Arrow's options; types are guessed if none are given."""
        from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions

        convert = ConvertOptions(
            column_types=dict(types), include_columns=list(types) or None, strings_can_be_null=True
        )
        convert.null_values = [*convert.null_values, *_MISSING]
        return {
            # The header has been read already: Arrow would neither strip its names nor find a name for "".
            "read_options": ReadOptions(
                column_names=self.names, skip_rows_after_names=1, block_size=_BLOCK_BYTES
            ),
            "parse_options": ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            "convert_options": convert,
        }

    @contextmanager
    def _opened(self, progress: Progress) -> Iterator[Any]:
        """Give the decompressed bytes as a file."""
        import pyarrow as pa

        with self.path.open("rb") as raw:
            counted = _Counted(raw, self.path.stat().st_size, progress)
            if self._codec == "lzma":
                with lzma.LZMAFile(cast(IO[bytes], counted)) as stream:
                    yield stream
            elif self._codec is not None:
                yield pa.CompressedInputStream(pa.PythonFile(counted, "r"), self._codec)
            else:
                yield counted

    def _read_head(self) -> str:
        with self._explained(), self._opened(lambda _share: None) as stream:
            head = bytes(stream.read(_HEADER_BYTES))
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise CommandError(f"{self.path.name} is in UTF-16: save it as CSV in UTF-8")
        try:
            text = codecs.getincrementaldecoder("utf-8-sig")().decode(head)
        except UnicodeDecodeError:
            raise CommandError(f"{self.path.name} is not text in UTF-8: save it as CSV in UTF-8") from None
        if "\0" in text:
            raise CommandError(f"{self.path.name} is not text: its name says it is, but it has zero bytes")
        if not text.strip():
            raise CommandError(f"{self.path.name} is empty: give a table with a header and rows")
        return text

    def _explain(self, message: str) -> str:
        column = re.search(r"In CSV column #(\d+): (?:Row #(\d+): )?(.*)", message, re.DOTALL)
        if column is None:
            return message
        number, row, rest = column.groups()
        where = f", line {row}" if row else ""
        return f"column '{self.names[int(number)]}'{where}: {rest} (correct the value, or leave it empty)"


class ParquetTable(TableFile):
    """Parquet."""

    def _names(self) -> list[str]:
        return list(self._file.schema_arrow.names)

    @cached_property
    def _file(self) -> Any:
        from pyarrow.parquet import ParquetFile

        with self._explained():
            return ParquetFile(self.path, buffer_size=_BLOCK_BYTES)  # else a whole row group is held

    def read(self) -> pa.Table:
        with self._explained():
            return self._file.read()

    def batches(self, types: Mapping[str, pa.DataType], progress: Progress) -> Iterator[pa.RecordBatch]:
        rows, done = max(self._file.metadata.num_rows, 1), 0
        with self._explained():
            for batch in self._file.iter_batches(_chunk_rows(len(types)), columns=list(types)):
                done += batch.num_rows
                progress(done / rows)
                yield batch


class _Counted(io.RawIOBase):
    """A file that tells how far it has been read."""

    def __init__(self, raw: BinaryIO, size: int, progress: Progress):
        self._raw, self._size, self._progress = raw, size, progress

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        content = self._raw.read(size)
        self._progress(self._raw.tell() / self._size)
        return content


def _slices(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    size = _chunk_rows(batch.num_columns)
    for start in range(0, batch.num_rows, size):
        yield batch.slice(start, size)


def _chunk_rows(columns: int) -> int:
    return max(1, min(CHUNK_ROWS, CHUNK_CELLS // max(columns, 1)))


def _first_record(text: str, delimiter: str) -> list[str]:
    return next(record for record in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if record)


def _widest(text: str) -> str:
    """Return the delimiter that cuts the header into most fields; the comma if none does."""
    return max(",;\t|", key=lambda delimiter: len(_first_record(text, delimiter)))
