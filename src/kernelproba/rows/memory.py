"""Rows of one array in memory, walked whole or in blocks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class MemoryRows:
    """Rows of an array (or CSR matrix) held in memory.

    Parameters
    ----------
    data : array of shape (n, d)
        The rows.
    block_rows : int, optional
        Rows handed out at a time; None hands out all of them, which suits data that is used as it is,
        while a bound suits callers whose result per row is much wider than the row.
    """

    data: Any
    block_rows: int | None = None

    def __len__(self) -> int:
        return self.data.shape[0]

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.data.shape[1]

    def _slices(self) -> Iterator[slice]:
        step = self.block_rows or max(len(self), 1)
        return (slice(i, min(i + step, len(self))) for i in range(0, max(len(self), 1), step))

    def take(self, index: np.ndarray) -> Any:
        """Return the rows at `index`, in that order."""
        return self.data[index]

    def map(self, fn: Callable[..., np.ndarray], *aligned: np.ndarray) -> np.ndarray:
        """Stack ``fn(block, *blocks of aligned)``; the result has one entry per row."""
        parts = [fn(self.data[s], *(a[s] for a in aligned)) for s in self._slices()]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def fold(self, fn: Callable[..., Any], *aligned: np.ndarray) -> Any:
        """Sum ``fn(block, *blocks of aligned)``, an array or a tuple of arrays, over the blocks."""
        total = None
        for s in self._slices():
            part = fn(self.data[s], *(a[s] for a in aligned))
            total = part if total is None else _add(total, part)
        return total


def _add(total: Any, part: Any) -> Any:
    if isinstance(total, tuple):
        return tuple(a + b for a, b in zip(total, part, strict=True))
    return total + part


def as_rows(X: Any, *, block_rows: int | None = None) -> MemoryRows:
    """Wrap data in the store that fits its type; the only place that looks at the type of X."""
    return MemoryRows(X, block_rows)
