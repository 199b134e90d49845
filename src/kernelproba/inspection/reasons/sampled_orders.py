"""Shapley values of several classes and many columns, from orders in which columns join, some at a time.

Rows b of the sample turn into x along an order π of the columns and along its reverse (antithetic: where a
column joins late in one it joins early in the other, so that what two columns do together is shared
exactly).  After t columns the scores are

    f_l = Σ_c  Π_{s>t} b_{π(s)} · [α_lc Π_{s≤t} a_{π(s)}] ,

one product of matrices for all rows that are explained.  Few rows of the sample share an order, and orders
are drawn one by one: orders that are shifts of each other err alike.  All is done several times over; the
spread tells the error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from kernelproba.inspection.reasons.coalitions import class_contrasts, log_odds_of
from kernelproba.inspection.reasons.product_scores import CELLS, Factors, ProductScores

#: How often the sample is turned into the rows explained.
_PASSES = 6

#: Rows of the sample that share an order: fewer err less and cost more, five the least for the same error.
_TOGETHER = 5


class OrderedJoining:
    """The sample turning into the rows explained along orders of players.

    Parameters
    ----------
    scores : ProductScores
        Of the sample, then of the rows to explain.
    size : int
        B, rows of the sample.
    labels : ndarray of shape (n,)
        Number of the class that is meant, per row to explain.
    """

    def __init__(self, scores: ProductScores, size: int, labels: np.ndarray):
        self._scores, self._size = scores, size
        c = len(scores.model.classes_)
        self._contrasts = np.array([class_contrasts(c, int(label)) for label in labels])
        self._parts = np.array_split(np.arange(size), max(1, size // _TOGETHER))
        few = scores.n_centers * len(scores.rows) * len(scores.players) <= CELLS
        self._kept = list(self._made_blocks()) if few else None

    def solved(self, rng: np.random.RandomState) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
        """Yield baseline, shares (p,) and their standard errors of every row."""
        runs, baselines = zip(*(self._once(rng) for _ in range(_PASSES)), strict=True)
        errors = np.std(runs, axis=0, ddof=1) / np.sqrt(_PASSES)
        yield from zip(baselines[0].tolist(), np.mean(runs, axis=0), errors, strict=True)

    def _blocks(self) -> Iterable[Factors]:
        """Return the factors, as many centres at a time as are worked on at once."""
        return self._made_blocks() if self._kept is None else self._kept

    def _made_blocks(self) -> Iterator[Factors]:
        p = len(self._scores.players)
        step = CELLS // (4 * (p + 1) * (len(self._parts[0]) + self._contrasts[..., 0].size))
        for factors in self._scores.factors:
            yield from factors.blocks(max(1, step))

    def _once(self, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean gains (n, p) over the sample, and the mean log-odds before it, (n,)."""
        p = len(self._scores.players)
        orders = [rng.permutation(p) for _ in self._parts]
        both = [(order, order[::-1]) for order in orders]
        joined = [(rows, way) for rows, ways in zip(self._parts, both, strict=True) for way in ways]
        scores = [self._additive(rows, order) for rows, order in joined]
        for block in self._blocks():
            coef = np.tensordot(self._contrasts, block.coef, axes=1)
            for (rows, order), total in zip(joined, scores, strict=True):
                total += self._products(block, coef, rows, order)
        gains, baseline = np.zeros((len(self._contrasts), p)), np.zeros(len(self._contrasts))
        for (_, order), total in zip(joined, scores, strict=True):
            worth = log_odds_of(total, axis=3).sum(axis=1)  # (p + 1, n), of the rows of the sample together
            gains[:, order] += np.diff(worth, axis=0).T
            baseline += worth[0]
        return gains / (2 * self._size), baseline / (2 * self._size)

    def _products(
        self, factors: Factors, coef: np.ndarray, rows: np.ndarray, order: np.ndarray
    ) -> np.ndarray:
        """Return the sum over some centres after 0, …, p columns, of shape (p + 1, r, n, k)."""
        n, k, m = coef.shape
        p = len(order)
        before, later = np.empty((p + 1, n, k, m)), np.empty((p + 1, len(rows), m))
        before[0], later[p] = coef, 1
        for t, player in enumerate(order):
            np.multiply(before[t], factors.values[player, self._size :, None], out=before[t + 1])
        for t in range(p - 1, -1, -1):
            np.multiply(later[t + 1], factors.values[order[t], rows], out=later[t])
        weighed = before.reshape(p + 1, n * k, m)
        return (later @ weighed.transpose(0, 2, 1)).reshape(p + 1, len(rows), n, k)

    def _additive(self, rows: np.ndarray, order: np.ndarray) -> np.ndarray:
        """Return intercepts and what linear members say after 0, …, p columns, of shape (p + 1, r, n, k)."""
        additive = self._scores.additive[:, order]
        own, theirs = additive[:, :, self._size :], additive[:, :, rows]
        start = theirs.sum(axis=1) + self._scores.intercept[:, None]  # (k, r)
        gains = own[:, :, None, :] - theirs[:, :, :, None]  # (k, p, r, n)
        after = np.concatenate([np.zeros_like(gains[:, :1]), np.cumsum(gains, axis=1)], axis=1)
        return np.einsum("nlk,kprn->prnl", self._contrasts, after + start[:, None, :, None])
