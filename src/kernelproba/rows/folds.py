"""Folds of weighted rows that depend on what the rows hold, not on where they stand.

Rows come with their copies merged into weights (`kernelproba.rows.duplicates`), and a fold takes a *share* of
the weight of each row: what is dealt to the folds are units of weight, so that k copies of a row are dealt as
k rows, and a row of weight k likewise.  Units of a row may be in different folds: of two people who gave the
same answers, one may help to predict the other.  They are dealt as if by chance, not in turn: were every fold
to get its share of every row, the labels of equal features would be held out in the proportions that stay,
and a model that repeats these would seem to know more than it does.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from numbers import Integral
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import check_cv
from sklearn.utils.validation import _num_samples

from kernelproba.rows.duplicates import Duplicates
from kernelproba.rows.row_hash import mix
from kernelproba.typing import CrossValidation, MatrixLike

#: Folds where the user names no number.
DEFAULT_FOLDS = 5
#: Units up to which each is dealt by itself.
MOST_UNITS_APART = 1_000_000
#: Folds that whole-numbered weights of few rows may make: each is fitted, however much alike they are.
MOST_FOLDS_OF_UNITS = 100


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows to train on and rows to test on; a row may be in both, each with a share of its weight.

    Folds with the same contents are equal, so that what is known of one is known of the other.

    Parameters
    ----------
    train, test : arrays of shape (t,) and (r,)
        Numbers of rows.
    train_share, test_share : arrays of shape (t,) and (r,)
        How much of the weight of each is trained on, and tested on.
    """

    train: np.ndarray
    test: np.ndarray
    train_share: np.ndarray
    test_share: np.ndarray

    @cached_property
    def _bytes(self) -> tuple[bytes, ...]:
        return tuple(part.tobytes() for part in self.contents)

    @property
    def contents(self) -> tuple[np.ndarray, ...]:
        """All that it holds."""
        return self.train, self.test, self.train_share, self.test_share

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fold) and self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    @classmethod
    def of_shares(cls, train: np.ndarray, test: np.ndarray, y: np.ndarray) -> "Fold":
        """Fold from shares (m,) of all rows; a class (m,) with nothing to train on is trained on as it is."""
        missing = np.bincount(y, weights=train)[y] == 0
        train = np.where(missing, 1.0, train)
        rows, tested = np.flatnonzero(train), np.flatnonzero(test)
        return cls(rows, tested, train[rows], test[tested])


class WeightedRows(Protocol):
    """Rows that carry weight; each property has shape (n,)."""

    @property
    def y(self) -> np.ndarray:
        """Class indices."""

    @property
    def sample_weight(self) -> np.ndarray:
        """Weights as the user gave them."""

    @property
    def index(self) -> np.ndarray:
        """Where the rows stood in the input."""


def unit_folds(keys: np.ndarray, y: np.ndarray, units: np.ndarray, n_folds: int) -> list[Fold]:
    """Deal the units of the rows of each class to the folds.

    Parameters
    ----------
    keys, y, units : arrays of shape (m,)
        Keys of distinct rows, class indices and numbers of units, see `kernelproba.rows.duplicates`.
    n_folds : int
        Number of folds.

    Returns
    -------
    folds : list of Fold
        Without those that have nothing to test, for lack of rows.
    """
    row = np.repeat(np.arange(len(units)), units) if units.sum() <= MOST_UNITS_APART else None
    shares = _shares_in_turn if row is None else partial(_shares_by_chance, row)
    return [Fold.of_shares(1 - share, share, y) for share in shares(keys, y, units, n_folds) if share.any()]


