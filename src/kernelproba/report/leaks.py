"""Columns that tell the target by themselves, as one that was made from it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from kernelproba.tables import TableEncoder, TableError
from kernelproba.typing import Matrix, MatrixLike

if TYPE_CHECKING:
    import pandas as pd

#: Rows that are looked at.
_ROWS = 2_000

#: Of the cross-validation.
_FOLDS = 3

#: A column is suspect if a tree of this column alone makes at most this share of the mistakes of guessing.
_SHARE = 0.02


def leaking_columns(X: MatrixLike, y: ArrayLike, encoder: TableEncoder | None = None) -> list[str]:
    """Return the names of columns that tell the labels almost by themselves.

    Parameters
    ----------
    X : DataFrame of shape (n, d)
        Rows.
    y : array-like of shape (n,)
        Labels.
    encoder : TableEncoder, optional
        Fitted to rows such as these.
    """
    labels = np.asarray(y)
    classes, counts = np.unique(labels, return_counts=True)
    if len(labels) < 50 or len(classes) > len(labels) / 10:
        return []
    try:
        encoder = encoder or TableEncoder().fit(X, labels)
    except TableError:  # nothing to learn from
        return []
    rows = _frequent(np.random.default_rng(0).permutation(len(labels))[:_ROWS], labels)
    Z, codes = encoder.transform(_rows(X, rows)), labels[rows]
    guessing = 1 - counts.max() / len(labels)
    return [
        column.name
        for j, column in enumerate(encoder.columns_)
        if j in encoder.source_ and _error(Z[:, encoder.source_ == j], codes) <= _SHARE * guessing
    ]


def _frequent(rows: NDArray, labels: NDArray) -> NDArray:
    """Return the rows whose class has enough of them for folds."""
    _, which, counts = np.unique(labels[rows], return_inverse=True, return_counts=True)
    return rows[counts[which] >= _FOLDS]


def _rows(X: Matrix | pd.DataFrame, rows: NDArray) -> Matrix | pd.DataFrame:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _error(Z: NDArray, y: NDArray) -> float:
    """Return the share of mistakes of a small tree on unseen rows; 1 if it fits even seen ones badly."""
    tree = DecisionTreeClassifier(max_leaf_nodes=4 * len(np.unique(y)), random_state=0)
    if (tree.fit(Z, y).predict(Z) != y).mean() > 0.1:
        return 1.0
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=0)
    return float((cross_val_predict(tree, Z, y, cv=folds) != y).mean())
