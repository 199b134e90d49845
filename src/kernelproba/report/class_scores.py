"""Class by class: how many rows of it are found, how many called so are of it, how well they are ranked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from kernelproba.plain_text import name
from kernelproba.report.summary_types import ClassScores

#: Points of a curve, at most: more cannot be seen.
_POINTS = 120


def class_scores(codes: NDArray, P: NDArray, classes: NDArray) -> list[ClassScores]:
    """Return ``name``, ``rows``, ``predicted``, ``recall``, ``precision`` and ``auc`` of every class.

    A class without rows has no recall, one that is never predicted no precision, and one that has all rows or
    none no area under the curve: None.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Class numbers of the rows.
    P : ndarray of shape (n, c)
        Probabilities.
    classes : ndarray of shape (c,)
        Labels.
    """
    predicted = P.argmax(axis=1)
    rows, named = (np.bincount(each, minlength=len(classes)) for each in (codes, predicted))
    hits = np.bincount(codes[codes == predicted], minlength=len(classes))
    return [
        {
            "name": name(label),
            "rows": int(rows[k]),
            "predicted": int(named[k]),
            "recall": float(hits[k] / rows[k]) if rows[k] else None,
            "precision": float(hits[k] / named[k]) if named[k] else None,
            "auc": area_under_curve(codes == k, P[:, k]),
        }
        for k, label in enumerate(classes)
    ]


def area_under_curve(is_class: NDArray, probability: NDArray) -> float | None:
    """Return how often a row of the class has a larger probability of it than one of another class.

    Parameters
    ----------
    is_class : ndarray of bool of shape (n,)
        Which rows are of the class.
    probability : ndarray of shape (n,)
        What the model says of that; equal ones count half.
    """
    inside = int(is_class.sum())
    outside = len(is_class) - inside
    if not inside or not outside:
        return None
    ranks = rankdata(probability)
    return float((ranks[is_class].sum() - inside * (inside + 1) / 2) / (inside * outside))


def threshold_curve(is_class: NDArray, probability: NDArray) -> dict[str, list[float]]:
    """Return what every threshold on the probability of a class gives, from the strictest down.

    Parameters
    ----------
    is_class : ndarray of bool of shape (n,)
        Which rows are of the class.
    probability : ndarray of shape (n,)
        What the model says of that.

    Returns
    -------
    dict
        ``threshold``, ``recall``, ``false_alarms`` (share of the other rows) and ``precision``, of at most
        120 thresholds spread evenly over the rows.
    """
    order = np.argsort(-probability, kind="stable")
    sorted_probability, found = probability[order], np.cumsum(is_class[order])
    last = np.append(np.flatnonzero(np.diff(sorted_probability)), len(order) - 1)  # of equal probabilities
    if len(last) > _POINTS:
        last = np.unique(last[np.linspace(0, len(last) - 1, _POINTS).round().astype(int)])
    called = last + 1
    inside, outside = max(int(is_class.sum()), 1), max(int((~is_class).sum()), 1)
    return {
        "threshold": sorted_probability[last].astype(float).tolist(),
        "recall": (found[last] / inside).tolist(),
        "false_alarms": ((called - found[last]) / outside).tolist(),
        "precision": (found[last] / called).tolist(),
    }
