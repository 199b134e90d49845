"""CSV and its relatives."""

from __future__ import annotations

import codecs
import io
import lzma
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, Protocol, cast

from kernelproba.plain_text import shorten
from kernelproba.tables.errors import TableError
from kernelproba.tables.files import table_file
from kernelproba.tables.files.table_file import Layout, Progress, TableFile, chunk_rows
from kernelproba.tables.files.text_layout import (
    TextLayout,
    check_text,
    decoded,
    encoding_of,
    lay_out,
    title_note,
)

if TYPE_CHECKING:
    import pyarrow as pa

#: Bytes in which the header must end.
_HEADER_BYTES = 4 << 20

#: Texts that mean "missing", beside those that Arrow knows ("", "NA", "NaN", "null", …).
_MISSING = ["?", "None", "none", "<NA>"]

#: Arrow's words for a line that does not fit the header.
_BAD_LINE = re.compile(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)


class TextTable(TableFile):
    """CSV and its relatives; all columns are texts.

    Parameters
    ----------
    path : Path
        As of all files.
    codec : str or None
        How it is compressed: "gzip", "bz2", "zstd", "lzma" or "zip".
    layout : Layout
        What is known of it.
    name : str, optional
        As of all files.
    """

    def __init__(self, path: Path, codec: str | None, layout: Layout, name: str | None = None):
        super().__init__(path, name)
        self._codec, self._given = codec, layout

    @property
    def delimiter(self) -> str:
        """Between fields."""
        return self._layout.delimiter

    @property
    def notes(self) -> list[str]:
        """What the user should know of how the file was read."""
        notes = []
        if self._given.encoding is None and self._encoding == "cp1252":
            notes.append(f"{self.name} is not in UTF-8 and is read as Windows' Latin: see --encoding")
        if self._layout.title:
            notes.append(title_note(self._layout.title, self.name))
        if self._given.header is None and not self._layout.has_header:
            notes.append(
                f"the first line of {self.name} looks like data, not like names of columns: see --header"
            )
        return notes

    def _names(self) -> list[str]:
        return self._layout.names

    def read(self) -> pa.Table:
        import pyarrow as pa
        from pyarrow.csv import read_csv

        if not self._has_rows():
            return pa.table({name: pa.array([], pa.string()) for name in self.names})
        with self._explained(), self._opened(lambda _share: None) as stream:
            return read_csv(stream, **self._options(self.names))

    def batches(self, columns: Sequence[str], progress: Progress) -> Iterator[pa.RecordBatch]:
        from pyarrow.csv import open_csv

        if not self._has_rows():
            return
        with self._explained(), self._opened(progress) as stream:
            for batch in open_csv(stream, **self._options(columns)):
                yield from _slices(batch)

    def _has_rows(self) -> bool:
        """Whether anything but blanks comes after the header; Arrow takes nothing for an error."""
        rest = decoded(self._head, self._encoding, self.name).encode()[self._layout.begin :]
        return len(self._head) == _HEADER_BYTES or bool(rest.strip())

    def _options(self, columns: Sequence[str]) -> dict[str, object]:
        import pyarrow as pa
        from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions

        convert = ConvertOptions(
            column_types=dict.fromkeys(columns, pa.string()),
            include_columns=list(columns),
            strings_can_be_null=True,
        )
        convert.null_values = [*convert.null_values, *_MISSING]
        return {
            "read_options": ReadOptions(
                column_names=self.names,  # the stream begins behind the header
                block_size=table_file.BLOCK_BYTES,
                use_threads=False,  # several would not know in which row an error is
            ),
            "parse_options": ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            "convert_options": convert,
        }

    @contextmanager
    def _opened(self, progress: Progress) -> Iterator[_Readable]:
        """Give the rows of data, in UTF-8, as a file."""
        with self._bytes(progress) as stream:
            if self._encoding in ("utf-8", "utf-8-sig"):
                stream.read(self._layout.begin + (3 if self._encoding == "utf-8-sig" else 0))
                yield _Checked(stream, self.name)
            else:
                recoded = _Recoded(stream, self._encoding)
                recoded.read(self._layout.begin)
                yield _Checked(recoded, self.name)

    @contextmanager
    def _bytes(self, progress: Progress) -> Iterator[_Readable]:
        """Give the decompressed bytes as a file."""
        import pyarrow as pa

        with self.path.open("rb") as raw:
            counted = _Counted(raw, self.path.stat().st_size, progress)
            if self._codec == "zip":
                with _only_member(raw, self.name) as stream:
                    yield stream
            elif self._codec == "lzma":
                with lzma.LZMAFile(cast(IO[bytes], counted)) as stream:
                    yield stream
            elif self._codec is not None:
                yield pa.CompressedInputStream(pa.PythonFile(counted, "r"), self._codec)
            else:
                yield counted

    @cached_property
    def _head(self) -> bytes:
        with self._explained(), self._bytes(lambda _share: None) as stream:
            return bytes(stream.read(_HEADER_BYTES))

    @cached_property
    def _encoding(self) -> str:
        return self._given.encoding or encoding_of(self._head)

    @cached_property
    def _layout(self) -> TextLayout:
        text = decoded(self._head, self._encoding, self.name)
        return lay_out(text, self._given.delimiter, self._given.header)

    def _explain(self, message: str) -> str:
        """Say in the words of the table what Arrow says of a line."""
        if record := _BAD_LINE.search(message):
            row, header, fields, content = record.groups()
            where = f"row {row}" if row else "a row"
            return (
                f"{where} (the header is not counted) has {fields} fields, the header {header}: "
                f"{shorten(content, 60)} (put quotes around texts that contain the delimiter or line ends)"
            )
        if "straddl" in message:
            return f"a row is longer than {table_file.BLOCK_BYTES >> 20} MB: is a quote left open?"
        if "UTF8" in message:
            return "it begins as UTF-8 but does not go on so: name its encoding, such as --encoding latin-1"
        return message


