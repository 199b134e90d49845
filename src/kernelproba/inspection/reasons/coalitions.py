"""Exact Shapley values from the values of all sets of columns, by products of two halves.

A row b of the sample plays its own game: only the columns D in which it differs from x matter, the others
gain nothing in any order, and the shares of a row are means over these games.  Its scores for all sets S ⊂
D are

    f_l(S₁ ∪ S₂) = Σ_c  P[S₁, c] · α_lc Q[S₂, c] ,      D = D₁ ∪ D₂ ,

where P and Q are products over one half of D each: 2^{|D|/2} rows each, and one product of matrices for all
2^{|D|} sets.  Rows that differ in the same columns are taken together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import factorial

import numpy as np

from kernelproba.inspection.reasons.product_scores import Factors, ProductScores

#: Numbers that are worked on at once: what fits into a processor's cache.
BLOCK = 100_000

#: Seconds that rows which are taken together cost beside their arithmetic.
_CALLS = 1e-4


@dataclass(frozen=True)
class CoalitionGroup:
    """Rows of the sample (r,) that differ from x in the same players (q,) among all."""

    rows: np.ndarray
    players: np.ndarray

    def seconds(self, cost: float) -> float:
        """Return about how long its games take if a set of players of a row costs so many multiplications."""
        return _CALLS + len(self.rows) * cost * float(_row_seconds(len(self.players)))

    @property
    def n_sets(self) -> int:
        """Sets of players, over all rows."""
        return len(self.rows) << len(self.players)


def grouped(differs: np.ndarray, cost: float) -> list[CoalitionGroup]:
    """Return rows of the sample by the players in which they differ from x.

    Parameters
    ----------
    differs : ndarray of shape (B, p)
        Whether a row differs from x in a player.
    cost : float
        Multiplications that one set of players of one row costs.
    """
    order = np.argsort(differs.mean(axis=0), kind="stable")
    told = differs[:, order]
    bits = told << np.arange(len(order))  # a pattern is a number
    everywhere = (1 << len(order)) - 1
    best, chosen = np.inf, np.full(len(differs), everywhere)
    for looked_at in range(len(order) + 1):
        patterns = bits[:, :looked_at].sum(axis=1) + (everywhere >> looked_at << looked_at)
        sizes = told[:, :looked_at].sum(axis=1) + len(order) - looked_at
        price = _CALLS * len(set(patterns.tolist())) + cost * _row_seconds(sizes).sum()
        if price < best:
            best, chosen = price, patterns
    return [
        CoalitionGroup(
            np.flatnonzero(chosen == pattern), np.sort(order[(pattern >> np.arange(len(order))) & 1 == 1])
        )
        for pattern in np.unique(chosen)
    ]


class Coalitions:
    """Games of one row x against the rows of a sample, in the log-odds of a class.

    Parameters
    ----------
    scores : ProductScores
        Of the sample (B rows) and of the rows to explain.
    size : int
        B.
    row, label : int
        Number of x among the rows of `scores`, and of the class.
    """

    def __init__(self, scores: ProductScores, size: int, row: int, label: int):
        self._scores, self._row = scores, row
        self._contrasts = class_contrasts(len(scores.model.classes_), label)
        self._values: list[np.ndarray] = []
        cost = scores.n_centers * len(self._contrasts)
        self.groups = grouped(scores.differs(row, np.arange(size)), cost)
        n_sets = sum(group.n_sets for group in self.groups)
        self.cells, self.seconds = (
            n_sets * len(self._contrasts),
            sum(group.seconds(cost) for group in self.groups),
        )
        self._size = size

    def add(self, factors: Factors) -> None:
        """Add some centres to the values of all sets."""
        self._values = self._values or [self._additive(group) for group in self.groups]
        coef = self._contrasts @ factors.coef
        ends = factors.values[:, self._row]
        for group, values in zip(self.groups, self._values, strict=True):
            step = max(1, BLOCK // (len(ends[0]) << (len(group.players) // 2 + 2)))
            for first in range(0, len(group.rows), step):
                block = slice(first, first + step)
                values[block] += _set_scores(factors.values, ends, coef, group.rows[block], group.players)

    def solved(self) -> tuple[float, np.ndarray]:
        """Return the mean log-odds of the sample, and the shares of all players (p,)."""
        self._values = self._values or [self._additive(group) for group in self.groups]
        baseline, shares = 0.0, np.zeros(len(self._scores.players))
        for group, values in zip(self.groups, self._values, strict=True):
            worth = log_odds_of(values.reshape(len(values), len(self._contrasts), -1), axis=1).sum(axis=0)
            baseline += worth[0]
            shares[group.players] += shapley_weights(len(group.players)) @ worth
        return float(baseline / self._size), shares / self._size

    def _additive(self, group: CoalitionGroup) -> np.ndarray:
        """Return intercepts and linear members' scores of all sets, of shape (r, k, 2^q)."""
        additive = np.tensordot(self._contrasts, self._scores.additive, axes=1)
        own, theirs = additive[:, :, self._row], additive[:, :, group.rows]
        start = theirs.sum(axis=1).T + self._contrasts @ self._scores.intercept
        gains = (own[:, :, None] - theirs)[:, group.players]
        return start[:, :, None] + np.moveaxis(gains, 2, 0) @ members(len(group.players)).T


