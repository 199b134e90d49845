"""Sets of labels from their p-values."""

import numpy as np
from numpy.typing import NDArray

#: What rounding may add to a share of rows.
ROUNDING = 1e-12


def prediction_sets(p_values: NDArray, confidence: float, P: NDArray | None = None) -> NDArray[np.bool_]:
    """Return the labels (n, c) that cannot be ruled out at a level.

    Parameters
    ----------
    p_values : array of shape (n, c)
        p-values of all labels.
    confidence : float
        1 − α: labels with p > α are kept.
    P : array of shape (n, c), optional
        Probabilities: a set that would be empty gets the label of the largest p-value, the most probable if
        there are several, which is also the first to come with a higher level.  None leaves it empty.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[0.9, 0.2, 0.01], [0.04, 0.03, 0.01]])
    >>> prediction_sets(p, 0.9).astype(int)
    array([[1, 1, 0],
           [0, 0, 0]])
    >>> prediction_sets(p, 0.9, P=np.full((2, 3), 1 / 3)).astype(int)
    array([[1, 1, 0],
           [1, 0, 0]])
    """
    sets = p_values > 1 - confidence + ROUNDING
    if P is not None:
        empty = np.flatnonzero(~sets.any(axis=1))
        p = p_values[empty]
        sets[empty, np.where(p == p.max(axis=1, keepdims=True), P[empty], -1.0).argmax(axis=1)] = True
    return sets
