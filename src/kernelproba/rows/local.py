"""Rows that one process walks block by block, wherever they lie."""

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from kernelproba.rows.protocol import Place, T, located
from kernelproba.typing import Matrix


class LocalRows(ABC):
    """A store whose blocks come one after the other; it has the interface `Rows`.

    Values *aligned* with the rows are arrays with one entry (or row) per row.
    """

    names: list[str] | None = None

    @abstractmethod
    def __len__(self) -> int:
        """Number of rows."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Number of columns."""

    @abstractmethod
    def blocks(self) -> Iterator[tuple[slice, Matrix]]:
        """Where each block stands, and the block."""

    @abstractmethod
    def take(self, index: np.ndarray) -> Matrix:
        """Return the rows at `index`, in that order."""

    @abstractmethod
    def in_blocks(self, block_rows: int) -> "LocalRows":
        """Return the same rows, in blocks of at most so many."""

    def place(self, rows: slice) -> Place:  # noqa: ARG002 — some stores know where their rows come from
        """Where a block comes from, for errors about it; without a name if there is nothing to say."""
        return Place()

    def whole(self) -> Matrix:
        """Return all rows, in memory."""
        return self.take(np.arange(len(self)))

    def align(self, values: ArrayLike) -> np.ndarray:
        """Values (n,) in the form that `map` and `fold` take."""
        return np.asarray(values)

    def pick(self, values: np.ndarray, index: np.ndarray) -> np.ndarray:
        """Entries of aligned values at `index`."""
        return values[index]

    def distinct(self, values: np.ndarray) -> np.ndarray:
        """Sorted distinct entries of aligned values."""
        return np.unique(values)

    def map_values(self, fn: Callable[..., np.ndarray], *aligned: np.ndarray) -> np.ndarray:
        """Aligned values ``fn(*aligned)``."""
        return fn(*aligned)

    def map(
        self, fn: Callable[..., np.ndarray], *aligned: np.ndarray, shared: tuple[object, ...] = ()
    ) -> np.ndarray:
        """Stack ``fn(block, *blocks of aligned, *shared)``; the result has one entry per row."""
        whole = None
        for rows, block in self.blocks():
            with located(self.place(rows)):
                part = fn(block, *(a[rows] for a in aligned), *shared)
            if len(part) == len(self):
                return part
            if whole is None:
                # Parts that are put together at the end would take twice the memory.
                whole = np.empty((len(self), *part.shape[1:]), part.dtype)
            elif part.dtype != whole.dtype:
                whole = whole.astype(np.result_type(whole, part), copy=False)
            whole[rows] = part
        return cast(np.ndarray, whole)

    def fold(self, fn: Callable[..., T], *aligned: np.ndarray, shared: tuple[object, ...] = ()) -> T:
        """Sum ``fn(block, *blocks of aligned, *shared)``, an array or a tuple of arrays, over the blocks."""
        total = None
        for rows, block in self.blocks():
            with located(self.place(rows)):
                part = fn(block, *(a[rows] for a in aligned), *shared)
            total = part if total is None else add(total, part)
        return cast(T, total)

    def bearing(
        self, weights: np.ndarray, *aligned: np.ndarray
    ) -> "tuple[LocalRows, tuple[np.ndarray, ...]]":
        """Return all rows, with their weights and aligned values: they are at hand."""
        return self, (weights, *aligned)

    def selected(self, kept: np.ndarray, *aligned: np.ndarray) -> "tuple[LocalRows, tuple[np.ndarray, ...]]":
        """Rows at which truth values (n,) are true, as if they were all, and aligned values of them."""
        return SelectedRows(self, kept), tuple(each[kept] for each in aligned)

    def features(self, fn: Callable[[Matrix], np.ndarray], width: int, *, budget: int) -> "LocalRows":
        """Rows ``fn(block)`` of so many columns; what exceeds `budget` bytes is computed at every pass."""
        return ComputedRows(self, fn, width, budget)


def add(total: T, part: T) -> T:
    """Sum of two results of a fold."""
    if isinstance(total, tuple) and isinstance(part, tuple):
        return cast(T, tuple(a + b for a, b in zip(total, part, strict=True)))
    return operator.add(total, part)


class ComputedRows(LocalRows):
    """Rows that are a function of other rows: the first blocks that fit into the budget are computed once.

    Parameters
    ----------
    source : LocalRows of n rows
        Where the blocks come from.
    fn : callable
        Block (b, d) → block (b, width).
    width : int
        Columns of the result.
    budget : int
        Bytes of results that may be kept.
    """

    def __init__(self, source: LocalRows, fn: Callable[[Matrix], np.ndarray], width: int, budget: int):
        self.source, self.fn, self._width, self.budget = source, fn, width, budget
        self._kept: list[np.ndarray] = []
        self._room = budget

    def __len__(self) -> int:
        return len(self.source)

    @property
    def width(self) -> int:
        return self._width

    def place(self, rows: slice) -> Place:
        return self.source.place(rows)

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        if (kept := self._all_kept()) is not None:
            yield from kept
            return
        for i, (rows, block) in enumerate(self.source.blocks()):
            if i < len(self._kept):
                yield rows, self._kept[i]
                continue
            result = self.fn(block)
            if i == len(self._kept) and result.nbytes <= self._room:
                self._kept.append(result)
                self._room -= result.nbytes
            yield rows, result

    def _all_kept(self) -> list[tuple[slice, np.ndarray]] | None:
        """All blocks, once all are kept: the source is not read again."""
        ends = np.cumsum([len(block) for block in self._kept])
        if not len(ends) or ends[-1] < len(self):
            return None
        return [(slice(end - len(b), end), b) for end, b in zip(ends, self._kept, strict=True)]

    def bearing(
        self, weights: np.ndarray, *aligned: np.ndarray
    ) -> "tuple[LocalRows, tuple[np.ndarray, ...]]":
        """Leave out rows of weight zero, unless most of the results are kept and serve other weights too."""
        kept, values = weights > 0, (weights, *aligned)
        if kept.all() or 4 * len(self) * self._width <= self.budget:
            return self, values
        part, values = self.source.selected(kept, *values)
        return part.features(self.fn, self._width, budget=self.budget), values

    def take(self, index: np.ndarray) -> np.ndarray:
        return self.fn(self.source.take(index))

    def in_blocks(self, block_rows: int) -> "ComputedRows":
        return ComputedRows(self.source.in_blocks(block_rows), self.fn, self._width, self.budget)


class SelectedRows(LocalRows):
    """Those rows of a store at which a mask is true.

    Parameters
    ----------
    source : LocalRows of n rows
        The store.
    kept : array of shape (n,), bool
        The mask.
    """

    def __init__(self, source: LocalRows, kept: np.ndarray):
        self.source, self.kept = source, kept

    def __len__(self) -> int:
        return int(self.kept.sum())

    @property
    def width(self) -> int:
        return self.source.width

    def blocks(self) -> Iterator[tuple[slice, Matrix]]:
        start = 0
        for rows, block in self.source.blocks():
            part = block[self.kept[rows]]
            if part.shape[0]:
                yield slice(start, start + part.shape[0]), part
                start += part.shape[0]

    def take(self, index: np.ndarray) -> Matrix:
        return self.source.take(np.flatnonzero(self.kept)[index])

    def in_blocks(self, block_rows: int) -> "SelectedRows":
        return SelectedRows(self.source.in_blocks(block_rows), self.kept)
