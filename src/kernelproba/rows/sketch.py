"""A sample of distinct rows that does not depend on order, on blocks or on how often a row is seen.

The sketch keeps the `size` distinct labelled rows with the smallest keys, with their total weights.  A
row that is ever left out stays out, since the largest key kept can only fall; so the rows that are kept
at the end were kept from their first sight, and their weights are complete.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from kernelproba.rows.duplicates import first_occurrences


@dataclass(frozen=True)
class RowSketch:
    """Sampled rows, sorted by their keys.

    Parameters
    ----------
    X : array or CSR matrix of shape (r, d)
        The rows.
    y : array of shape (r,)
        Their class indices.
    weight : array of shape (r,)
        Total weight with which each was seen.
    keys : array of shape (r,)
        Keys of the labelled rows, ascending.
    """

    X: Any
    y: np.ndarray
    weight: np.ndarray
    keys: np.ndarray

    def __len__(self) -> int:
        return len(self.keys)

    def merged(self, other: "RowSketch", size: int) -> "RowSketch":
        """Sketch of both sets of rows."""
        keys = np.concatenate([self.keys, other.keys])
        X = _stack(self.X, other.X)
        return sketch_rows(
            X,
            np.concatenate([self.y, other.y]),
            np.concatenate([self.weight, other.weight]),
            keys,
            size,
        )


def sketch_rows(X: Any, y: np.ndarray, weight: np.ndarray, keys: np.ndarray, size: int) -> RowSketch:
    """Sketch of rows with given keys, equal keys standing for the same labelled row."""
    first, which = first_occurrences(keys)
    total = np.bincount(which, weights=weight, minlength=len(first))
    kept = np.argsort(keys[first])[:size]
    rows = first[kept]
    return RowSketch(X[rows], y[rows], total[kept], keys[rows])


def _stack(A: Any, B: Any) -> Any:
    if sp.issparse(A) and sp.issparse(B):
        return sp.vstack([A, B], format="csr")
    dense = [block.toarray() if sp.issparse(block) else block for block in (A, B)]
    return np.concatenate(dense)
