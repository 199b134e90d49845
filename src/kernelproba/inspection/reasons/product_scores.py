"""Scores of kernel machines as sums of products over columns, in which sets of columns are cheap.

RBF and Laplacian kernels are products over columns, so that the scores of a row that takes columns S from x
and the others from b are

    f_l(x_S, b_rest) = Σ_c α_lc Π_{j∈S} k_j(x_j, c_j) Π_{j∉S} k_j(b_j, c_j)
                       + Σ_{j∈S} w_lj x_j + Σ_{j∉S} w_lj b_j + β_l ,

c running over the centres of all members of a pool, w being the slopes of members with a linear kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard

import numpy as np

from kernelproba.estimators.kernel_logistic.uncertainty import Member, UncertainProbabilities
from kernelproba.kernels import RBF, Laplacian, Linear
from kernelproba.typing import Classifier

#: Numbers that are held at once.
CELLS = 8_000_000

#: Kernel → −log k of one column, from differences in units of ℓ, in place.
_DISTANCES: dict[type, Callable[[np.ndarray], np.ndarray]] = {
    RBF: lambda D: np.multiply(np.square(D, out=D), 0.5, out=D),
    Laplacian: lambda D: np.abs(D, out=D),
}


@dataclass(frozen=True)
class Factors:
    """Some centres of the sums.

    Attributes
    ----------
    coef : ndarray of shape (k, m)
        α, per score and centre.
    tables : list of p ndarrays of shape (v, m)
        Factors of every distinct value of a player.
    places : list of p ndarrays of shape (r,)
        Which of these values each row has.
    """

    coef: np.ndarray
    tables: list[np.ndarray]
    places: list[np.ndarray]

    def of(self, player: int, rows: np.ndarray) -> np.ndarray:
        """Return the factors of a player and of some rows (s,), of shape (s, m)."""
        return self.tables[player][self.places[player][rows]]

    @cached_property
    def values(self) -> np.ndarray:
        """Factor of every player, row and centre, (p, r, m)."""
        return np.stack([table[place] for table, place in zip(self.tables, self.places, strict=True)])

    def blocks(self, step: int) -> Iterator[Factors]:
        """Yield so many centres at a time."""
        for first in range(0, self.coef.shape[1], step):
            block = slice(first, first + step)
            yield Factors(self.coef[:, block], [table[:, block] for table in self.tables], self.places)

    def rows(self, stop: int) -> Factors:
        """Return those of the first rows."""
        return Factors(self.coef, self.tables, [place[:stop] for place in self.places])

    def at_least(self, least: float) -> Factors:
        """Return factors of which none is less."""
        return Factors(self.coef, [np.maximum(table, least) for table in self.tables], self.places)


@dataclass(frozen=True)
class ProductScores:
    """Scores of rows, taken apart by players: groups of columns that change together.

    Attributes
    ----------
    model : classifier
        One that `has_product_scores`.
    groups : ndarray of shape (d,)
        The player that each column of the rows belongs to.
    rows : ndarray of shape (r, d)
        All rows whose columns are mixed.
    """

    model: UncertainProbabilities
    groups: np.ndarray
    rows: np.ndarray

    @cached_property
    def players(self) -> np.ndarray:
        """Numbers of those players that have columns, (p,)."""
        return np.flatnonzero(np.bincount(self.groups))

    @cached_property
    def _columns(self) -> list[np.ndarray]:
        """Columns of each of these players."""
        return [np.flatnonzero(self.groups == player) for player in self.players]

    @cached_property
    def _members(self) -> list[tuple[Member, np.ndarray]]:
        """Members of the pool, with the rows as each of them takes them."""
        rows = self.model._check_predict(self.rows)
        return [(each, np.asarray(each.rows(rows), dtype=float)) for each in self.model._members()]

    @cached_property
    def n_centers(self) -> int:
        """Centres of all sums together."""
        return sum(len(member.model._expansion().rows) for member, _ in self._curved())

    def _curved(self) -> list[tuple[Member, np.ndarray]]:
        """Members whose kernels are products."""
        return [(member, rows) for member, rows in self._members if not _is_linear(member)]

    @cached_property
    def levels(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Of each player: a row of every distinct value, and which of these values each row (r,) has."""
        return [_distinct(self.rows[:, columns]) for columns in self._columns]

    def differs(self, row: int, others: np.ndarray) -> np.ndarray:
        """Whether a player of some rows (r,) has another value than that of one row, (r, p)."""
        return np.column_stack([place[others] != place[row] for _, place in self.levels])

    @cached_property
    def of_rows(self) -> np.ndarray:
        """Scores of the rows as they are, (r, k)."""
        total, rows = self.additive.sum(axis=1).T + self.intercept, np.arange(len(self.rows))
        for factors in self.factors:
            products = factors.of(0, rows)
            for player in range(1, len(self.players)):
                products *= factors.of(player, rows)
            total += products @ factors.coef.T
        return total

    @cached_property
    def additive(self) -> np.ndarray:
        """What members with a linear kernel add for each player and row, of shape (k, p, r)."""
        total = np.zeros((self._n_scores, len(self.players), len(self.rows)))
        for member, rows in self._members:
            if _is_linear(member):
                expansion = member.model._expansion()
                slopes = self._share(member) * expansion.coef @ expansion.centers
                for number, columns in enumerate(self._columns):
                    total[:, number] += slopes[:, columns] @ rows[:, columns].T
        return total

    @cached_property
    def intercept(self) -> np.ndarray:
        """What every row gets, (k,)."""
        parts = [self._share(member) * member.model._expansion().intercept for member, _ in self._members]
        return np.sum(parts, axis=0)

    @property
    def factors(self) -> Iterable[Factors]:
        """Factors of all players, rows and centres, `CELLS` numbers at a time; kept if they are few."""
        few = self.n_centers * len(self.players) * len(self.rows) <= CELLS
        return self._kept_factors if few else self._made_factors()

    @cached_property
    def _kept_factors(self) -> list[Factors]:
        return list(self._made_factors())

    def _made_factors(self) -> Iterator[Factors]:
        step = max(1, CELLS // max(1, len(self.players) * len(self.rows)))
        for pieces in self._pieces(step):
            coef = [self._share(each) * each.model._expansion().coef[:, block] for each, _, block in pieces]
            parts = [self._tables(*piece) for piece in pieces]
            tables = [np.concatenate(own, axis=1) for own in zip(*parts, strict=True)]
            yield Factors(np.concatenate(coef, axis=1), tables, [place for _, place in self.levels])

    def _pieces(self, step: int) -> Iterator[list[tuple[Member, np.ndarray, slice]]]:
        """Yield members with their rows and some of their centres, at most so many centres together."""
        waiting: list[tuple[Member, np.ndarray, slice]] = []
        n_waiting = 0
        for member, rows in self._curved():
            size = len(member.model._expansion().rows)
            for first in range(0, size, step):
                block = slice(first, min(first + step, size))
                if waiting and n_waiting + block.stop - first > step:
                    yield waiting
                    waiting, n_waiting = [], 0
                waiting.append((member, rows, block))
                n_waiting += block.stop - first
        if waiting:
            yield waiting

    @property
    def _n_scores(self) -> int:
        return int(self.model._members()[0].model.dual_coef_.shape[0])

    def _share(self, member: Member) -> float:
        """What scores of a member are multiplied by in those of the model."""
        return member.weight / self.model._score_scale()

    def _tables(self, member: Member, rows: np.ndarray, block: slice) -> list[np.ndarray]:
        """Return the factors (v, m) of the distinct values of every player, for some centres of a member."""
        expansion = member.model._expansion()
        scales = np.asarray(expansion.kernel.length_scale, dtype=float)
        rows, centers = rows / scales, np.asarray(expansion.centers[block], dtype=float) / scales
        distance = _DISTANCES[type(expansion.kernel)]
        with np.errstate(over="ignore"):  # beyond the largest number all centres are infinitely far
            return [
                _factors(rows[first][:, columns], centers[:, columns], distance)
                for columns, (first, _) in zip(self._columns, self.levels, strict=True)
            ]


def has_product_scores(model: Classifier) -> TypeGuard[UncertainProbabilities]:
    """Whether the scores of a model are sums of products over columns."""
    return isinstance(model, UncertainProbabilities) and all(map(_is_product, model._members()))


def _is_linear(member: Member) -> bool:
    return type(member.model.kernel_) is Linear


def _is_product(member: Member) -> bool:
    model = member.model
    plain = type(model.kernel_) in (RBF, Laplacian, Linear) and not hasattr(model, "n_support_")
    return plain and isinstance(model._centers, np.ndarray)


def _factors(
    values: np.ndarray, centers: np.ndarray, distance: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Return the factors (v, m) of values (v, w) and centres (m, w)."""
    if values.shape[1] == 1:
        D = distance(values - centers[:, 0])
        return np.exp(np.negative(D, out=D), out=D)
    # Levels of a category are as many columns, and few of them are distinct.
    first, place = _distinct(centers)
    D = distance(values.T[:, :, None] - centers[first].T[:, None, :]).sum(axis=0)
    return np.exp(np.negative(D, out=D), out=D)[:, place]


def _distinct(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a row of each distinct one among values (r, w), and which of these every row is like."""
    # One number tells rows apart unless by bad luck, which is seen.
    keys = values[:, 0] if values.shape[1] == 1 else values @ np.sqrt(np.arange(2.0, values.shape[1] + 2))
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    if values.shape[1] > 1 and not np.array_equal(values[first[place]], values):
        return np.arange(len(values)), np.arange(len(values))
    return first, place
