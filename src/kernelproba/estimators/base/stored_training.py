"""Training rows that are not in memory.

The first pass looks at every row: it refuses what is not finite, counts classes and sums what rules such as
gamma="scale" need.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.random import sample_without_replacement

from kernelproba.estimators.base.class_weights import class_factors
from kernelproba.estimators.base.classifier import Training
from kernelproba.rows import as_rows


@dataclass(frozen=True)
class StoredTraining:
    """Rows in a store, as a fit sees them.

    Parameters
    ----------
    X : Rows of shape (n, d)
        The rows.
    y, weight : aligned values of n rows
        Class indices, and sample weights times class weights.
    mass : array of shape (c, 2)
        Number of rows, and sum of the sample weights, of each class.
    factors : array of shape (c,)
        Class weights.
    variance : float
        Of all entries of X.
    """

    X: Any
    y: Any
    weight: Any
    mass: np.ndarray
    factors: np.ndarray
    variance: float

    @property
    def index(self) -> np.ndarray:
        """Where the rows stood in the input: nothing was left out."""
        return np.arange(len(self.X))

    def class_means(self, n_classes: int) -> tuple[np.ndarray, np.ndarray]:  # noqa: ARG002 — as of Training
        """Mean of the weights, and of the user's weights, of the rows of each class, (c,) each."""
        sampled = self.mass[:, 1] / self.mass[:, 0]
        return self.factors * sampled, sampled

    def excerpt(self, size: int, random_state: Any) -> Training:
        """Some rows, their labels and weights, in memory."""
        index = self._draw(size, random_state)
        weight = self.X.pick(self.weight, index)
        kept = np.flatnonzero(weight)
        y, weight, index = self.X.pick(self.y, index)[kept], weight[kept], index[kept]
        return Training(self.X.take(index), y, weight, weight, index)

    def _draw(self, size: int, random_state: Any) -> np.ndarray:
        rng = check_random_state(random_state)
        if size >= len(self.X):
            return np.arange(len(self.X))
        return np.sort(sample_without_replacement(len(self.X), size, random_state=rng))

    def sample(self, size: int, random_state: Any) -> Any:
        """Some rows, in memory."""
        return self.X.take(self._draw(size, random_state))


def look_over(X: Any, y: Any, sample_weight: Any, class_weight: Any) -> tuple[StoredTraining, np.ndarray]:
    """Check rows, labels and weights in one pass; return them as a fit sees them, and their labels."""
    rows = as_rows(X)
    labels = _aligned(rows, y, "y")
    classes = _classes(labels)
    if len(classes) < 2:
        raise ValueError(f"y has one class only ({classes[0]!r}); at least 2 classes are needed.")
    codes = _encode(labels, classes)
    weight = _aligned(rows, np.ones(len(rows)) if sample_weight is None else sample_weight, "sample_weight")
    mass, sums = rows.fold(partial(_moments, len(classes)), codes, weight)
    if not (mass[:, 1] > 0).all():
        raise ValueError("Every class of y needs rows with a positive sample_weight.")
    total, squares, count = sums
    variance = squares / (count * rows.width) - (total / (count * rows.width)) ** 2
    factors = class_factors(class_weight, classes, mass[:, 1])
    return StoredTraining(
        rows, codes, _weigh(weight, codes, factors), mass, factors, float(variance)
    ), classes


def _moments(n_classes: int, block: Any, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and weights of each class (c, 2), and Σwx, Σwx², Σw over all entries of one block."""
    block, weight = np.asarray(block, dtype=np.float64), np.asarray(weight, dtype=np.float64)
    if not np.isfinite(block).all():
        raise ValueError("Input X contains NaN or infinity: remove or impute such rows before the fit.")
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise ValueError("sample_weight must be finite and not negative.")
    mass = np.stack([np.bincount(y, minlength=n_classes), np.bincount(y, weight, n_classes)], axis=1)
    return mass, np.array([(weight @ block).sum(), (weight @ np.square(block)).sum(), weight.sum()])


def _weigh(weight: Any, codes: Any, factors: np.ndarray) -> Any:
    """Weights times class weights."""
    if not hasattr(codes, "map_blocks"):
        return weight * factors[codes]
    import dask.array as da

    return da.map_blocks(lambda w, k: w * factors[k], weight, codes, dtype=np.float64).persist()


def _aligned(rows: Any, values: Any, name: str) -> Any:
    """Values in the shape that folds over the rows take."""
    values = rows.align(values)
    if values.ndim != 1 or len(values) != len(rows):
        raise ValueError(f"{name} must have one entry for each of the {len(rows)} rows, got {values.shape}.")
    return values


def _classes(labels: Any) -> np.ndarray:
    """Labels that occur; those of a Dask array are collected chunk by chunk."""
    if not hasattr(labels, "to_delayed"):
        check_classification_targets(labels)
        return np.unique(labels)
    import dask

    parts = dask.compute(*(dask.delayed(np.unique)(chunk) for chunk in labels.to_delayed()))
    classes = np.unique(np.concatenate(parts))
    check_classification_targets(classes)
    return classes


def _encode(labels: Any, classes: np.ndarray) -> Any:
    if not hasattr(labels, "map_blocks"):
        return np.searchsorted(classes, labels)
    return labels.map_blocks(lambda chunk: np.searchsorted(classes, chunk), dtype=np.int64).persist()
