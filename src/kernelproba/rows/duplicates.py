"""Rows that are the same, label and all: merged into weights, since a weight of two is a row seen twice.

**Units.**  A copy of a row is another observation, so what is left out or dealt to folds is not a distinct
row but a *unit* of its weight.  Whole numbers are counts: a row of weight w is w units.  Weights that are not
all whole numbers say how much an observation matters (survey weights of some thousands, say), not how often
it was made: then every row of the input is one unit, and what stands k times is k units.
"""

from collections.abc import Callable
from dataclasses import Field, dataclass, replace
from typing import ClassVar, Protocol, TypeVar

import numpy as np

from kernelproba.rows.protocol import Rows
from kernelproba.rows.row_hash import row_keys, unordered_keys
from kernelproba.typing import Matrix


class Weighted(Protocol):
    """Rows of a dataclass with weights as the user gave them, and with those of their classes beside."""

    __dataclass_fields__: ClassVar[dict[str, Field]]

    @property
    def sample_weight(self) -> np.ndarray:
        """Weights (n,) of the user."""

    @property
    def weight(self) -> np.ndarray:
        """Weights (n,) with those of the classes."""


Training = TypeVar("Training", bound=Weighted)

#: Units beyond which a row is divided as evenly as rounding can tell.
_MAX_UNITS = 2.0**31


@dataclass(frozen=True)
class Duplicates:
    """Which of n rows are copies of each other.

    Parameters
    ----------
    keys : array of shape (m,)
        Keys of the distinct rows, ascending: their order depends neither on that of the rows nor on that of
        the columns.
    first : array of shape (m,)
        Where each distinct row stands first.
    which : array of shape (n,)
        For each row, which of the distinct ones it is.
    """

    keys: np.ndarray
    first: np.ndarray
    which: np.ndarray

    @classmethod
    def of(cls, X: Matrix, y: np.ndarray) -> "Duplicates":
        """Find the copies among rows X (n, d) with class indices y (n,)."""
        _, first, which = np.unique(row_keys(X, y), return_index=True, return_inverse=True)
        return cls(unordered_keys(X[first], y[first]), first, which).in_order()

    def in_order(self) -> "Duplicates":
        """The same with ascending keys."""
        order = np.argsort(self.keys)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return Duplicates(self.keys[order], self.first[order], rank[self.which])

    def __len__(self) -> int:
        return len(self.keys)

    def totals(self, weight: np.ndarray) -> np.ndarray:
        """Weights of the distinct rows (m,) from those of all rows (n,)."""
        return np.bincount(self.which, weights=weight, minlength=len(self.keys))

    def units(self, sample_weight: np.ndarray) -> np.ndarray:
        """Number of units (m,) of the distinct rows from the weights of all rows (n,)."""
        return np.clip(self.totals(row_units(sample_weight)), 1, _MAX_UNITS).astype(np.int64)

    def merged(self, training: Training, take: Callable[[Training, np.ndarray], Training]) -> Training:
        """Distinct rows with the weights of all their copies.

        Parameters
        ----------
        training : dataclass with fields `sample_weight` and `weight`
            All rows.
        take : callable
            (training, numbers of rows) → those of them.
        """
        return replace(
            take(training, self.first),
            sample_weight=self.totals(training.sample_weight),
            weight=self.totals(training.weight),
        )


@dataclass(frozen=True)
class DistinctKeys:
    """Keys of distinct rows, ascending, of which so many are kept at most; a sum is that of both sets."""

    keys: np.ndarray
    most: int

    def __add__(self, other: "DistinctKeys") -> "DistinctKeys":
        return DistinctKeys(np.union1d(self.keys, other.keys)[: self.most], self.most)


def count_distinct(rows: Rows, y: np.ndarray, weight: np.ndarray, most: int) -> int:
    """Count rows that differ in features or label and carry weight; no further than to `most`.

    Parameters
    ----------
    rows, y, weight : Rows, aligned values of n rows
        Rows, class indices and weights.
    most : int
        Where to stop counting.
    """
    first = np.arange(min(most, len(rows)))
    few = _distinct_keys(rows.take(first), rows.pick(y, first), rows.pick(weight, first), most)
    if len(few.keys) < min(most, len(rows)):  # else there is no need for a pass
        few = rows.fold(_distinct_keys, y, weight, shared=(most,))
    return len(few.keys)


def _distinct_keys(block: Matrix, y: np.ndarray, weight: np.ndarray, most: int) -> DistinctKeys:
    keys = row_keys(block, np.asarray(y))[np.asarray(weight) > 0]
    return DistinctKeys(np.unique(keys)[:most], most)


def row_units(sample_weight: np.ndarray) -> np.ndarray:
    """Number of units of rows with weights (n,): the weights if all are whole numbers, else one each."""
    whole = np.rint(sample_weight)
    return whole if np.allclose(sample_weight, whole, rtol=1e-9, atol=0) else np.ones(len(sample_weight))


def first_occurrences(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each distinct key stands first (m,), in that order, and which of them every row is (n,).

    ``keys == keys[first][which]`` for all rows.
    """
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[which]


def sample_rows(keys: np.ndarray, y: np.ndarray, size: int) -> np.ndarray:
    """Numbers of a random sample that has at least two rows of every class that has two.

    Parameters
    ----------
    keys, y : arrays of shape (n,)
        Keys, which decide what is drawn whatever the order of the rows, and classes; rows with one key are
        drawn together.
    size : int
        Number of rows, more only for the sake of rare classes and of rows that belong together; all rows if
        there are no more.
    """
    if size >= len(keys):
        return np.arange(len(keys))
    order = np.argsort(keys, kind="stable")
    chosen = keys <= keys[order[size - 1]]
    for label in np.unique(y):
        chosen |= np.isin(keys, keys[order[y[order] == label][:2]])
    return np.flatnonzero(chosen)
