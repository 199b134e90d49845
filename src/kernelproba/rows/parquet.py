"""Rows of Parquet files: one file, or a folder of files larger than memory."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kernelproba.rows.local import LocalRows

BLOCK_ROWS = 16384


class ParquetRows(LocalRows):
    """Numeric columns of a Parquet file or folder, read block by block at every pass.

    Parameters
    ----------
    path : path
        A file, or a folder of files of one schema, taken in the order of their names.
    columns : sequence of str, optional
        Columns that are features; by default all.
    block_rows : int, default=16384
        Rows read at a time.

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
        self._dataset = _open(path)
        names = self._dataset.schema.names
        self.columns = list(names if columns is None else columns)
        if missing := [name for name in self.columns if name not in names]:
            raise ValueError(f"{path} has no column {missing[0]!r}; its columns are {', '.join(names)}.")
        self._check_numeric()
        self._length = int(self._dataset.count_rows())

    def _check_numeric(self) -> None:
        import pyarrow.types as kinds

        for name in self.columns:
            kind = self._dataset.schema.field(name).type
            if not (kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_boolean(kind)):
                raise ValueError(
                    f"Column {name!r} is of type {kind}, which is not numeric: name the columns that are "
                    "features, without the label, and encode categories first."
                )

    def __len__(self) -> int:
        return self._length

    @property
    def width(self) -> int:
        return len(self.columns)

    def column(self, name: str) -> np.ndarray:
        """One column of the files as an array (n,), such as the labels."""
        return self._dataset.to_table(columns=[name]).column(0).to_numpy()

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        start, parts, held = 0, [], 0
        for batch in self._dataset.to_batches(columns=self.columns, batch_size=self.block_rows):
            parts.append(_matrix(batch))
            held += batch.num_rows
            while held >= self.block_rows:
                joined = parts[0] if len(parts) == 1 else np.concatenate(parts)
                yield slice(start, start + self.block_rows), joined[: self.block_rows]
                start, held = start + self.block_rows, held - self.block_rows
                parts = [joined[self.block_rows :]]
        if held:
            yield slice(start, start + held), np.concatenate(parts)

    def take(self, index: np.ndarray) -> np.ndarray:
        out = np.empty((len(index), self.width))
        for rows, block in self.blocks():
            here = (index >= rows.start) & (index < rows.stop)
            out[here] = block[index[here] - rows.start]
        return out

    def in_blocks(self, block_rows: int) -> "ParquetRows":
        return ParquetRows(self.path, self.columns, block_rows=min(block_rows, self.block_rows))


def _open(path: str | os.PathLike[str]) -> Any:
    try:
        from pyarrow import ArrowInvalid, dataset
    except ImportError as error:
        raise ImportError("Reading Parquet needs pyarrow: pip install 'kernelproba[parquet]'.") from error
    if not os.path.exists(path):
        raise FileNotFoundError(f"There is no file or folder {os.fspath(path)!r}.")
    try:
        return dataset.dataset(os.fspath(path), format="parquet")
    except (ArrowInvalid, OSError) as error:
        raise ValueError(f"{os.fspath(path)!r} cannot be read as Parquet: {error}") from error


def _matrix(batch: Any) -> np.ndarray:
    """Columns of a record batch as a float64 matrix, missing values as NaN."""
    out = np.empty((batch.num_rows, batch.num_columns))
    for j, column in enumerate(batch.columns):
        out[:, j] = column.to_numpy(zero_copy_only=False)
    return out
