"""Pairs of classes, and arrays of their probabilities: two shapes, checks, and a walk over them in blocks.

The probabilities r_ij = P(class i | class i or j) of n rows and c classes come as

* a *square* array (n, c, c), whose diagonal is ignored, or
* a *condensed* array (n, c(c−1)/2) of the pairs i < j alone, in the order (0, 1), (0, 2), …, (1, 2), …
  of ``itertools.combinations(range(c), 2)``: half the memory, since r_ji = 1 − r_ij.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import isqrt

import numpy as np

# Doubles per (block, c, c) array: 1 MB each, so that the handful a method works on stays in cache
# while the calls into numpy are still few.
BLOCK_SIZE = 2**17
# Weights of pairs below this share of the largest leave systems singular and move no probability.
LEAST_PAIR_WEIGHT = 1e-10


@cache
def class_pairs(c: int) -> np.ndarray:
    """Return the pairs i < j of c classes, (c(c−1)/2, 2), in the order of ``itertools.combinations``."""
    return _kept(np.array(list(combinations(range(c), 2)), dtype=np.intp).reshape(-1, 2))


def check_pairs(R) -> np.ndarray:
    """Return R as a real array of either layout; its values are checked block by block, later."""
    R = np.asarray(R)
    if R.dtype.kind not in "fiub":
        raise ValueError(f"R must hold real numbers, got dtype {R.dtype}: convert it with R.astype(float).")
    square = R.ndim == 3 and R.shape[1] == R.shape[2] >= 2
    condensed = R.ndim == 2 and R.shape[1] >= 1 and n_classes(R) * (n_classes(R) - 1) == 2 * R.shape[1]
    if not (square or condensed):
        raise ValueError(
            "R must have shape (n_rows, n_classes, n_classes), or (n_rows, n_classes * (n_classes - 1) / 2) "
            f"with the pairs i < j alone, for at least 2 classes; got shape {R.shape}. "
            "A single c × c matrix needs a leading axis: R[np.newaxis]."
        )
    return R


def n_classes(R: np.ndarray) -> int:
    """Return c for an array of either layout: the root of c(c−1)/2 = m when it is condensed."""
    return R.shape[1] if R.ndim == 3 else (1 + isqrt(1 + 8 * R.shape[1])) // 2


def check_pair_weights(pair_weights, c: int) -> np.ndarray:
    """Return the weights n_ij as a symmetric (c, c) array of mean 1 off a zero diagonal.

    Only the ratios of the weights move the optimum.  A mean of 1 leaves the residual of the score
    equations, and hence its tolerance, with the same meaning in every unit of the weights.
    """
    off_diagonal = ~np.eye(c, dtype=bool)
    if pair_weights is None:
        return off_diagonal.astype(float)
    weights = np.array(pair_weights, dtype=float)
    if weights.shape != (c, c):
        raise ValueError(f"pair_weights must have shape ({c}, {c}), one row per class; got {weights.shape}.")
    weights[~off_diagonal] = 0.0
    if not np.isfinite(weights).all() or (weights[off_diagonal] <= 0).any():
        raise ValueError(
            "pair_weights must be positive and finite off the diagonal; give n_i + n_j, or None."
        )
    if not np.allclose(weights, weights.T):
        raise ValueError("pair_weights must be symmetric (n_ij = n_ji); give (W + W.T) / 2.")
    weights = np.maximum(weights / weights.max(), LEAST_PAIR_WEIGHT) * off_diagonal
    return weights / weights[off_diagonal].mean()


def pair_probabilities(F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return r_ij and r_ji (n, m) of pairs i < j from their log-odds F (n, m), each to its own last digit."""
    smaller = np.exp(-np.abs(F))
    larger = 1.0 / (1.0 + smaller)
    smaller *= larger
    wins = F >= 0
    return np.where(wins, larger, smaller), np.where(wins, smaller, larger)


