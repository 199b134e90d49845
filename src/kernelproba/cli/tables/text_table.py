"""CSV and its relatives."""

from __future__ import annotations

import codecs
import csv
import io
import lzma
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from kernelproba.cli.errors import CommandError
from kernelproba.cli.tables import table_file
from kernelproba.cli.tables.table_file import Progress, TableFile, chunk_rows
from kernelproba.report.json_values import shorten

if TYPE_CHECKING:
    import pyarrow as pa

#: Bytes in which the header must end.
_HEADER_BYTES = 4 << 20

#: Texts that mean "missing", beside those that Arrow knows ("", "NA", "NaN", "null", …).
_MISSING = ["?", "None", "none", "<NA>"]

#: Arrow's words for a value that does not fit its column, and for a line that does not fit the header.
_BAD_VALUE = re.compile(r"In CSV column #(\d+): (?:Row #(\d+): )?(.*)", re.DOTALL)
_BAD_LINE = re.compile(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)


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
            "read_options": ReadOptions(
                # The header has been read: Arrow would neither strip its names nor find a name for "".
                column_names=self.names,
                skip_rows_after_names=1,
                block_size=table_file.BLOCK_BYTES,
                use_threads=False,  # several would not know in which line an error is
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
        """Say in the words of the table what Arrow says of a value or a line."""
        if value := _BAD_VALUE.search(message):
            column, line, problem = value.groups()
            where = f"column '{self.names[int(column)]}'{f', line {line}' if line else ''}"
            return f"{where}: {problem} (correct the value, or leave it empty)"
        if record := _BAD_LINE.search(message):
            line, header, fields, content = record.groups()
            where = f"line {line}" if line else "a line"
            return (
                f"{where} has {fields} fields, the header {header}: {shorten(content, 60)} "
                "(put quotes around texts that contain the delimiter or line ends)"
            )
        return message


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
    size = chunk_rows(batch.num_columns)
    for start in range(0, batch.num_rows, size):
        yield batch.slice(start, size)


def _first_record(text: str, delimiter: str) -> list[str]:
    return next(record for record in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if record)


def _widest(text: str) -> str:
    """Return the delimiter that cuts the header into most fields; the comma if none does."""
    return max(",;\t|", key=lambda delimiter: len(_first_record(text, delimiter)))
