"""Exact Shapley values of two classes from the means that a sample has of products over sets of columns.

Log-odds that are sums of products need the sample only by the means of its products,

    v(S) = Σ_c α_c Π_{j∈S} a_jc · M_c(rest) ,      M_c(T) = 1/B Σ_b Π_{j∈T} b_jc ,

which are the same for every row that is explained.  With T = T₁ ∪ T₂, T₁ in one half of the columns and T₂
in the other, M_c is a product of two matrices for every centre c.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelproba.inspection.reasons.coalitions import BLOCK, CELLS, class_contrasts, members, shapley_weights
from kernelproba.inspection.reasons.product_scores import Factors, ProductScores


def moment_seconds(scores: ProductScores, size: int, rows: int) -> float:
    """Return about how long `moment_shares` takes for so many rows."""
    half = len(scores.players) // 2
    products = (size + rows) * (2**half + 2 ** (len(scores.players) - half)) * 1.5e-9
    return scores.n_centers * (products + 2 ** len(scores.players) * (8e-11 * size + 3e-9 * rows))


def moment_shares(scores: ProductScores, size: int, labels: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
    """Yield baseline and shares (p,) of every row after the sample.

    Parameters
    ----------
    scores : ProductScores
        Of a model of two classes; the rows are the sample, then those to explain.
    size : int
        Rows of the sample.
    labels : ndarray of shape (n,)
        Number of the class that is meant, per row to explain.
    """
    p, n = len(scores.players), len(labels)
    additive, inside = scores.additive[0], members(p)
    background = additive[:, :size].mean(axis=1)
    values = inside @ (additive[:, size:] - background[:, None]) + background.sum() + scores.intercept[0]
    step = max(1, BLOCK // (len(scores.rows) << max(0, p - p // 2)))
    for factors in scores.factors(CELLS):
        for block in factors.blocks(step):
            values += _set_values(block, size, n)
    weights = shapley_weights(p)
    for label, own in zip(labels, values.T, strict=True):
        sign = -class_contrasts(2, int(label))[0, 0]
        yield float(sign * own[0]), weights @ (sign * own)


def _set_values(factors: Factors, size: int, n: int) -> np.ndarray:
    """Return the sum over some centres for every set of players and row to explain, of shape (2^p, n)."""
    low = len(factors.values) // 2
    by_center = np.ascontiguousarray(np.moveaxis(factors.values, 2, 0))  # (m, p, R)
    halves = [_products(part, size) for part in (by_center[:, low:], by_center[:, :low])]
    means = halves[0][0] @ halves[1][0].transpose(0, 2, 1) / size
    values = np.empty((means[0].size, n))
    for i in range(n):
        high_i, low_i = (own[:, :, i] for _, own in halves)
        # The sample has the columns that are not in the set.
        rest = means[:, ::-1, ::-1] * low_i[:, None]
        rest *= (factors.coef[0][:, None] * high_i)[:, :, None]
        values[:, i] = rest.sum(axis=0).ravel()
    return values


def _products(factors: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return products over all sets of players, of the sample (m, 2^q, B) and of other rows (m, 2^q, n)."""
    m, q, r = factors.shape
    out = np.empty((m, 2**q, r))
    out[:, 0] = 1
    for number in range(q):
        np.multiply(out[:, : 2**number], factors[:, number, None], out=out[:, 2**number : 2 ** (number + 1)])
    return out[:, :, :size], out[:, :, size:]
