"""Folds that depend on what rows hold, not on where they stand.

Identical rows of a class share a fold, so that no fold is tested on rows it was trained on, the order of
the rows does not matter, and a weight of two is a row seen twice.
"""

from typing import Any

import numpy as np

from kernelproba.rows.row_hash import row_keys


def content_folds(X: Any, y: np.ndarray, n_folds: int) -> np.ndarray:
    """Return the fold (n,) of each row; every fold has its share of the distinct rows of every class.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        Rows.
    y : array of shape (n,)
        Class indices.
    n_folds : int
        Number of folds.
    """
    keys, folds, start = row_keys(X, y), np.empty(len(y), dtype=np.intp), 0
    for label in np.unique(y):
        members = y == label
        distinct, which = np.unique(keys[members], return_inverse=True)
        folds[members] = (start + which) % n_folds
        start += len(distinct)  # classes take turns at the larger folds
    return folds


def training_rows(folds: np.ndarray, fold: int, y: np.ndarray) -> np.ndarray:
    """Return the numbers of the rows outside a fold, and of all rows of a class that is nowhere else."""
    outside = folds != fold
    return np.flatnonzero(outside | ~np.isin(y, y[outside]))
