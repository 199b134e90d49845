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
        Probabilities; the most probable label fills a set that would be empty.  None leaves it empty.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[0.9, 0.2, 0.01], [0.04, 0.03, 0.01]])
    >>> prediction_sets(p, 0.9).astype(int)
    array([[1, 1, 0],
           [0, 0, 0]])
    >>> prediction_sets(p, 0.9, P=p).astype(int)
    array([[1, 1, 0],
           [1, 0, 0]])
    """
    sets = p_values > 1 - confidence + ROUNDING
    if P is not None:
        empty = np.flatnonzero(~sets.any(axis=1))
        sets[empty, P[empty].argmax(axis=1)] = True
    return sets
