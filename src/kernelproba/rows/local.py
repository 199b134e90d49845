"""Rows that one process walks block by block, wherever they lie."""

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from kernelproba.blas_threads import MOST_WORKERS, borrowed_blas_threads, in_turn
from kernelproba.rows.protocol import Place, T, located
from kernelproba.typing import Matrix

Aligned = tuple[np.ndarray, ...]
Shared = tuple[object, ...]


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

        def use(rows: slice, part: np.ndarray) -> None:
            nonlocal whole
            if len(part) == len(self):
                whole = part
                return
            if whole is None:
                # Parts that are put together at the end would take twice the memory.
                whole = np.empty((len(self), *part.shape[1:]), part.dtype)
            elif part.dtype != whole.dtype:
                whole = whole.astype(np.result_type(whole, part), copy=False)
            whole[rows] = part

        self._each_part(fn, aligned, shared, use)
        return cast(np.ndarray, whole)

    def fold(self, fn: Callable[..., T], *aligned: np.ndarray, shared: tuple[object, ...] = ()) -> T:
        """Sum ``fn(block, *blocks of aligned, *shared)``, an array or a tuple of arrays, over the blocks."""
        total: T | None = None

        def use(_rows: slice, part: T) -> None:
            nonlocal total
            total = part if total is None else add(total, part)

        self._each_part(fn, aligned, shared, use)
        return cast(T, total)

    def _each_part(
        self, fn: Callable[..., T], aligned: Aligned, shared: Shared, use: Callable[[slice, T], None]
    ) -> None:
        """Call ``use(rows, fn(block, …))`` for all blocks in turn."""
        for rows, block in self.blocks():
            with located(self.place(rows)):
                part = fn(block, *(a[rows] for a in aligned), *shared)
            use(rows, part)

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

    A function that says `runs_in_threads` is computed by as many as BLAS may use, and so is what is folded.

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
        self._kept: dict[int, np.ndarray] = {}
        self._room = budget

    def __len__(self) -> int:
        return len(self.source)

    @property
    def width(self) -> int:
        return self._width

    def place(self, rows: slice) -> Place:
        return self.source.place(rows)

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        for rows, block, is_result in self._sources():
            result = block if is_result else self.fn(block)
            self._keep(rows, result)
            yield rows, result

    def _each_part(
        self, fn: Callable[..., T], aligned: Aligned, shared: Shared, use: Callable[[slice, T], None]
    ) -> None:
        def part_of(rows: slice, block: Matrix, is_result: bool) -> tuple[slice, np.ndarray | None, T]:
            with located(self.place(rows)):
                result = block if is_result else self.fn(block)
                part = fn(result, *(a[rows] for a in aligned), *shared)
            return rows, (result if result.nbytes <= self._room else None), part

        def use_part(done: tuple[slice, np.ndarray | None, T]) -> None:
            rows, result, part = done
            if result is not None:
                self._keep(rows, result)
            use(rows, part)

        with borrowed_blas_threads() if self._runs_in_threads else nullcontext(1) as threads:
            in_turn(part_of, self._sources(), use_part, min(threads, MOST_WORKERS))

    @property
    def _runs_in_threads(self) -> bool:
        return getattr(self.fn, "runs_in_threads", False)

    def _sources(self) -> Iterator[tuple[slice, Matrix, bool]]:
        """Blocks of results that are kept, and of the rows of which they have yet to be computed."""
        if sum(map(len, self._kept.values())) == len(self) > 0:
            for start, result in sorted(self._kept.items()):
                yield slice(start, start + len(result)), result, True
            return
        for rows, block in self.source.blocks():
            kept = self._kept.get(rows.start)
            yield (rows, block, False) if kept is None else (rows, kept, True)

    def _keep(self, rows: slice, result: np.ndarray) -> None:
        """Keep a result if there is room for it."""
        if rows.start not in self._kept and result.nbytes <= self._room:
            self._kept[rows.start] = result
            self._room -= result.nbytes

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
