"""Training rows that are not in memory.

The first pass looks at every row: it refuses what is not finite, counts classes and sums what rules such as
gamma="scale" need.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from kernelproba.estimators.base.class_weights import class_factors
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.base.validation import check_labels
from kernelproba.number_range import LARGEST, check_entries, largest_entry
from kernelproba.rows.protocol import Rows
from kernelproba.typing import ClassWeight, Matrix, RandomState


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

    X: Rows
    y: np.ndarray
    weight: np.ndarray
    mass: np.ndarray
    factors: np.ndarray
    variance: float

    def numbers(self, rows: np.ndarray) -> np.ndarray:
        """Where rows stood in the input: nothing was left out."""
        return rows

    def class_weights(self, n_classes: int) -> np.ndarray:  # noqa: ARG002 — as of Training
        """Sum (c,) of the user's weights of each class."""
        return self.mass[:, 1]

    def class_means(self, n_classes: int) -> tuple[np.ndarray, np.ndarray]:  # noqa: ARG002 — as of Training
        """Mean of the weights, and of the user's weights, of the rows of each class, (c,) each."""
        sampled = self.mass[:, 1] / self.mass[:, 0]
        return self.factors * sampled, sampled

    def excerpt(self, size: int, random_state: RandomState) -> Training:
        """Some rows, their labels and weights, in memory."""
        index = self._draw(size, random_state)
        weight = self.X.pick(self.weight, index)
        kept = np.flatnonzero(weight)
        y, weight, index = self.X.pick(self.y, index)[kept], weight[kept], index[kept]
        return Training(self.X.take(index), y, weight, weight, index)

    def _draw(self, size: int, random_state: RandomState) -> np.ndarray:
        rng = check_random_state(random_state)
        if size >= len(self.X):
            return np.arange(len(self.X))
        return np.sort(sample_without_replacement(len(self.X), size, random_state=rng))

    def sample(self, size: int, random_state: RandomState) -> Matrix:
        """Some rows, in memory."""
        return self.X.take(self._draw(size, random_state))


def scan_stored(
    rows: Rows, y: ArrayLike, sample_weight: ArrayLike | None, class_weight: ClassWeight
) -> tuple[StoredTraining, np.ndarray]:
    """Check rows, labels and weights in one pass; return them as a fit sees them, and their labels."""
    if len(rows) == 0:
        raise ValueError("X has no rows.")
    labels = _aligned(rows, y, "y")
    classes = _classes(rows, labels)
    if len(classes) < 2:
        raise ValueError(f"y has one class only ({classes[0]!r}); at least 2 classes are needed.")
    codes = rows.map_values(partial(_encode, classes), labels)
    weight = _aligned(
        rows, unit_weights(len(rows)) if sample_weight is None else sample_weight, "sample_weight"
    )
    mass, sums = rows.fold(partial(_moments, len(classes), rows.names), codes, weight)
    if not (mass[:, 1] > 0).all():
        raise ValueError("Every class of y needs rows with a positive sample_weight.")
    total, squares, count = sums
    variance = squares / (count * rows.width) - (total / (count * rows.width)) ** 2
    factors = class_factors(class_weight, classes, mass[:, 1])
    weighted = weight if (factors == 1).all() else rows.map_values(partial(_weigh, factors), weight, codes)
    return StoredTraining(rows, codes, weighted, mass, factors, float(variance)), classes


def unit_weights(n: int) -> np.ndarray:
    """Weights of one (n,) that take no memory."""
    return np.broadcast_to(1.0, n)


def _moments(
    n_classes: int, names: list[str] | None, block: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows and weights of each class (c, 2), and Σwx, Σwx², Σw over all entries of one block."""
    block, weight = np.asarray(block, dtype=np.float64), np.asarray(weight, dtype=np.float64)
    finite = np.isfinite(block).all(axis=0)
    if not finite.all():
        column = int(finite.argmin())
        name = column if names is None else repr(names[column])
        raise ValueError(
            f"Input X contains NaN or infinity in column {name}: remove or impute such rows before the fit."
        )
    if largest_entry(block) > LARGEST:
        check_entries(block, names)
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise ValueError("sample_weight must be finite and not negative.")
    mass = np.stack([np.bincount(y, minlength=n_classes), np.bincount(y, weight, n_classes)], axis=1)
    return mass, np.array([(weight @ block).sum(), (weight @ np.square(block)).sum(), weight.sum()])


def _encode(classes: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Class indices of labels, a byte or two each."""
    return np.searchsorted(classes, labels).astype(np.min_scalar_type(-len(classes)))


def _weigh(factors: np.ndarray, weight: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Weights times class weights."""
    return weight * factors[codes]


def _aligned(rows: Rows, values: ArrayLike, name: str) -> np.ndarray:
    """Values in the shape that folds over the rows take."""
    aligned = rows.align(values)
    if aligned.ndim != 1 or len(aligned) != len(rows):
        raise ValueError(f"{name} must have one entry for each of the {len(rows)} rows, got {aligned.shape}.")
    return aligned


def _classes(rows: Rows, labels: np.ndarray) -> np.ndarray:
    """Labels that occur."""
    try:
        classes = rows.distinct(labels)
    except TypeError as error:  # None, or numbers among texts
        raise ValueError("y must hold numbers or texts, all of one kind and none of them missing.") from error
    check_labels(classes)
    return classes