class _Counted(io.RawIOBase):
    """A file that tells how far it has been read."""

    def __init__(self, raw: BinaryIO, size: int, progress: Progress):
        self._raw, self._size, self._progress = raw, size, progress

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        content = self._raw.read(size)
        self._progress(min(1.0, self._raw.tell() / max(self._size, 1)))
        return content


class _Readable(Protocol):
    """What bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """Return at most so many bytes."""


class _Checked(io.RawIOBase):
    """A text without zero bytes: Arrow would read them as part of a value."""

    def __init__(self, stream: _Readable, name: str):
        self._stream, self._name = stream, name

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        content = bytes(self._stream.read(size))
        check_text(content, self._name)
        return content


class _Recoded(io.RawIOBase):
    """A file in another encoding, read as UTF-8."""

    def __init__(self, stream: _Readable, encoding: str):
        self._stream, self._decode = stream, codecs.getincrementaldecoder(encoding)("replace").decode
        self._rest = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while size < 0 or len(self._rest) < size:
            content = bytes(self._stream.read(table_file.BLOCK_BYTES))
            self._rest += self._decode(content, final=not content).encode()
            if not content:
                break
        end = len(self._rest) if size < 0 else size
        taken, self._rest = self._rest[:end], self._rest[end:]
        return taken


@contextmanager
def _only_member(raw: BinaryIO, name: str) -> Iterator[_Readable]:
    """Give the one file of a zip archive."""
    try:
        archive = zipfile.ZipFile(raw)
        members = [
            each for each in archive.infolist() if not each.is_dir() and "__MACOSX" not in each.filename
        ]
        if len(members) != 1:
            raise TableError(f"{name} holds {len(members)} files: unpack it, and give the one that is meant")
        with archive.open(members[0]) as stream:
            yield stream
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise TableError(f"{name} cannot be unpacked: {error}") from error


def _slices(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    size = chunk_rows(batch.num_columns)
    for start in range(0, batch.num_rows, size):
        yield batch.slice(start, size)
