"""Which magnitudes can be computed with, and errors that name what is beyond them.

Sums of squares and products appear everywhere (distances, Gram matrices, curvatures), and double precision
ends at 1e308.  So entries of X, kernel values, weights and parameters are held between `SMALLEST` and
`LARGEST`, whose squares and products of two are numbers still.
"""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from kernelproba.typing import Matrix

SMALLEST, LARGEST = 1e-100, 1e100
#: Beyond these, squares of single-precision rows lose digits or overflow.
SMALLEST_SINGLE, LARGEST_SINGLE = 1e-15, 1e15
#: Logarithm of a probability of zero: finite, so that p·log p is 0, and exp of it is exactly 0.
LOG_ZERO = -1e300
#: Logarithm of the least positive number: below it a probability is 0.
LOG_LEAST = -745.0


def largest_entry(A: Matrix) -> float:
    """Return max |a| of an array or a sparse matrix, 0 if it is empty."""
    values = np.asarray(A.data if sp.issparse(A) else A)
    return float(max(values.max(initial=0.0), -values.min(initial=0.0)))


def check_entries(X: Matrix, names: Sequence[str] | None = None) -> Matrix:
    """Return rows X (n, d) whose squares can be computed with, or say which column is in the way.

    Single precision turns into double where its squares would not do.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        Finite entries.
    names : sequence of str, optional
        Names of the columns.
    """
    largest = largest_entry(X)
    if largest > LARGEST:
        raise ValueError(
            f"X has {largest:.0e} in column {_named(largest_column(X)[0], names)}, beyond ±{LARGEST:g}: "
            "sums of its squares overflow. Scale that column, or take its logarithm."
        )
    if 0 < largest < SMALLEST:
        raise ValueError(
            f"No entry of X is larger than {largest:.0e}, below {SMALLEST:g}: their squares "
            "underflow. Scale X, for instance with StandardScaler."
        )
    safe = largest == 0 or SMALLEST_SINGLE < largest < LARGEST_SINGLE
    return X if safe or X.dtype != np.float32 else X.astype(np.float64)


def largest_column(X: Matrix) -> tuple[int, float]:
    """Return the number of the column of X (n, d) with the largest |x|, and that entry's size."""
    highest = abs(X).max(axis=0)
    sizes = (highest.toarray() if sp.issparse(highest) else np.asarray(highest)).ravel()
    return int(sizes.argmax()), float(sizes.max())


def _named(column: int, names: Sequence[str] | None) -> str:
    return str(column) if names is None else f"{column} ({names[column]!r})"


def check_weights(weight: np.ndarray, name: str = "sample_weight") -> np.ndarray:
    """Return positive weights (n,) that can be computed with, or say what is wrong with them."""
    low, high = float(weight.min(initial=1.0)), float(weight.max(initial=1.0))
    if low < SMALLEST or high > LARGEST:
        raise ValueError(
            f"{name} reaches from {low:.0e} to {high:.0e}; weights must be 0 or between {SMALLEST:g} and "
            f"{LARGEST:g}: divide all by their mean, and set the least ones to 0."
        )
    return weight


def strengths(C: float, weight: np.ndarray, kernel_size: float = 1.0) -> np.ndarray:
    """Return ω = C·weight (n,) of a penalised loss, or say that its products cannot be computed with.

    Parameters
    ----------
    C : float
        Inverse strength of the penalty.
    weight : array of shape (n,)
        Weights of the rows.
    kernel_size : float, default=1.0
        Largest k(x, x), by which the curvature of the loss grows.
    """
    with np.errstate(over="ignore"):
        omega = C * weight
    low, high = float(omega.min()), float(omega.max()) * max(kernel_size, 1.0)
    if low < SMALLEST or high > LARGEST:
        raise ValueError(
            f"C times sample_weight times the largest k(x, x) reaches from {low:.0e} to {high:.0e}; between "
            f"{SMALLEST:g} and {LARGEST:g} is what can be computed with. Choose C nearer to 1, or scale the "
            "weights or X."
        )
    return omega


def log_probabilities(P: np.ndarray) -> np.ndarray:
    """Return log P, and `LOG_ZERO` instead of −∞ where P is 0."""
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(P, dtype=np.float64), LOG_ZERO)
