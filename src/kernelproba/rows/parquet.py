"""Rows of Parquet files: one file, or a folder of files larger than memory."""

import os
from collections.abc import Iterator, Sequence
from copy import copy
from pathlib import Path

import numpy as np

from kernelproba.rows.local import LocalRows
from kernelproba.rows.parquet_file import ParquetFile, list_files
from kernelproba.rows.protocol import Place

BLOCK_ROWS = 16384


class ParquetRows(LocalRows):
    """Numeric columns of a Parquet file or folder, read block by block at every pass.

    Blocks are in double precision, in single if all columns of all files are.

    The files are looked at once.  If one is later changed, added or removed, so that rows would no longer go
    with their labels, reading it is an error that names the file.  So is a damaged page where files have
    checksums (``write_page_checksum`` of pyarrow), or where it brings values beyond the declared bounds.

    Parameters
    ----------
    path : path
        A file, or a folder of files (``*.parquet``) with the same columns, taken in the order of their names.
    columns : sequence of str, optional
        Columns that are features; by default all.
    block_rows : int, default=16384
        Rows read at a time.

    See Also
    --------
    MemoryRows : Rows in memory.

    Examples
    --------
    >>> rows = ParquetRows("measurements/", columns=["x1", "x2"])  # doctest: +SKIP
    >>> model.fit(rows, rows.column("label"))  # doctest: +SKIP
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        columns: Sequence[str] | None = None,
        *,
        block_rows: int = BLOCK_ROWS,
    ):
        self.path, self.block_rows = path, block_rows
        self.files = [ParquetFile.open(file) for file in list_files(path)]
        self.columns = list(self.files[0].types if columns is None else columns)
        if not self.columns:
            raise ValueError("columns names no column: at least one is needed.")
        for file in self.files:
            file.check_columns(self.columns)
        self._ends = np.cumsum([len(file) for file in self.files])
        # As an array of these columns has it: kernels and centres of single precision are slightly others.
        single = all(file.is_single(self.columns) for file in self.files)
        self.dtype = np.dtype(np.float32 if single else np.float64)

    def __len__(self) -> int:
        return int(self._ends[-1])

    @property
    def width(self) -> int:
        return len(self.columns)

    @property
    def names(self) -> list[str]:  # type: ignore[override]
        """Names of the columns."""
        return self.columns

    def column(self, name: str) -> np.ndarray:
        """One column of the files as an array (n,), such as the labels."""
        self._check_folder()
        return np.concatenate([file.column(name) for file in self.files])

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Where each block stands, and the block; it ends where its file ends."""
        self._check_folder()
        start = 0
        for file in self.files:
            for block in file.blocks(self.columns, self.block_rows, self.dtype):
                yield slice(start, start + len(block)), block
                start += len(block)

    def take(self, index: np.ndarray) -> np.ndarray:
        """Return the rows at `index`, in that order; only files that hold one of them are read."""
        self._check_folder()
        out = np.empty((len(index), self.width), self.dtype)
        which = np.searchsorted(self._ends, index, side="right")
        for number in np.unique(which):
            file, start = self.files[number], self._ends[number] - len(self.files[number])
            for block in file.blocks(self.columns, self.block_rows, self.dtype):
                here = (index >= start) & (index < start + len(block))
                out[here] = block[index[here] - start]
                start += len(block)
        return out

    def in_blocks(self, block_rows: int) -> "ParquetRows":
        """Return the same rows, in blocks of at most so many."""
        finer = copy(self)
        finer.block_rows = min(block_rows, self.block_rows)
        return finer

    def place(self, rows: slice) -> Place:
        """Name the file of a block."""
        number = int(np.searchsorted(self._ends, rows.start, side="right"))
        file = self.files[number]
        return Place(os.fspath(file.path), rows.start - int(self._ends[number]) + len(file))

    def _check_folder(self) -> None:
        """Refuse a folder that has gained or lost files since it was opened."""
        known, found = {file.path for file in self.files}, set(map(Path, list_files(self.path)))
        for file in sorted(known ^ found):
            change = "was removed" if file in known else "was added"
            raise ValueError(f"{os.fspath(file)!r} {change} since the folder was opened: open it again.")
