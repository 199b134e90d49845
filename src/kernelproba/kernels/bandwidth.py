"""Rules for the width of a kernel when the user gives none."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from kernelproba.kernels.distances import squared_euclidean
from kernelproba.kernels.operands import check_rows, is_positive

GAMMA_RULES = ("scale", "auto", "median")


def median_distance(X, random_state=None, *, max_rows=1000) -> float:
    """Return the median Euclidean distance between two different rows of X (n, d).

    At most `max_rows` rows, drawn at random, are compared.  If more than half of
    the pairs coincide, the mean of the non-zero distances is returned, and 1.0
    if there are none.
    """
    if X.shape[0] > max_rows:
        X = X[check_random_state(random_state).choice(X.shape[0], max_rows, replace=False)]
    X = check_rows(X)
    D = np.empty((X.shape[0],) * 2, dtype=X.dtype)
    squared_euclidean(X)(X, D)
    distances = np.sqrt(D[np.triu_indices_from(D, k=1)], dtype=np.float64)
    apart = distances[distances > 0]
    if len(apart) == 0:
        return 1.0
    return float(np.median(distances) or apart.mean())


def resolve_gamma(gamma, X, random_state=None, sample_weight=None) -> float:
    """Return the number that `gamma` stands for on X (n, d).

    ``"scale"`` is 1/(d Var X), ``"auto"`` is 1/d, both as in SVC; ``"median"`` is
    1/(2 μ²), μ the median distance; a positive number stands for itself.  The variance
    counts rows by their weights, so that a weight of two is a row seen twice.
    """
    if isinstance(gamma, str) and gamma in GAMMA_RULES:
        if gamma == "auto":
            return 1 / X.shape[1]
        if gamma == "scale":
            return _reciprocal(X.shape[1] * _variance(X, sample_weight))
        return _reciprocal(2 * median_distance(X, random_state) ** 2)
    if is_positive(gamma):
        return float(gamma)
    rules = ", ".join(map(repr, GAMMA_RULES))
    raise ValueError(f"gamma must be one of {rules} or a positive number, got {gamma!r}")


def _variance(X, sample_weight=None) -> float:
    """Variance of all entries, zeros of a sparse X included, rows counted by their weights."""
    squares = X.multiply(X) if sp.issparse(X) else None
    if sample_weight is None and squares is None:
        return float(np.var(X, dtype=np.float64))
    weight = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    count = weight.sum() * X.shape[1]
    mean = (weight @ X).sum() / count
    if squares is not None:
        return float((weight @ squares).sum() / count - mean**2)
    return float((weight @ np.square(X - mean)).sum() / count)


def _reciprocal(value: float) -> float:
    """Return 1/value, or 1 where that is no usable width (constant X)."""
    return 1 / value if np.finfo(float).tiny < value < np.inf else 1.0
