"""Exact Shapley values of kernel machines of two classes, whatever the number of columns.

The log-odds of two classes are a sum over centres, and RBF and Laplacian kernels are products over columns:

    f(x_S, b_rest) = Σ_c α_c Π_{j∈S} a_j Π_{j∉S} b_j ,     a_j = k_j(x_j, c_j),  b_j = k_j(b_j, c_j) .

In a random order a column's predecessors are those that arrive before it, at a time t that is uniform on
[0, 1]; at t each other column has joined with probability t.  So the share of column j in one product is

    φ_j = ∫₀¹ (a_j − b_j) Π_{i≠j} (t a_i + (1 − t) b_i) dt ,

the integral of a polynomial of degree d − 1, which ⌈d/2⌉ points of Gauss and Legendre's rule give exactly
[Owen 1972; Mohammadi et al. 2025].  Few points suffice: the shares must add up, and points are added until
they do.  In a linear kernel φ_j is the slope times the distance from b_j.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelproba.inspection.reasons.coalitions import BLOCK, class_contrasts
from kernelproba.inspection.reasons.product_scores import Factors, ProductScores

#: How far shares may be from adding up, relative to the log-odds.
_TOL = 1e-9

_TINY = np.finfo(float).tiny


def integral_seconds(scores: ProductScores, size: int, rows: int) -> float:
    """Return about how long `integral_shares` takes for so many rows."""
    return 7.5e-9 * scores.n_centers * size * rows * len(scores.players)


def integral_shares(
    scores: ProductScores, size: int, labels: np.ndarray
) -> Iterator[tuple[float, np.ndarray]]:
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
    baseline, shares = score_shares(scores, size)
    for label, own in zip(labels, shares[0], strict=True):
        sign = -class_contrasts(2, int(label))[0, 0]
        yield float(sign * baseline[0]), sign * own


def score_shares(scores: ProductScores, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean scores (k,) of the sample, and the shares (k, n, p) that players have in each score."""
    means = scores.additive[:, :, :size].mean(axis=2)
    baseline = means.sum(axis=1) + scores.intercept
    shares = (scores.additive[:, :, size:] - means[:, :, None]).swapaxes(1, 2)
    step = max(1, BLOCK // (size * len(scores.players)))
    for factors in scores.factors:
        positive = factors.at_least(_TINY)  # by which we may divide
        baseline, shares = (
            baseline + _means(positive, size),
            shares + _checked_integrals(positive, size, step),
        )
    return baseline, shares


def _means(factors: Factors, size: int) -> np.ndarray:
    """Return the mean sums over centres of the sample, (k,)."""
    return factors.coef @ factors.values[:, :size].prod(axis=0).mean(axis=0)


def _checked_integrals(factors: Factors, size: int, step: int) -> np.ndarray:
    """Return Σ_c α_c mean_b φ_j, (k, n, p), by as many points as make them add up."""
    # What some centres need for one row all need for all rows, but for a few: ask them first.
    pilot = next(factors.blocks(step)).rows(size + 1)
    sizes = list(_rule_sizes(len(factors.tables)))
    for points in sizes:
        if points < sizes[-1] and not _add_up(_integrals(pilot, size, points), pilot, size):
            continue
        shares = np.sum([_integrals(block, size, points) for block in factors.blocks(step)], axis=0)
        if _add_up(shares, factors, size):
            break
    return shares


def _add_up(shares: np.ndarray, factors: Factors, size: int) -> bool:
    """Whether shares (k, n, p) add up to what rows have and the sample, on the average, has not."""
    products = factors.coef @ factors.values[:, size:].prod(axis=0).T
    expected = products - _means(factors, size)[:, None]
    return bool((abs(shares.sum(axis=2) - expected) <= _TOL * (1 + abs(expected))).all())


def _integrals(factors: Factors, size: int, points: int) -> np.ndarray:
    """Return Σ_c α_c mean_b φ_j by a rule of so many points, (k, n, p)."""
    times, weights = np.polynomial.legendre.leggauss(points)
    start = np.ascontiguousarray(factors.values[:, :size])
    total = np.zeros((len(factors.coef), factors.values.shape[1] - size, len(start)))
    for i in range(total.shape[1]):
        gain = factors.values[:, size + i, None] - start
        for time, weight in zip(times, weights, strict=True):
            mixed = (1 + time) / 2 * gain
            mixed += start
            products = mixed.prod(axis=0) * (weight / 2 * factors.coef[:, None])
            shares = np.divide(gain, mixed, out=mixed).reshape(len(mixed), -1)
            total[:, i] += products.reshape(len(products), -1) @ shares.T
    return total / size


def _exact_size(p: int) -> int:
    """Return the number of points that is exact for products of p factors."""
    return max(1, -(-p // 2))


def _rule_sizes(p: int) -> Iterator[int]:
    """Yield numbers of points, up to the one that is exact for products of p factors."""
    exact, size = _exact_size(p), 3
    while size < exact:
        yield size
        size += max(1, size // 3)
    yield exact
