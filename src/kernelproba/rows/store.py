"""From data to the store that walks it: the only place that looks at the type of X."""

from kernelproba.rows.cluster import DaskRows, is_dask
from kernelproba.rows.local import LocalRows
from kernelproba.rows.memory import MemoryRows
from kernelproba.rows.protocol import Rows
from kernelproba.typing import MatrixLike


def stored_rows(X: MatrixLike) -> Rows | None:
    """Return the store that X is or that walks it, None for an array, a matrix or a table in memory."""
    if isinstance(X, LocalRows | DaskRows):
        return X
    return DaskRows(X) if is_dask(X) else None


def as_rows(X: MatrixLike, *, block_rows: int | None = None) -> Rows:
    """Wrap data in the store that fits its type; blocks have at most `block_rows` rows."""
    rows = stored_rows(X)
    if rows is None:
        return MemoryRows(X, block_rows)
    return rows if block_rows is None else rows.in_blocks(block_rows)