def _shares_by_chance(
    row: np.ndarray, keys: np.ndarray, y: np.ndarray, units: np.ndarray, n_folds: int
) -> Iterator[np.ndarray]:
    """Share (m,) of each fold in every row, by the order of keys of the units, whose rows (u,) are given."""
    nth = np.arange(len(row)) - np.repeat(np.cumsum(units) - units, units)
    unit_keys = keys.astype(np.uint64)[row] ^ mix(nth.astype(np.uint64))
    dealt = np.empty_like(row)
    # Classes take turns at the larger folds.
    dealt[np.lexsort((unit_keys, y[row]))] = np.arange(len(row)) % n_folds
    return (np.bincount(row[dealt == fold], minlength=len(units)) / units for fold in range(n_folds))


def _shares_in_turn(keys: np.ndarray, y: np.ndarray, units: np.ndarray, n_folds: int) -> Iterator[np.ndarray]:
    """The same for so many units that each row has nearly the same share in all folds."""
    order = np.lexsort((keys, y))
    stop = np.empty_like(units)
    stop[order] = np.cumsum(units[order])
    start = stop - units
    return (_count_congruent(start, stop, fold, n_folds) / units for fold in range(n_folds))


def split_folds(
    splits: Iterable[tuple[np.ndarray, np.ndarray]], n_input: int, rows: WeightedRows, copies: Duplicates
) -> list[Fold]:
    """Folds of the distinct rows from splits of the rows as they came.

    Parameters
    ----------
    splits : iterable of (train, test)
        Positions in the input.
    n_input : int
        Rows of the input.
    rows : WeightedRows
        The n rows that carry weight.
    copies : Duplicates
        Which of them are the same.
    """
    number = np.full(n_input, -1)
    number[rows.index] = np.arange(len(rows.index))
    total, y = copies.totals(rows.sample_weight), rows.y[copies.first]

    def share(positions: np.ndarray) -> np.ndarray:
        known = number[positions]
        known = known[known >= 0]
        weight = np.bincount(copies.which[known], weights=rows.sample_weight[known], minlength=len(total))
        return weight / total

    shares = ((share(train), share(test)) for train, test in splits)
    return [Fold.of_shares(train, test, y) for train, test in shares if test.any()]


def make_folds(
    cv: CrossValidation, X: MatrixLike, y: ArrayLike, rows: WeightedRows, copies: Duplicates
) -> list[Fold]:
    """Folds as a user asks for them.

    Parameters
    ----------
    cv : int, splitter, iterable of splits or None
        A number makes stratified folds of units, see `unit_folds`; None makes five.
    X, y : arrays of rows
        What the user passed, which a splitter speaks of.
    rows : WeightedRows
        Those rows of it that carry weight.
    copies : Duplicates
        Which of these are the same.
    """
    if cv is None or isinstance(cv, Integral):
        n_folds = DEFAULT_FOLDS if cv is None else int(cv)
        if n_folds < 2:
            raise ValueError(f"cv must be 2 folds or more, got cv={cv!r}.")
        units = copies.units(rows.sample_weight)
        if n_folds > max(units.sum(), DEFAULT_FOLDS):  # few rows make fewer folds
            raise ValueError(f"cv={n_folds} is more folds than there are observations, {units.sum()}.")
        n = len(rows.y)
        if n_folds > max(n, MOST_FOLDS_OF_UNITS):
            raise ValueError(
                f"cv={n_folds} is more folds than there are rows, {n}: sample_weight makes up the rest. "
                f"Give cv={max(n, DEFAULT_FOLDS)} or less."
            )
        return unit_folds(copies.keys, rows.y[copies.first], units, n_folds)
    folds = split_folds(check_cv(cv, y, classifier=True).split(X, y), _num_samples(y), rows, copies)
    if not folds:
        raise ValueError("cv has no split with rows to test on that carry weight.")
    return folds


def _count_congruent(start: np.ndarray, stop: np.ndarray, residue: int, modulus: int) -> np.ndarray:
    """How many numbers t in [start, stop) have t mod modulus = residue, (m,)."""
    # ⌈(stop − residue)/modulus⌉ − ⌈(start − residue)/modulus⌉
    return (start - residue) // -modulus - (stop - residue) // -modulus
