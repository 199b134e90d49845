"""Rows of one array in memory (or mapped from a file), walked whole or in blocks."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kernelproba.rows.local import LocalRows
from kernelproba.rows.protocol import Place
from kernelproba.typing import Matrix


@dataclass(frozen=True)
class MemoryRows(LocalRows):
    """Rows of an array, a memory map or a CSR matrix.

    Parameters
    ----------
    data : array of shape (n, d)
        The rows.
    block_rows : int, optional
        Rows handed out at a time; None hands out all of them, which suits data that is used as it is,
        while a bound suits callers whose result per row is much wider than the row.

    See Also
    --------
    ParquetRows : Rows on disk.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.rows import MemoryRows
    >>> rows = MemoryRows(np.arange(6.0).reshape(3, 2), block_rows=2)
    >>> [len(block) for _, block in rows.blocks()]
    [2, 1]
    >>> rows.fold(lambda block: block.sum(axis=0))
    array([6., 9.])
    """

    data: Matrix
    block_rows: int | None = None

    def __len__(self) -> int:
        return self.data.shape[0]

    @property
    def width(self) -> int:
        return self.data.shape[1]

    def blocks(self) -> Iterator[tuple[slice, Matrix]]:
        step = self.block_rows or max(len(self), 1)
        for start in range(0, max(len(self), 1), step):
            rows = slice(start, min(start + step, len(self)))
            yield rows, self.data[rows]

    def place(self, rows: slice) -> Place:
        """Name the rows of a block, if there are several."""
        whole = rows.stop - rows.start == len(self)
        return Place() if whole else Place(f"rows {rows.start} to {rows.stop - 1}", rows.start)

    def take(self, index: np.ndarray) -> Matrix:
        return self.data[index]

    def whole(self) -> Matrix:
        return self.data

    def in_blocks(self, block_rows: int) -> "MemoryRows":
        return MemoryRows(self.data, min(block_rows, self.block_rows or block_rows))
