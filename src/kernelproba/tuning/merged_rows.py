"""Training rows with their copies merged into weights, as searches see them."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelproba.estimators.base.classifier import Training
from kernelproba.rows.duplicates import Duplicates, sample_rows
from kernelproba.rows.folds import Fold


@dataclass(frozen=True)
class MergedRows:
    """Distinct rows; the observations that each stands for share its weight.

    Parameters
    ----------
    training : Training
        m distinct rows.
    keys : array of shape (m,)
        Keys of their contents.
    units : array of shape (m,)
        Number of observations, see `kernelproba.rows.duplicates`.
    pairwise : bool
        Whether X is a kernel matrix, of which some of the rows have as many columns.
    """

    training: Training
    keys: np.ndarray
    units: np.ndarray
    pairwise: bool

    @classmethod
    def of(cls, training: Training, copies: Duplicates, *, pairwise: bool) -> "MergedRows":
        """Merge the copies among rows.

        Parameters
        ----------
        training : Training
            Rows as they came.
        copies : Duplicates
            Which of them are the same.
        pairwise : bool
            Whether X is a kernel matrix.
        """
        merged = copies.merged(training, lambda rows, index: _take(rows, index, pairwise))
        return cls(merged, copies.keys, copies.units(training.sample_weight), pairwise)

    def __len__(self) -> int:
        return len(self.keys)

    def take(self, index: np.ndarray) -> "MergedRows":
        """Some of the rows."""
        training = _take(self.training, index, self.pairwise)
        return replace(self, training=training, keys=self.keys[index], units=self.units[index])

    def sample(self, size: int) -> "MergedRows":
        """A random sample that does not depend on the order of the rows; all rows if they are no more."""
        if size >= len(self):
            return self
        return self.take(sample_rows(self.keys, self.training.y, size))

    def train(self, fold: Fold) -> "MergedRows":
        """Rows that a fold trains on, each with the share of its weight that it does."""
        rows = self.take(fold.train)
        training = replace(
            rows.training,
            sample_weight=rows.training.sample_weight * fold.train_share,
            weight=rows.training.weight * fold.train_share,
        )
        return replace(rows, training=training)

    def test(self, fold: Fold) -> Any:
        """Rows X that a fold tests on, as a model of the rows it trains on takes them."""
        X = self.training.X[fold.test]
        return X[:, fold.train] if self.pairwise else X

    def test_weight(self, fold: Fold) -> np.ndarray:
        """Weights of the rows that a fold tests on."""
        return self.training.weight[fold.test] * fold.test_share


def _take(training: Training, index: np.ndarray, pairwise: bool) -> Training:
    rows = training.at(index)
    return replace(rows, X=rows.X[:, index]) if pairwise else rows
