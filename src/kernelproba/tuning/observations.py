"""Distinct rows, the number of observations each stands for, and samples that do not depend on their order.

Identical rows (label and all) are merged: their kernel matrix would be singular, and fits to surveys, counts
and codes, which have few distinct rows, become small.  An observation is still one of them: leave-one-out
leaves out one observation and keeps its copies, as it would with rows that differ by a hair.

A row of weight two is a row seen twice, so whole numbers are counts of observations.  Other weights say how
much an observation matters, not how often it was made: then every row of the input is one observation.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from kernelproba.estimators.base.kernel_spec import check_kernel_matrix
from kernelproba.estimators.base.training import Training
from kernelproba.rows.duplicates import Duplicates, sample_rows
from kernelproba.rows.folds import Fold, unit_folds
from kernelproba.rows.row_hash import unordered_keys
from kernelproba.solvers.loo.locations import Locations
from kernelproba.typing import Matrix


@dataclass(frozen=True)
class Observations:
    """m distinct rows.

    Parameters
    ----------
    X : array of shape (m, d), or (m, m) for a precomputed kernel
        Rows.
    y : array of shape (m,)
        Class indices.
    weight, sample_weight : arrays of shape (m,)
        Weights of the rows with their copies, with and without class weights.
    units : array of shape (m,)
        Number of observations that each row stands for.
    keys : array of shape (m,)
        Keys of the contents.
    precomputed : bool
        Whether X is a kernel matrix.
    """

    X: Matrix
    y: np.ndarray
    weight: np.ndarray
    sample_weight: np.ndarray
    units: np.ndarray
    keys: np.ndarray
    precomputed: bool = False

    @classmethod
    def of(cls, training: Training, copies: Duplicates, *, precomputed: bool) -> "Observations":
        """Merge the copies among training rows."""
        first = copies.first
        if precomputed:
            check_kernel_matrix(training.X)
        X = training.X[first][:, first] if precomputed else training.X[first]
        weight, sampled = copies.totals(training.weight), copies.totals(training.sample_weight)
        units = copies.units(training.sample_weight)
        return cls(X, training.y[first], weight, sampled, units, copies.keys, precomputed)

    def __len__(self) -> int:
        return len(self.y)

    @cached_property
    def judged_weight(self) -> np.ndarray:
        """Weights in scores, as many in all as observations, so that gains are in nats.

        Singleton classes get none, for no fit without the row can predict them.
        """
        weight = self.weight * (self.units.sum() / self.weight.sum())
        single = np.bincount(self.y, weights=self.units)[self.y] <= 1
        return weight if single.all() else np.where(single, 0.0, weight)

    @property
    def n_classes(self) -> int:
        """C."""
        return int(self.y.max()) + 1

    @property
    def n_scores(self) -> int:
        """One score for two classes, else one for each."""
        return 1 if self.n_classes == 2 else self.n_classes

    def at(self, rows: np.ndarray) -> "Observations":
        """Some of the rows."""
        X = self.X[rows][:, rows] if self.precomputed else self.X[rows]
        parts = (self.y, self.weight, self.sample_weight, self.units, self.keys)
        y, weight, sample_weight, units, keys = (part[rows] for part in parts)
        return Observations(X, y, weight, sample_weight, units, keys, self.precomputed)

    def shared(self, share: np.ndarray) -> "Observations":
        """The same rows with a share (m,) of their weights each."""
        units = np.maximum(np.rint(self.units * share), 1).astype(self.units.dtype)
        return replace(
            self, weight=self.weight * share, sample_weight=self.sample_weight * share, units=units
        )

    def train(self, fold: Fold) -> "Observations":
        """Rows that a fold trains on, each with the share of its weight that it does."""
        return self.at(fold.train).shared(fold.train_share)

    def test(self, fold: Fold) -> Matrix:
        """Rows X that a fold tests on, as a model of the rows it trains on takes them."""
        X = self.X[fold.test]
        return X[:, fold.train] if self.precomputed else X

    def test_weight(self, fold: Fold) -> np.ndarray:
        """Weights of the rows that a fold tests on."""
        return self.weight[fold.test] * fold.test_share

    def with_rows(self, X: Matrix) -> "Observations":
        """The same observations on another scale."""
        return replace(self, X=X)

    def counted_once(self) -> "Observations":
        """The same rows of the same weights, each of which stands for one observation."""
        return replace(self, units=np.ones_like(self.units))

    def sample(self, size: int) -> "Observations":
        """A random sample, with two rows at least of every class that has two; all rows if they are few.

        Rows with the same features are drawn together.  Of a row seen nine times, with two labels, one label
        alone would look certain, and whoever remembers rows would look wise.
        """
        return self.at(sample_rows(self._location_keys, self.y, size))

    @cached_property
    def _location_keys(self) -> np.ndarray:
        """Key (m,) of the features of each row: of those with the same ones, the key of the first class.

        The least key would favour locations with many labels.
        """
        which, last_first = Locations.of(self.X).which, np.argsort(-self.y, kind="stable")
        keys = np.empty_like(self.keys)
        keys[which[last_first]] = self.keys[last_first]
        return keys[which]

    def folds(self, n_folds: int) -> list[Fold]:
        """Deal the observations to folds."""
        return unit_folds(self.keys, self.y, self.units, n_folds)


def find_copies(training: Training, *, precomputed: bool) -> Duplicates:
    """Which of the training rows are the same; those of a kernel matrix all differ."""
    if not precomputed:
        return Duplicates.of(_varying(training.X), training.y)
    keys, everything = unordered_keys(training.X, training.y), np.arange(len(training.y))
    return Duplicates(keys, everything, everything)


def _varying(X: Matrix) -> Matrix:
    """Columns that are not constant: others must not change what is drawn by the contents of rows."""
    if sp.issparse(X):
        return X
    varying = (X[:1] != X).any(axis=0)
    return X if varying.all() else X[:, varying]