def ties_and_leads(F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return r_ij r_ji and r_ij − r_ji (n, m) of pairs i < j from their log-odds F (n, m)."""
    ties = np.exp(-np.abs(F))
    larger = 1.0 / (1.0 + ties)
    ties *= larger
    ties *= larger
    return ties, np.copysign(2.0 * larger - 1.0, F)


def square_from_log_odds(F: np.ndarray) -> np.ndarray:
    """Return r_ij (n, c, c), with ½ on the diagonal, from the log-odds F (n, c(c−1)/2) of pairs."""
    c, m = n_classes(F), F.shape[1]
    parts = np.full((len(F), 2 * m + 1), 0.5)
    parts[:, :m], parts[:, m:-1] = pair_probabilities(F)
    return parts.take(_places_in_square(c), axis=1).reshape(-1, c, c)


def symmetric_square(V: np.ndarray, diagonal: float) -> np.ndarray:
    """Return (n, c, c) with the values V (n, c(c−1)/2) of the pairs i < j on both sides of the diagonal."""
    c, m = n_classes(V), V.shape[1]
    parts = np.empty((len(V), m + 1))
    parts[:, :m], parts[:, m] = V, diagonal
    return parts.take(_places_in_symmetric_square(c), axis=1).reshape(-1, c, c)


@cache
def pair_ends(c: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two matrices (c(c−1)/2, c) that say which is the first class of a pair, and which the second."""
    first, second = _kept(np.eye(c)[class_pairs(c).T])
    return first, second


@cache
def _places_in_square(c: int) -> np.ndarray:
    """Where each entry (c²,) of a square stands among the pairs i < j, these reversed, and the diagonal."""
    (i, j), m = class_pairs(c).T, c * (c - 1) // 2
    places = np.full((c, c), 2 * m)
    places[i, j], places[j, i] = np.arange(m), m + np.arange(m)
    return _kept(places.ravel())


@cache
def _places_in_symmetric_square(c: int) -> np.ndarray:
    """Where each entry (c²,) of a symmetric square stands among the pairs i < j and the diagonal."""
    places, m = _places_in_square(c), c * (c - 1) // 2
    return _kept(np.where(places < 2 * m, places % m, m))


def _kept(shared: np.ndarray) -> np.ndarray:
    """Return an array that all callers share, and none may write to."""
    shared.setflags(write=False)
    return shared


def square_blocks(R: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Walk R as checked float64 blocks (b, c, c) with diagonal ½, so that memory does not grow with n."""
    checked = _square_from_square if R.ndim == 3 else _square_from_condensed
    for rows in square_slices(len(R), n_classes(R)):
        yield rows, checked(R[rows], rows.start)


def square_slices(n: int, c: int) -> Iterator[slice]:
    """Walk n rows in blocks whose squares (b, c, c) stay in cache."""
    length = max(1, BLOCK_SIZE // c**2)
    return (slice(start, min(start + length, n)) for start in range(0, n, length))


def _square_from_square(part: np.ndarray, start: int) -> np.ndarray:
    block = part.astype(np.float64)
    diagonal = np.arange(block.shape[1])
    block[:, diagonal, diagonal] = 0.5
    _check_range(block, start)
    # float32 probabilities cannot add to 1 more closely than their own rounding.
    tolerance = np.sqrt(np.finfo(part.dtype if part.dtype.kind == "f" else float).eps)
    gap = np.abs(block + block.transpose(0, 2, 1) - 1.0)
    if gap.max(initial=0.0) > tolerance:
        row, i, j = np.unravel_index(gap.argmax(), gap.shape)
        raise ValueError(
            f"R must satisfy r_ij + r_ji = 1, but row {start + row} has r[{i}, {j}] + r[{j}, {i}] = "
            f"{block[row, i, j] + block[row, j, i]:g}; normalise with R / (R + R.transpose(0, 2, 1)), "
            "or pass the pairs i < j alone in condensed form."
        )
    return block


def _square_from_condensed(part: np.ndarray, start: int) -> np.ndarray:
    part = part.astype(np.float64)
    _check_range(part, start)
    c = n_classes(part)
    i, j = class_pairs(c).T
    block = np.full((len(part), c, c), 0.5)
    block[:, i, j] = part
    block[:, j, i] = 1.0 - part
    return block


def _check_range(block: np.ndarray, start: int) -> None:
    # Written so that a NaN, which compares false with everything, fails too.
    if block.min(initial=1.0) >= 0.0 and block.max(initial=0.0) <= 1.0:
        return
    row = start + int(np.argwhere(~((block >= 0.0) & (block <= 1.0)))[0, 0])
    if np.isnan(block).any():
        raise ValueError(f"R contains NaN (row {row} is affected); drop or impute those rows first.")
    raise ValueError(
        f"R must lie in [0, 1] off its diagonal, but row {row} does not: pass probabilities, not scores."
    )
