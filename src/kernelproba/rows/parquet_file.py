"""One Parquet file that must stay as it was when it was opened."""

import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kernelproba.extras import extra
from kernelproba.rows.columns import check_numeric

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


def list_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return the file itself, or the Parquet files of a folder in the order of their names."""
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"There is no file or folder {os.fspath(path)!r}.")
    if path.is_file():
        return [path]
    files = sorted(file for file in path.rglob("*.parquet") if not file.name.startswith((".", "_")))
    if not files:
        raise FileNotFoundError(f"The folder {os.fspath(path)!r} has no files named *.parquet.")
    return files


@dataclass(frozen=True)
class ParquetFile:
    """A file and what was known of it when it was opened.

    Attributes
    ----------
    path : Path
        The file.
    n_rows : int
        Its rows.
    types : dict
        Name → Arrow type of its columns.
    state : tuple
        What changes when it is written again.
    """

    path: Path
    n_rows: int
    types: dict[str, object]
    state: tuple

    @classmethod
    def open(cls, path: Path) -> "ParquetFile":
        """Look at a file's columns and rows."""
        state = _state(path)
        with _reading(path) as reader:
            schema = reader.schema_arrow
            types = dict(zip(schema.names, schema.types, strict=True))
            return cls(path, int(reader.metadata.num_rows), types, state)

    def __len__(self) -> int:
        return self.n_rows

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse a file that lacks one of the columns, or in which it is no number."""
        if missing := [name for name in names if name not in self.types]:
            raise ValueError(
                f"{os.fspath(self.path)} has no column {missing[0]!r}; its columns are "
                f"{', '.join(self.types)}."
            )
        check_numeric({name: self.types[name] for name in names}, os.fspath(self.path))

    def is_single(self, names: Sequence[str]) -> bool:
        """Whether all of the columns are in single precision, or half of it."""
        return all(str(self.types[name]) in ("float", "halffloat") for name in names)

    def blocks(self, names: Sequence[str], block_rows: int, dtype: np.dtype) -> Iterator[np.ndarray]:
        """Yield the columns as matrices of at most so many rows, missing values as NaN."""
        self._check_unchanged()
        count = 0
        with _reading(self.path) as reader:
            for group in range(reader.metadata.num_row_groups):
                bounds = _Bounds(reader.metadata.row_group(group), names)
                for batch in reader.iter_batches(block_rows, row_groups=[group], columns=list(names)):
                    block = _matrix(batch, names, dtype)
                    bounds.check(block, self.path)
                    count += len(block)
                    if len(block):
                        yield block
        self._check_unchanged()
        if count != self.n_rows:
            raise ValueError(f"{os.fspath(self.path)!r} gave {count} rows where it declares {self.n_rows}.")

    def column(self, name: str) -> np.ndarray:
        """One column, of any type."""
        if name not in self.types:
            raise ValueError(f"{os.fspath(self.path)} has no column {name!r}.")
        self._check_unchanged()
        with _reading(self.path) as reader:
            values = reader.read(columns=[name]).column(0).to_numpy()
        self._check_unchanged()
        return values

    def _check_unchanged(self) -> None:
        if _state(self.path) != self.state:
            raise ValueError(
                f"{os.fspath(self.path)!r} has changed since it was opened: its rows may no longer go with "
                "their labels. Open it again."
            )


class _Bounds:
    """Least and greatest values of the columns of a row group, as the file declares them.

    Files rarely have checksums; a damaged page that still decodes is most often found out by this.
    """

    def __init__(self, group: "pq.RowGroupMetaData", names: Sequence[str]):
        chunks = {group.column(j).path_in_schema: group.column(j) for j in range(group.num_columns)}
        bounds = [_declared(chunks.get(name)) for name in names]
        self.low, self.high = np.array(bounds, dtype=np.float64).T

    def check(self, block: np.ndarray, path: Path) -> None:
        outside = (block < self.low) | (block > self.high)
        if outside.any():
            raise ValueError(
                f"{os.fspath(path)!r} is damaged: column {int(outside.any(axis=0).argmax())} has values "
                "beyond the bounds that the file declares."
            )


def _declared(chunk: "pq.ColumnChunkMetaData | None") -> tuple[float, float]:
    statistics = None if chunk is None else chunk.statistics
    if statistics is None or not statistics.has_min_max:
        return -np.inf, np.inf
    return float(statistics.min), float(statistics.max)


class _reading:
    """Context in which a file is open, and in which what is wrong with it becomes an error that names it."""

    def __init__(self, path: Path):
        self.path = path

    def __enter__(self) -> "pq.ParquetFile":
        with extra("parquet"):
            import pyarrow.parquet as pq
        try:
            self.reader = pq.ParquetFile(self.path, page_checksum_verification=True)
        except Exception as error:
            self._explain(error)
            raise
        return self.reader

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self.reader.close()
        self._explain(error)

    def _explain(self, error: BaseException | None) -> None:
        from pyarrow import ArrowException

        if isinstance(error, ArrowException | OSError):
            raise ValueError(f"{os.fspath(self.path)!r} cannot be read as Parquet: {error}") from error


def _state(path: Path) -> tuple:
    """Size, time, identity and the checksum of the footer, which describes all pages of a file."""
    try:
        status = path.stat()
        with path.open("rb") as file:
            file.seek(max(0, status.st_size - 8))
            length = int.from_bytes(file.read(4), "little")
            file.seek(max(0, status.st_size - 8 - length))
            footer = zlib.crc32(file.read(min(length, 2**24)))
    except OSError as error:
        raise ValueError(f"{os.fspath(path)!r} cannot be read any more: {error}") from error
    return status.st_size, status.st_mtime_ns, status.st_ino, footer


def _matrix(batch: "pa.RecordBatch", names: Sequence[str], dtype: np.dtype) -> np.ndarray:
    """Columns of a record batch as a matrix (n, d), missing values as NaN."""
    out = np.empty((batch.num_rows, len(names)), dtype)
    for j, name in enumerate(names):
        out[:, j] = batch.column(name).to_numpy(zero_copy_only=False)
    return out