def class_contrasts(n_classes: int, label: int) -> np.ndarray:
    """Return what turns scores into those of the other classes less that of a class, (c − 1, k).

    Two classes have one score, the log-odds of class 1.
    """
    if n_classes == 2:
        return np.array([[1.0 - 2 * label]])
    return np.delete(np.eye(n_classes), label, axis=0) - np.eye(n_classes)[label]


def log_odds_of(contrasted: np.ndarray, axis: int) -> np.ndarray:
    """Return −log Σ_l exp(f_l − f_k), the log-odds of class k, from the contrasts along an axis."""
    if contrasted.shape[axis] == 1:
        return -contrasted.take(0, axis)
    top = contrasted.max(axis=axis, keepdims=True)
    return -(top.squeeze(axis) + np.log(np.exp(contrasted - top).sum(axis=axis)))


def _row_seconds(q: np.ndarray | int) -> np.ndarray:
    """Return about how long the game of a row with q players takes per centre and contrast."""
    return np.exp2(np.asarray(q) / 2) * 3e-9 + np.exp2(q) * 5e-11


@lru_cache(maxsize=32)
def members(q: int) -> np.ndarray:
    """Return whether a set, by its number, has a player: its bits, of shape (2^q, q) as numbers."""
    return ((np.arange(2**q)[:, None] >> np.arange(q)) & 1).astype(float)


@lru_cache(maxsize=32)
def shapley_weights(q: int) -> np.ndarray:
    """Return the matrix (q, 2^q) that turns values of sets into shares.

    Orders in which the players of S come first, then j, then the others: |S|! (q − |S| − 1)! of q!.
    """
    inside = members(q).T
    sizes = inside.sum(axis=0).astype(int)
    orders = np.array([factorial(s) * factorial(q - s - 1) / factorial(q) for s in range(q)] + [0.0])
    return np.where(inside == 1, orders[sizes - 1], -orders[sizes])


def _set_scores(
    factors: np.ndarray, ends: np.ndarray, coef: np.ndarray, rows: np.ndarray, players: np.ndarray
) -> np.ndarray:
    """Return Σ_c α_lc Π a Π b for all sets of players, of shape (r, k, 2^q).

    Parameters
    ----------
    factors, ends : ndarrays of shape (p, R, m) and (p, m)
        Of all rows and of x.
    coef : ndarray of shape (k, m)
        α.
    rows, players : ndarrays of shape (r,) and (q,)
        Those that are meant.
    """
    split = max(0, (len(players) - int(np.log2(len(coef)))) // 2)  # of equal size, coefficients counted
    low, high = players[:split], players[split:]
    common = np.delete(ends, players, axis=0).prod(axis=0)
    Q = _products(factors, ends, rows, low, common)
    P = _products(factors, ends, rows, high, np.ones_like(common))
    Q = (Q[:, None] * coef[:, None]).reshape(len(rows), -1, coef.shape[1])
    both = (P @ Q.transpose(0, 2, 1)).reshape(len(rows), 2 ** len(high), len(coef), 2 ** len(low))
    return both.swapaxes(1, 2).reshape(len(rows), len(coef), -1)


def _products(
    factors: np.ndarray, ends: np.ndarray, rows: np.ndarray, players: np.ndarray, start: np.ndarray
) -> np.ndarray:
    """Return start · Π_{j∈S} a_j Π_{j∉S} b_j for all sets S of players, of shape (r, 2^q, m)."""
    out = np.empty((len(rows), 2 ** len(players), len(start)))
    out[:, 0] = start
    for number, player in enumerate(players):
        size = 2**number
        np.multiply(out[:, :size], ends[player], out=out[:, size : 2 * size])
        out[:, :size] *= factors[player, rows][:, None]
    return out


def least_seconds(scores: ProductScores, size: int, rows: int) -> float:
    """Return how long the games of so many rows take at least, were every row of the sample on its own."""
    cost = scores.n_centers * (len(scores.model.classes_) - 1)
    sample = np.arange(size)
    played = [scores.differs(size + i, sample).sum(axis=1) for i in range(rows)]
    return float(cost * _row_seconds(np.array(played)).sum())


def solve(scores: ProductScores, games: list[Coalitions]) -> Iterator[tuple[float, np.ndarray]]:
    """Yield baseline and shares of every game; the factors are made once for all of them."""
    for factors in scores.factors:
        for game in games:
            game.add(factors)
    for game in games:
        yield game.solved()
