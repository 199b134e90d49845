"""The format of a table, by the name of its file or by its first bytes."""

from __future__ import annotations

import shutil
import sys
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from kernelproba.tables.errors import TableError
from kernelproba.tables.files.table_file import Layout, TableFile
from kernelproba.tables.files.text_table import TextTable
from kernelproba.tables.files.typed_files import FeatherTable, JsonTable, ParquetFolder, ParquetTable
from kernelproba.tables.files.workbook import WorkbookTable

#: Stands for the standard input or output in place of a file.
STANDARD_STREAM = Path("-")

CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".xz": "lzma", ".zip": "zip"}
DELIMITERS = {".csv": None, ".txt": None, ".tsv": "\t", ".tab": "\t"}
PARQUET = {".parquet", ".pq"}
_TYPED: dict[str, type[FeatherTable | JsonTable | ParquetTable]] = {
    **dict.fromkeys(PARQUET, ParquetTable),
    **dict.fromkeys((".feather", ".arrow", ".ipc"), FeatherTable),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), JsonTable),
}
_WORKBOOKS = {".xlsx", ".xlsm"}

#: First bytes of formats that files without a telling name may have.
_MAGIC = {b"PAR1": ".parquet", b"ARROW1": ".feather", b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ": ".xz",
          b"\x28\xb5\x2f\xfd": ".zst", b"PK\x03\x04": ".zip", b'{"': ".jsonl", b"[{": ".json"}  # fmt: skip


def open_table(path: Path, layout: Layout | None = None) -> TableFile:
    """Return the table in a file.

    Parameters
    ----------
    path : Path
        Its name tells the format, else its first bytes do; ``-`` is the standard input, and a folder holds
        Parquet files with the same columns.
    layout : Layout, optional
        What is known of it.
    """
    layout = layout or Layout()
    if path == STANDARD_STREAM:
        return _opened_stream(sys.stdin.buffer, layout, "the standard input")
    if not path.exists():
        raise TableError(f"there is no file {path}")
    if path.is_dir():
        return ParquetFolder(path)
    if not path.is_file():  # a pipe or a device
        with path.open("rb") as stream:
            return _opened_stream(stream, layout, path.name)
    return _opened(path, layout, path.name)


def split_suffix(path: Path) -> tuple[str | None, str]:
    """Return the codec and the suffix before it, such as ("gzip", ".csv")."""
    codec = CODECS.get(path.suffix.lower())
    return codec, (path.with_suffix("") if codec else path).suffix.lower()


def _opened(path: Path, layout: Layout, name: str) -> TableFile:
    if path.stat().st_size == 0:
        raise TableError(f"{name} is empty: give a table with a header and rows")
    codec, suffix = split_suffix(path)
    if suffix not in DELIMITERS:
        suffix = suffix if suffix in _TYPED or suffix in _WORKBOOKS else _by_content(path)
        codec = CODECS.get(suffix, codec)
    if codec is None and suffix in _TYPED:
        return _TYPED[suffix](path, name)
    if codec is None and suffix in _WORKBOOKS:
        return WorkbookTable(path, name, layout)
    if suffix in _TYPED or suffix in _WORKBOOKS:
        raise TableError(f"{name}: only text files are read from archives; unpack it first")
    delimiter = layout.delimiter or DELIMITERS.get(suffix)
    return TextTable(path, codec, replace(layout, delimiter=delimiter), name)


def _by_content(path: Path) -> str:
    """Return the suffix that a file should have by its first bytes; "" for a text."""
    with path.open("rb") as file:
        head = file.read(8)
    found = next((suffix for magic, suffix in _MAGIC.items() if head.startswith(magic)), "")
    return ".xlsx" if found == ".zip" and _is_workbook(path) else found


def _is_workbook(path: Path) -> bool:
    return zipfile.is_zipfile(path) and "xl/workbook.xml" in zipfile.ZipFile(path).namelist()


def _opened_stream(stream: BinaryIO, layout: Layout, name: str) -> TableFile:
    """Return the table in a stream: kept in a file, since a table is read twice and a stream only once.

    The file is gone with the last reference to it.
    """
    copy = tempfile.NamedTemporaryFile(prefix="kernelproba-")  # noqa: SIM115
    shutil.copyfileobj(stream, copy)
    copy.flush()
    table = _opened(Path(copy.name), layout, name)
    table.copy = copy
    return table
