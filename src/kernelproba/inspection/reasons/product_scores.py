"""Scores of kernel machines as sums of products over columns, in which sets of columns are cheap.

RBF and Laplacian kernels are products over columns, so that the scores of a row that takes columns S from x
and the others from b are

    f_l(x_S, b_rest) = Σ_c α_lc Π_{j∈S} k_j(x_j, c_j) Π_{j∉S} k_j(b_j, c_j)
                       + Σ_{j∈S} w_lj x_j + Σ_{j∉S} w_lj b_j + β_l ,

c running over the centres of all members of a pool, w being the slopes of members with a linear kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard

import numpy as np

from kernelproba.estimators.kernel_logistic.uncertainty import Member, UncertainProbabilities
from kernelproba.kernels import RBF, Laplacian, Linear
from kernelproba.typing import Classifier

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
    values : ndarray of shape (p, r, m)
        Factor of every player, row and centre.
    """

    coef: np.ndarray
    values: np.ndarray

    def blocks(self, step: int) -> Iterator[Factors]:
        """Yield so many centres at a time."""
        for first in range(0, self.coef.shape[1], step):
            block = slice(first, first + step)
            yield Factors(self.coef[:, block], self.values[:, :, block])


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
        return sum(len(m.model._expansion().rows) for m, _ in self._members if not _is_linear(m))

    def differs(self, row: int, others: np.ndarray) -> np.ndarray:
        """Whether a player of some rows (r,) has another value than that of one row, (r, p)."""
        other = self.rows[others] != self.rows[row]
        return np.column_stack([other[:, columns].any(axis=1) for columns in self._columns])

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

    def factors(self, cells: int) -> Iterator[Factors]:
        """Yield the factors of all players, rows and centres, at most about so many numbers at a time."""
        step = max(1, cells // max(1, len(self.players) * len(self.rows)))
        for pieces in self._pieces(step):
            coef = [self._share(each) * each.model._expansion().coef[:, block] for each, _, block in pieces]
            sizes = [part.shape[1] for part in coef]
            values = np.empty((len(self.players), len(self.rows), sum(sizes)))
            parts = np.split(values, np.cumsum(sizes[:-1]), axis=2)
            for (member, rows, block), part in zip(pieces, parts, strict=True):
                self._fill(part, member, rows, block)
            yield Factors(np.concatenate(coef, axis=1), values)

    def _pieces(self, step: int) -> Iterator[list[tuple[Member, np.ndarray, slice]]]:
        """Yield members with their rows and some of their centres, at most so many centres together."""
        waiting: list[tuple[Member, np.ndarray, slice]] = []
        n_waiting = 0
        for member, rows in self._members:
            size = 0 if _is_linear(member) else len(member.model._expansion().rows)
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

    def _fill(self, out: np.ndarray, member: Member, rows: np.ndarray, block: slice) -> None:
        """Write the factors of some centres of a member into `out` (p, r, m)."""
        expansion = member.model._expansion()
        scales = np.asarray(expansion.kernel.length_scale, dtype=float)
        rows, centers = rows / scales, np.asarray(expansion.centers[block], dtype=float) / scales
        distance = _DISTANCES[type(expansion.kernel)]
        with np.errstate(over="ignore"):  # beyond the largest number all centres are infinitely far
            for number, columns in enumerate(self._columns):
                _fill_factors(out[number], rows[:, columns], centers[:, columns], distance)


def has_product_scores(model: Classifier) -> TypeGuard[UncertainProbabilities]:
    """Whether the scores of a model are sums of products over columns."""
    return isinstance(model, UncertainProbabilities) and all(map(_is_product, model._members()))


def _is_linear(member: Member) -> bool:
    return type(member.model.kernel_) is Linear


def _is_product(member: Member) -> bool:
    model = member.model
    plain = type(model.kernel_) in (RBF, Laplacian, Linear) and not hasattr(model, "n_support_")
    return plain and isinstance(model._centers, np.ndarray)


def _fill_factors(
    out: np.ndarray,
    rows: np.ndarray,
    centers: np.ndarray,
    distance: Callable[[np.ndarray], np.ndarray],
) -> None:
    """Write the factors of rows (r, w) and centres (m, w) into `out` (r, m), by distinct values if few."""
    (values, own), (others, place) = _distinct(rows), _distinct(centers)
    few = 2 * len(values) * len(others) < out.size
    if not few:
        values, others = rows, centers
    D = distance(values.T[:, :, None] - others.T[:, None, :]).sum(axis=0)
    np.exp(np.negative(D, out=D), out=D)
    if few:
        D = np.take(np.take(D, own, axis=0), place, axis=1)
    out[...] = D


def _distinct(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return distinct rows of values (r, w), and which of them each row is."""
    # One number tells rows apart unless by bad luck, which is seen.
    keys = values[:, 0] if values.shape[1] == 1 else values @ np.sqrt(np.arange(2.0, values.shape[1] + 2))
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    distinct = values[first]
    if values.shape[1] > 1 and not np.array_equal(distinct[place], values):
        return values, np.arange(len(values))
    return distinct, place
