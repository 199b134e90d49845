"""Exact Shapley values of several classes where few combinations of values can occur at all.

Rows that mix values of x and of a sample are cells of a grid, with an axis for the distinct values of each
column.  If most columns are flags or categories, the grid has fewer cells than there are sets of columns and
pairs of rows, and its scores are one product of matrices,

    f_l(u, w) = Σ_c  Π_{j∈J₁} k_j(u_j, c_j) · α_lc Π_{j∈J₂} k_j(w_j, c_j) ,

for the values u of some columns J₁ and w of the others, J₂.  Sets of columns only look cells up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from math import prod

import numpy as np

from kernelproba.inspection.reasons.coalitions import shapley_weights
from kernelproba.inspection.reasons.product_scores import CELLS, ProductScores


def grid_seconds(scores: ProductScores, size: int, rows: int) -> float:
    """Return about how long `grid_shares` takes for so many rows, infinity if the grid is too large."""
    k, sizes = len(scores.model.classes_) - 1, [len(first) for first, _ in scores.levels]
    looked_up = 2.0 ** len(sizes) * size * rows
    if prod(sizes) * k > CELLS or looked_up > CELLS:
        return np.inf
    return prod(sizes) * (1e-8 + k * (1e-8 + 8e-11 * scores.n_centers)) + 2e-8 * looked_up


def grid_shares(scores: ProductScores, size: int, labels: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
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
    order = np.argsort([-len(first) for first, _ in scores.levels], kind="stable")
    cells = _mixed_cells(scores, size, order)
    grid = _grid(scores, order)
    worth = np.empty((len(cells), len(labels)))
    for label in np.unique(labels):
        meant = labels == label
        odds = grid[label] - np.logaddexp.reduce(np.delete(grid, label, axis=0), axis=0)
        worth[:, meant] = np.take(odds, cells[:, meant]).mean(axis=2)
    shares = np.empty((len(order), len(labels)))
    shares[order] = shapley_weights(len(order)) @ worth
    yield from zip(worth[0].tolist(), shares.T, strict=True)


def _mixed_cells(scores: ProductScores, size: int, order: np.ndarray) -> np.ndarray:
    """Return the cells of rows that have the columns of a set from x and the others from b, (2^p, n, B).

    Bit i of a set, and axis i of the grid, is player ``order[i]``.
    """
    levels = [scores.levels[player] for player in order]
    sizes = [len(first) for first, _ in levels]
    steps = np.array([prod(sizes[i + 1 :]) * place for i, (_, place) in enumerate(levels)])
    gains = steps[:, size:, None] - steps[:, None, :size]
    cells = np.empty((2 ** len(order), *gains.shape[1:]), dtype=np.int64)
    cells[0] = steps[:, :size].sum(axis=0)
    for i, gain in enumerate(gains):
        np.add(cells[: 2**i], gain, out=cells[2**i : 2 ** (i + 1)])
    return cells


def _grid(scores: ProductScores, order: np.ndarray) -> np.ndarray:
    """Return the scores of all cells relative to those of the first class, of shape (c, cells)."""
    levels = [scores.levels[player] for player in order]
    sizes = [len(first) for first, _ in levels]
    # Of the two parts of the columns the larger should be small.
    cut = min(range(1, len(sizes) + 1), key=lambda j: prod(sizes[:j]) + prod(sizes[j:]))
    relative = scores.additive[1:] - scores.additive[0]
    slopes = [relative[:, player, first] for player, (first, _) in zip(order, levels, strict=True)]
    constant = (scores.intercept[1:] - scores.intercept[0])[:, None, None]
    grid = _sums(slopes[:cut])[:, :, None] + _sums(slopes[cut:])[:, None, :] + constant
    for factors in scores.factors:
        coef = factors.coef[1:] - factors.coef[0]
        tables = [factors.tables[player] for player in order]
        first, others = _products(tables[:cut]), _products(tables[cut:])
        for own, alpha in zip(grid, coef, strict=True):
            own += (first * alpha) @ others.T
    return np.concatenate([np.zeros((1, grid[0].size)), grid.reshape(len(grid), -1)])


def _products(tables: Sequence[np.ndarray]) -> np.ndarray:
    """Return the products of one row of each table (v, m), for all combinations, of shape (Πv, m)."""
    if not tables:
        return np.ones((1, 1))
    return reduce(lambda done, each: (done[:, None] * each).reshape(-1, each.shape[1]), tables)


def _sums(slopes: Sequence[np.ndarray]) -> np.ndarray:
    """Return the sums of one column of each array (k, v), for all combinations, of shape (k, Πv)."""
    if not slopes:
        return np.zeros((1, 1))
    return reduce(lambda done, each: (done[:, :, None] + each[:, None]).reshape(len(each), -1), slopes)
