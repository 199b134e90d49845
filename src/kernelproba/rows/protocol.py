"""What every store of rows offers, wherever the rows lie."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from kernelproba.typing import Matrix

T = TypeVar("T")


@runtime_checkable
class Rows(Protocol):
    """n rows of d features, read block by block, always the same blocks in the same order.

    *Aligned* values have one entry per row, in whatever form suits the store (`align` makes it): an array, or
    a Dask array with the chunks of the rows, which has the interface of an array and is typed as one.
    Functions that are given to a store take blocks as arrays.
    A ValueError that they raise is raised again with the place of the block: its rows, file or partition.
    """

    def __len__(self) -> int:
        """Number of rows n."""

    @property
    def width(self) -> int:
        """Number of columns d."""

    @property
    def names(self) -> list[str] | None:
        """Names of the columns, None if they have none."""

    def take(self, index: np.ndarray) -> Matrix:
        """Return the rows at `index`, in that order, in memory."""

    def whole(self) -> Matrix:
        """Return all rows, in memory."""

    def in_blocks(self, block_rows: int) -> "Rows":
        """Return the same rows in blocks of at most so many, if the store can cut them."""

    def align(self, values: ArrayLike) -> np.ndarray:
        """Values (n,), in memory or not, in the form that `map` and `fold` take."""

    def pick(self, values: np.ndarray, index: np.ndarray) -> np.ndarray:
        """Entries of aligned values at `index`, in memory."""

    def distinct(self, values: np.ndarray) -> np.ndarray:
        """Sorted distinct entries of aligned values, in memory."""

    def map_values(self, fn: Callable[..., np.ndarray], *aligned: np.ndarray) -> np.ndarray:
        """Aligned values ``fn(*aligned)``, computed block by block and kept."""

    def map(
        self, fn: Callable[..., np.ndarray], *aligned: np.ndarray, shared: tuple[object, ...] = ()
    ) -> np.ndarray:
        """Stack ``fn(block, *blocks of aligned, *shared)``: an array, or a lazy Dask array."""

    def fold(self, fn: Callable[..., T], *aligned: np.ndarray, shared: tuple[object, ...] = ()) -> T:
        """Sum ``fn(block, *blocks of aligned, *shared)``, an array or a tuple of arrays, over the blocks."""

    def bearing(self, weights: np.ndarray, *aligned: np.ndarray) -> "tuple[Rows, tuple[np.ndarray, ...]]":
        """Rows that suffice for sums with these weights, and weights and aligned values of them.

        Rows of weight zero are left out where they would be computed at every pass.
        """

    def selected(self, kept: np.ndarray, *aligned: np.ndarray) -> "tuple[Rows, tuple[np.ndarray, ...]]":
        """Rows at which aligned truth values are true, as if they were all, and aligned values of them."""

    def features(self, fn: Callable[[Matrix], np.ndarray], width: int, *, budget: int) -> "Rows":
        """Rows ``fn(block)`` of so many columns; what exceeds `budget` bytes is computed at every pass."""


class Place(NamedTuple):
    """Where a block comes from, for errors about it, and the number of its first row there."""

    name: str = ""
    first: int = 0


class RowError(ValueError):
    """An error about one row of a block, whose number stands between two parts of the text."""

    def __init__(self, before: str, row: int, after: str):
        super().__init__(before, row, after)

    def __str__(self) -> str:
        return "".join(map(str, self.args))


@contextmanager
def located(place: Place) -> Iterator[None]:
    """Let errors about the values of a block say where the block stands, and number rows as there."""
    try:
        yield
    except ValueError as error:
        if not place.name:
            raise
        text = str(error)
        if isinstance(error, RowError):
            before, row, after = error.args
            text = f"{before}{place.first + row}{after}"
        raise ValueError(f"{text.rstrip('.')} (in {place.name}).") from error
