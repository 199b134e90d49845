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

    See Also
    --------
    resolve_gamma : Widths by rule.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.kernels import median_distance
    >>> median_distance(np.array([[0.0], [1.0], [3.0]]))
    2.0
    """
    if X.shape[0] > max_rows:
        X = X[check_random_state(random_state).choice(X.shape[0], max_rows, replace=False)]
    X = check_rows(X)
    D = np.empty((X.shape[0],) * 2, dtype=X.dtype)
    squared_euclidean(X)(X, D)
    distances = np.sqrt(D[np.triu_indices_from(D, k=1)], dtype=np.float64)
    distances = np.minimum(distances, np.finfo(float).max)
    apart = distances[distances > 0]
    if len(apart) == 0:
        return 1.0
    return float(np.median(distances) or apart.mean())


def resolve_gamma(gamma, X, random_state=None, sample_weight=None) -> float:
    """Return the number that `gamma` stands for on X (n, d).

    ``"scale"`` is 1/(d Var X), ``"auto"`` is 1/d, both as in SVC; ``"median"`` is
    1/(2 μ²), μ the median distance; a positive number stands for itself.  The variance
    counts rows by their weights, so that a weight of two is a row seen twice.

    See Also
    --------
    resolve_kernel : A kernel with that width.
    median_distance : Behind the rule "median".

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.kernels import resolve_gamma
    >>> X = np.array([[0.0, 0.0], [2.0, 2.0]])
    >>> resolve_gamma("scale", X), resolve_gamma("auto", X), resolve_gamma(0.1, X)
    (0.5, 0.5, 0.1)
    """
    if isinstance(gamma, str) and gamma in GAMMA_RULES:
        if gamma == "auto":
            return 1 / X.shape[1]
        if gamma == "scale":
            return scale_gamma(X.shape[1], _variance(X, sample_weight))
        return _reciprocal(2 * median_distance(X, random_state) ** 2)
    if is_positive(gamma):
        return float(gamma)
    rules = ", ".join(map(repr, GAMMA_RULES))
    raise ValueError(f"gamma must be one of {rules} or a positive number, got {gamma!r}")


def scale_gamma(n_features: int, variance: float) -> float:
    """Return 1/(d Var X) to ten digits.

    Sums in another order, of blocks and files, have other last digits; where centres are nearly dependent
    these decide which of their directions count, and probabilities would differ by 1e-5.

    Parameters
    ----------
    n_features : int
        d.
    variance : float
        Of all entries.
    """
    return float(f"{_reciprocal(n_features * variance):.10g}")


def _variance(X, sample_weight=None) -> float:
    """Variance of all entries, zeros of a sparse X included, rows counted by their weights."""
    if sample_weight is None and not sp.issparse(X):
        return float(np.var(X, dtype=np.float64))
    n, d = X.shape
    share = np.full(n, 1 / n) if sample_weight is None else sample_weight / sample_weight.sum()
    share = share / d
    if not sp.issparse(X):
        return float((share @ np.square(X - (share @ X).sum())).sum())
    # Entries that are not stored are zeros, (0 − mean)² each.
    of_entry = np.repeat(share, np.diff(X.indptr))
    values = X.data.astype(np.float64)
    mean = of_entry @ values
    return float(of_entry @ np.square(values - mean) + max(1 - of_entry.sum(), 0.0) * mean**2)


def _reciprocal(value: float) -> float:
    """Return 1/value, or 1 where that is no usable width (constant X)."""
    return 1 / value if np.finfo(float).tiny < value < np.inf else 1.0
