"""Probabilities in a file: label, confidence and one column per class, written chunk by chunk."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kernelproba.atomic_file import is_special, replacing
from kernelproba.cli.errors import CommandError
from kernelproba.cli.safe_cells import without_formulas
from kernelproba.tables.files.table_format import DELIMITERS, PARQUET, STANDARD_STREAM, split_suffix

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.csv import CSVWriter
    from pyarrow.parquet import ParquetWriter

LABEL, CONFIDENCE, PREFIX = "label", "confidence", "probability_"


def prediction_names(classes: np.ndarray) -> list[str]:
    """Return the names of the columns that are written."""
    return [LABEL, CONFIDENCE, *(f"{PREFIX}{each}" for each in classes)]


def prediction_columns(P: np.ndarray, classes: np.ndarray) -> dict[str, object]:
    """Return the columns that are written, by name.

    Parameters
    ----------
    P : ndarray of shape (n, c)
        Probabilities.
    classes : ndarray of shape (c,)
        Labels of the columns of P.
    """
    import pyarrow as pa

    best = P.argmax(axis=1)
    values = [pa.array(classes).take(pa.array(best)), P[np.arange(len(P)), best], *P.T]
    return {name: pa.array(value) for name, value in zip(prediction_names(classes), values, strict=True)}


def check_output(path: Path, *inputs: Path) -> None:
    """Complain of a place for a file that would fail only after the work is done."""
    if path.is_dir():
        raise CommandError(f"{path} is a folder: give the name of a file")
    if not path.absolute().parent.is_dir():
        raise CommandError(f"there is no folder {path.parent}: make it first, or write elsewhere")
    if any(path.exists() and given.exists() and path.samefile(given) for given in inputs):
        raise CommandError(f"{path} is also read from: write to another file")


@contextmanager
def writing_table(path: Path, *, raw: bool = False) -> Iterator[Callable[[pa.Table], None]]:
    """Give a function that appends rows to a new file, which is there only once all has gone well.

    Parameters
    ----------
    path : Path
        Its suffix tells the format, as of tables that are read; ``-`` is the standard output.
    raw : bool, default=False
        Write texts as they are to files of text, also those that a spreadsheet takes for formulas.
    """
    form = _format(path)
    guard = not raw and form[1] in DELIMITERS
    writer: CSVWriter | ParquetWriter | None = None
    opened = _standard_output() if path == STANDARD_STREAM else replacing(path)
    with opened as temporary, ExitStack() as stack:

        def write(rows: pa.Table) -> None:
            nonlocal writer
            rows = without_formulas(rows) if guard else rows
            if writer is None:
                writer = stack.enter_context(_writer(stack, temporary, form, rows.schema))
            writer.write_table(rows)

        yield write


def _format(path: Path) -> tuple[str | None, str]:
    """Return codec and suffix of a file to write; streams and devices without a telling name get CSV."""
    codec, suffix = split_suffix(path)
    if suffix not in DELIMITERS and (suffix not in PARQUET or codec is not None):
        if path == STANDARD_STREAM or is_special(path):
            return None, ".csv"
        raise CommandError(
            f"the name of {path.name} does not tell its format: it must end in .csv or .tsv (then perhaps "
            ".gz, .bz2 or .zst) or in .parquet"
        )
    if codec in ("lzma", "zip"):
        raise CommandError(f"results are not written as {path.suffix}: use .gz, .bz2 or .zst")
    return codec, suffix


@contextmanager
def _standard_output() -> Iterator[Path]:
    """Give a file to write to, whose content is printed once the block has succeeded."""
    with tempfile.TemporaryDirectory(prefix="kernelproba-") as folder:
        temporary = Path(folder) / "rows"
        yield temporary
        sys.stdout.flush()
        with temporary.open("rb") as content:
            shutil.copyfileobj(content, sys.stdout.buffer)


def _writer(
    stack: ExitStack, path: Path, form: tuple[str | None, str], schema: pa.Schema
) -> CSVWriter | ParquetWriter:
    """Return Arrow's writer for a format."""
    import pyarrow as pa
    from pyarrow.csv import CSVWriter, WriteOptions
    from pyarrow.parquet import ParquetWriter

    codec, suffix = form
    if suffix in (".parquet", ".pq"):
        return ParquetWriter(path, schema)
    sink = stack.enter_context(pa.OSFile(str(path), "wb"))
    if codec is not None:
        sink = stack.enter_context(pa.CompressedOutputStream(sink, codec))
    return CSVWriter(
        sink, schema, write_options=WriteOptions(delimiter="\t" if suffix in (".tsv", ".tab") else ",")
    )
