"""What acting on a probability costs, for every ratio of the costs of a false alarm and of a miss."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Ratios from 0 to 1 at which costs are told.
_RATIOS = 51


def cost_curve(is_class: NDArray, probability: NDArray) -> dict[str, list[float]]:
    """Return the mean cost of a row if one acts on probabilities above the ratio of the costs.

    A false alarm costs r and a miss 1 − r.  With probabilities that are right, r is the best threshold.

    Parameters
    ----------
    is_class : ndarray of bool of shape (n,)
        Which rows are of the class.
    probability : ndarray of shape (n,)
        What the model says of that.

    Returns
    -------
    dict
        ``ratio`` r; ``cost`` of acting where the probability exceeds r; ``ignorant``, the cost of always or
        never acting, whichever is less.

    Examples
    --------
    >>> curve = cost_curve(np.array([True, False]), np.array([0.9, 0.2]))
    >>> curve["ratio"][25], curve["cost"][25], curve["ignorant"][25]
    (0.5, 0.0, 0.25)
    """
    ratio = np.linspace(0, 1, _RATIOS)
    share, size = float(is_class.mean()), len(is_class)
    inside, outside = np.sort(probability[is_class]), np.sort(probability[~is_class])
    missed = np.searchsorted(inside, ratio, side="right") / size
    false_alarms = (len(outside) - np.searchsorted(outside, ratio, side="right")) / size
    return {
        "ratio": ratio.tolist(),
        "cost": (ratio * false_alarms + (1 - ratio) * missed).tolist(),
        "ignorant": np.minimum(ratio * (1 - share), (1 - ratio) * share).tolist(),
    }
