"""From data to the store that walks it: the only place that looks at the type of X."""

from typing import Any

from kernelproba.rows.cluster import DaskRows
from kernelproba.rows.local import LocalRows
from kernelproba.rows.memory import MemoryRows


def is_stored(X: Any) -> bool:
    """Whether X is a store of rows or a Dask collection, rather than an array, a matrix or a table.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.rows import MemoryRows, is_stored
    >>> is_stored(np.eye(2)), is_stored(MemoryRows(np.eye(2)))
    (False, True)
    """
    return isinstance(X, LocalRows | DaskRows) or _is_dask(X)


def as_rows(X: Any, *, block_rows: int | None = None) -> Any:
    """Wrap data in the store that fits its type; blocks have at most `block_rows` rows.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.rows import as_rows
    >>> rows = as_rows(np.arange(6.0).reshape(3, 2), block_rows=2)
    >>> type(rows).__name__, len(rows)
    ('MemoryRows', 3)
    """
    if _is_dask(X):
        return DaskRows(X)
    if not isinstance(X, LocalRows | DaskRows):
        return MemoryRows(X, block_rows)
    return X if block_rows is None else X.in_blocks(block_rows)


def _is_dask(X: Any) -> bool:
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "compute")
