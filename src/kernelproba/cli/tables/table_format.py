"""The format of a table, by the name of its file."""

from __future__ import annotations

from pathlib import Path

from kernelproba.cli.errors import CommandError
from kernelproba.cli.tables.parquet_table import ParquetTable
from kernelproba.cli.tables.table_file import TableFile
from kernelproba.cli.tables.text_table import TextTable

_CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".xz": "lzma"}
_DELIMITERS = {".csv": None, ".txt": None, ".tsv": "\t", ".tab": "\t"}
_PARQUET = {".parquet", ".pq"}


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
