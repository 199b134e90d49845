"""A sample of distinct rows that does not depend on order, on blocks or on how often a row is seen.

The sketch keeps the `size` distinct labelled rows with the smallest keys, with their total weights.  A
row that is ever left out stays out, since the largest key kept can only fall; so the rows that are kept
at the end were kept from their first sight, and their weights are complete.
"""

from dataclasses import dataclass

import numpy as np

from kernelproba.linalg import stacked_rows
from kernelproba.rows.duplicates import first_occurrences
from kernelproba.typing import Matrix


@dataclass(frozen=True)
class RowSketch:
    """Labelled rows with weights, such as a sketch keeps.

    Parameters
    ----------
    X : array or CSR matrix of shape (r, d)
        The rows.
    y : array of shape (r,)
        Their class indices.
    weight : array of shape (r,)
        Total weight with which each was seen.
    units : array of shape (r,)
        Number of observations that each stands for (`kernelproba.rows.duplicates`).
    keys : array of shape (r,)
        Keys of the labelled rows; ascending in a sketch.
    """

    X: Matrix
    y: np.ndarray
    weight: np.ndarray
    units: np.ndarray
    keys: np.ndarray

    def __len__(self) -> int:
        return len(self.keys)

    def merged(self, other: "RowSketch", size: int) -> "RowSketch":
        """Sketch of both sets of rows."""
        y, weight, units, keys = (
            np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("y", "weight", "units", "keys")
        )
        return sketch_rows(RowSketch(stacked_rows(self.X, other.X), y, weight, units, keys), size)


def sketch_rows(rows: RowSketch, size: int) -> RowSketch:
    """Sketch of rows in any order, equal keys standing for the same labelled row."""
    first, which = first_occurrences(rows.keys)
    kept = np.argsort(rows.keys[first])[:size]
    index = first[kept]
    weight, units = (
        np.bincount(which, weights=values, minlength=len(first))[kept] for values in (rows.weight, rows.units)
    )
    return RowSketch(rows.X[index], rows.y[index], weight, units, rows.keys[index])
