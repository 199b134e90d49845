"""Exact Shapley values of two classes from the means that a sample has of products over sets of columns.

Log-odds that are sums of products need the sample only by the means of its products,

    v(S) = Σ_c α_c Π_{j∈S} a_jc · M_c(rest) ,      M_c(T) = 1/B Σ_b Π_{j∈T} b_jc ,

which are the same for every row that is explained.  With T = T₁ ∪ T₂, T₁ among the columns of many values
and T₂ among those of few, and w running over what rows of the sample are in the latter,

    M_c(T) = 1/B Σ_w  Π_{j∈T₂} w_jc · Σ_{b like w} Π_{j∈T₁} b_jc .
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kernelproba.inspection.reasons.coalitions import BLOCK, class_contrasts, members, shapley_weights
from kernelproba.inspection.reasons.product_scores import Factors, ProductScores

#: Centres that are worked on at once, at least.
_LEAST_CENTERS = 64


class MomentGame:
    """The rows to explain against the means of a sample.

    Parameters
    ----------
    scores : ProductScores
        Of a model of two classes; the rows are the sample, then those to explain.
    size : int
        Rows of the sample.
    """

    def __init__(self, scores: ProductScores, size: int):
        self._scores, self._size, self._n = scores, size, len(scores.rows) - size
        self._split = _Split.best(scores, size)

    def seconds(self) -> float:
        """Return about how long `shares` takes."""
        sets = 2.0 ** len(self._split.order) * self._n
        return 2e-9 * self._scores.n_centers * (self._split.cost(self._n) + sets)

    def shares(self, labels: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
        """Yield baseline and shares (p,) of every row, in the log-odds of the classes with these numbers."""
        scores, size, order = self._scores, self._size, self._split.order
        additive = scores.additive[0, order]
        background = additive[:, :size].mean(axis=1)
        gains = additive[:, size:] - background[:, None]
        values = members(len(order)) @ gains + background.sum() + scores.intercept[0]
        step = max(_LEAST_CENTERS, 2 * BLOCK // int(self._split.cost(self._n)))
        for factors in scores.factors:
            for block in factors.blocks(step):
                values += self._split.set_values(block)
        shares = np.empty((len(order), self._n))
        shares[order] = shapley_weights(len(order)) @ values
        for label, baseline, own in zip(labels, values[0], shares.T, strict=True):
            sign = -class_contrasts(2, int(label))[0, 0]
            yield float(sign * baseline), sign * own


@dataclass(frozen=True)
class _Split:
    """Players in two parts, those of many values and those of few.

    Attributes
    ----------
    order : ndarray of shape (p,)
        Players, those of few values first: bit i of a set is player ``order[i]``.
    n_few : int
        Players of few values.
    pattern : ndarray of shape (B,)
        Number of what a row of the sample is in the players of few values.
    n_patterns : int
        How many there are.
    """

    order: np.ndarray
    n_few: int
    pattern: np.ndarray
    n_patterns: int

    @classmethod
    def best(cls, scores: ProductScores, size: int) -> _Split:
        """Return the cheapest split."""
        order = np.argsort([len(first) for first, _ in scores.levels], kind="stable")
        splits = [cls(order, 0, np.zeros(size, dtype=int), 1)]
        for n_few, player in enumerate(order, start=1):
            first, place = scores.levels[player]
            seen, pattern = np.unique(splits[-1].pattern * len(first) + place[:size], return_inverse=True)
            splits.append(cls(order, n_few, pattern, len(seen)))
        return min(splits, key=lambda split: split.cost(0))

    def cost(self, n: int) -> float:
        """Return how many numbers are worked on per centre for the sample and n other rows."""
        n_many, w = len(self.order) - self.n_few, self.n_patterns
        return 2.0**n_many * (len(self.pattern) + n) + 2.0**self.n_few * (w + n) + 2.0 ** len(self.order) * w

    def set_values(self, factors: Factors) -> np.ndarray:
        """Return the sum over some centres for every set of players and row to explain, of shape (2^p, n)."""
        size, w = len(self.pattern), self.n_patterns
        rows = np.argsort(self.pattern, kind="stable")
        starts = np.searchsorted(self.pattern[rows], np.arange(w))
        explained = np.arange(size, len(factors.places[0]))
        many = _products(factors, self.order[self.n_few :], np.concatenate([rows, explained]))
        few = _products(factors, self.order[: self.n_few], np.concatenate([rows[starts], explained]))
        sums = np.add.reduceat(many[:, :size], starts, axis=1)
        means = np.einsum("uwc,vwc->uvc", sums, few[:, :w]) * (factors.coef[0] / size)
        # The sample has the columns that are not in the set.
        values = np.einsum("uvc,uic,vic->uvi", means, many[::-1, size:], few[::-1, w:])
        return values[::-1, ::-1].reshape(-1, len(explained))


def _products(factors: Factors, players: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return products of the factors of rows (r,) over all sets of players (q,), of shape (2^q, r, m)."""
    out = np.empty((2 ** len(players), len(rows), factors.coef.shape[1]))
    out[0] = 1
    for number, player in enumerate(players):
        size = 2**number
        np.multiply(out[:size], factors.of(player, rows), out=out[size : 2 * size])
    return out
