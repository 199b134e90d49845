"""Rows of which none is a copy of another, and samples of them that do not depend on their order."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kernelproba.estimators.base.classifier import Training
from kernelproba.rows.row_hash import row_keys


@dataclass(frozen=True)
class DistinctRows:
    """Rows with their copies merged into weights.

    A row is not unseen by a model that has seen its copy, and a weight of two is a row seen twice.

    Parameters
    ----------
    training : Training
        m distinct rows.
    which : array of shape (n,)
        For each of all rows, which of the distinct ones it is.
    keys : array of shape (m,)
        Keys of the contents of the distinct rows.
    take : callable
        (Training, numbers of rows) → Training.
    """

    training: Training
    which: np.ndarray
    keys: np.ndarray
    take: Callable[[Training, np.ndarray], Training]

    def sample(self, size: int) -> Training:
        """A random sample, with two rows at least of every class that has two; all rows if they are few."""
        if size >= len(self.keys):
            return self.training
        order = np.argsort(self.keys)
        # How many rows of its class come before each row.
        before = np.empty(len(order), dtype=int)
        for label in np.unique(self.training.y):
            members = order[self.training.y[order] == label]
            before[members] = np.arange(len(members))
        chosen = (np.argsort(order) < size) | (before < 2)
        return self.take(self.training, np.flatnonzero(chosen))


def merge_copies(
    training: Training, take: Callable[[Training, np.ndarray], Training], *, precomputed: bool
) -> DistinctRows:
    """Merge rows that are the same, label and all; those of a precomputed kernel matrix stay.

    Parameters
    ----------
    training : Training
        Rows.
    take : callable
        (Training, numbers of rows) → Training.
    precomputed : bool
        Whether the rows are those of a kernel matrix.
    """
    keys = row_keys(training.X, training.y)
    if precomputed:
        return DistinctRows(training, np.arange(len(keys)), keys, take)
    # In the order of their keys: then nothing depends on the order in which rows came.
    distinct, first, which = np.unique(keys, return_index=True, return_inverse=True)
    merged = replace(
        take(training, first),
        sample_weight=np.bincount(which, weights=training.sample_weight),
        weight=np.bincount(which, weights=training.weight),
    )
    return DistinctRows(merged, which, distinct, take)
