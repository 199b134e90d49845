"""Exact Shapley values of several classes, every set of columns valued for all rows at once.

The scores of rows that take the columns S from x and the others from b are

    f_l(S; x, b) = Σ_c  [α_lc Π_{j∈S} a_jc] · [Π_{j∉S} b_jc] ,

where the first bracket knows nothing of b and the second nothing of x: one product of matrices per set has
the scores of all pairs (x, b).  A set shares its brackets with its neighbours, so that one multiplication
per number makes the next bracket.  Scores are taken relative to those of the first class.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelproba.inspection.reasons.coalitions import BLOCK, members, shapley_weights
from kernelproba.inspection.reasons.product_scores import Factors, ProductScores


def shared_seconds(scores: ProductScores, size: int, rows: int) -> float:
    """Return about how long `shared_shares` takes for so many rows."""
    pairs = rows * (len(scores.model.classes_) - 1)
    numbers = scores.n_centers * (6e-11 * pairs * size + 6e-10 * (pairs + size))
    return 2.0 ** len(scores.players) * (1e-5 + 2e-8 * pairs * size + numbers)


def shared_shares(scores: ProductScores, size: int, labels: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
    """Yield baseline and shares (p,) of every row after the sample.

    Parameters
    ----------
    scores : ProductScores
        Of a model of three classes or more; the rows are the sample, then those to explain.
    size : int
        Rows of the sample.
    labels : ndarray of shape (n,)
        Number of the class that is meant, per row to explain.
    """
    values = _additive(scores, size)
    for factors in scores.factors:
        _add_products(values, factors, size)
    worth = np.empty((len(values), len(labels)))
    step = max(1, BLOCK // values[0].size)
    for first in range(0, len(values), step):
        block = slice(first, first + step)
        worth[block] = _mean_log_odds(values[block], labels)
    shares = shapley_weights(len(scores.players)) @ worth
    yield from zip(worth[0].tolist(), shares.T, strict=True)


def _additive(scores: ProductScores, size: int) -> np.ndarray:
    """Return intercepts and linear members' scores of all sets, of shape (2^p, c − 1, n, B)."""
    relative = scores.additive[1:] - scores.additive[0]  # (k, p, R)
    inside = members(len(scores.players))
    theirs = np.moveaxis((1 - inside) @ relative[:, :, :size], 1, 0)
    own = np.moveaxis(inside @ relative[:, :, size:], 1, 0)
    intercept = scores.intercept[1:] - scores.intercept[0]
    return own[..., None] + theirs[:, :, None] + intercept[:, None, None]


def _add_products(values: np.ndarray, factors: Factors, size: int) -> None:
    """Add some centres to the scores of all sets (2^p, c − 1, n, B)."""
    coef = factors.coef[1:] - factors.coef[0]
    m, n = coef.shape[1], values.shape[2]
    start = np.repeat(coef[:, None], n, axis=1)
    for number, own, theirs in _brackets(factors.values, size, start):
        values[number] += (own.reshape(-1, m) @ theirs.T).reshape(values[number].shape)


def _brackets(
    factors: np.ndarray, size: int, start: np.ndarray
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Yield every set of players by its number, with its brackets of shapes (c − 1, n, m) and (B, m).

    Both are overwritten when the next set is asked for.
    """
    p = len(factors)
    own, theirs = np.empty((p + 1, *start.shape)), np.empty((p + 1, size, factors.shape[2]))
    own[0], theirs[0] = start, 1

    def following(player: int, number: int, a: int, b: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        if player == p:
            yield number, own[a], theirs[b]
            return
        np.multiply(theirs[b], factors[player, :size], out=theirs[b + 1])
        yield from following(player + 1, number, a, b + 1)
        np.multiply(own[a], factors[player, size:], out=own[a + 1])
        yield from following(player + 1, number | 1 << player, a + 1, b)

    return following(0, 0, 0, 0)


def _mean_log_odds(relative: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return means over the sample of log p_k / (1 − p_k), (s, n), from scores (s, c − 1, n, B)."""
    top = np.maximum(relative.max(axis=1, keepdims=True), 0)
    scores = np.concatenate([-top, relative - top], axis=1)
    rows = np.arange(len(labels))
    meant = scores[:, labels, rows]
    # Of the class that is meant nothing is left among the others.
    scores[:, labels, rows] = -np.inf
    others = scores.max(axis=1)
    return (meant - others - np.log(np.exp(scores - others[:, None]).sum(axis=1))).mean(axis=2)
