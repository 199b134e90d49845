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
from kernelproba.estimators.base.spread import Spread
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.base.validation import check_labels
from kernelproba.number_range import LARGEST, check_entries, largest_entry
from kernelproba.rows.protocol import RowError, Rows
from kernelproba.typing import ClassWeight, Matrix, RandomState


@dataclass(frozen=True)
class GivenRows:
    """All rows of a store, those without weight included.

    Parameters
    ----------
    X : Rows of shape (n, d)
        The rows.
    y, sample_weight : aligned values of n rows
        Class indices, 0 for a label that no row with weight has, and the user's weights.
    kept : array of shape (n,), bool, or None
        Which of them carry weight, in memory; None if all do.
    """

    X: Rows
    y: np.ndarray
    sample_weight: np.ndarray
    kept: np.ndarray | None

    def numbers(self, rows: np.ndarray) -> np.ndarray:
        """Where rows with weight stand among all rows; −1, for a centre that is no row, stays."""
        return rows if self.kept is None else np.where(rows < 0, -1, np.flatnonzero(self.kept)[rows])


@dataclass(frozen=True)
class StoredTraining:
    """Rows in a store that carry weight, as a fit sees them.

    Parameters
    ----------
    X : Rows of shape (n, d)
        The rows.
    y, sample_weight, weight : aligned values of n rows
        Class indices, the user's weights, and those times the class weights.
    given : GivenRows
        The rows as they came.
    mass : array of shape (c, 3)
        Number of rows, sum of the sample weights w, and Σw‖x‖², of each class.
    factors : array of shape (c,)
        Class weights.
    variance : float
        Of all entries of X.
    """

    X: Rows
    y: np.ndarray
    sample_weight: np.ndarray
    weight: np.ndarray
    given: GivenRows
    mass: np.ndarray
    factors: np.ndarray
    variance: float

    def numbers(self, rows: np.ndarray) -> np.ndarray:
        """Where rows stood in the input; −1, for a centre that is no row, stays."""
        return self.given.numbers(rows)

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
        y, sample_weight, weight = (
            self.X.pick(values, index) for values in (self.y, self.sample_weight, self.weight)
        )
        return Training(self.X.take(index), y, sample_weight, weight, self.numbers(index))

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
    weight = unit_weights(len(rows)) if sample_weight is None else sample_weight
    weight = _aligned(rows, weight, "sample_weight")
    known = _classes(rows, labels)
    part, (own_labels, own_weight), kept = rows, (labels, weight), None
    if sample_weight is not None:
        part, (own_labels, own_weight), kept = _with_weight(rows, labels, weight)
    classes = known if kept is None else part.distinct(own_labels)
    if len(classes) < 2:
        raise ValueError(f"y has one class only ({classes[0]!r}); at least 2 classes are needed.")
    codes = rows.map_values(partial(_encode, classes), labels)
    mass, spread = rows.fold(partial(_moments, len(classes), rows.names), codes, weight)
    factors = class_factors(class_weight, classes, mass[:, 1])
    own = codes if kept is None else part.map_values(partial(_encode, classes), own_labels)
    weighted = own_weight
    if (factors != 1).any():
        weighted = part.map_values(partial(_weigh, factors), own_weight, own)
    given = GivenRows(rows, codes, weight, kept)
    return StoredTraining(part, own, own_weight, weighted, given, mass, factors, spread.variance), classes


def _with_weight(
    rows: Rows, labels: np.ndarray, weight: np.ndarray
) -> tuple[Rows, tuple[np.ndarray, ...], np.ndarray | None]:
    """Rows that carry weight, their labels and weights, and which they are (n,), None if all do.

    As in memory, the others are left out before anything is drawn: samples depend on the number of rows.
    """
    carries = rows.map_values(_carries, weight)
    kept = np.asarray(carries)
    if kept.all():
        return rows, (labels, weight), None
    if not kept.any():
        raise ValueError("sample_weight is zero for every row; two classes at least need weight.")
    return *rows.selected(carries, labels, weight), kept


def unit_weights(n: int) -> np.ndarray:
    """Weights of one (n,) that take no memory."""
    return np.broadcast_to(1.0, n)


def _moments(
    n_classes: int, names: list[str] | None, block: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, Spread]:
    """Of a block the rows with weight, Σw and Σw‖x‖² of each class (c, 3), and the spread of all entries."""
    block, weight = np.asarray(block, dtype=np.float64), np.asarray(weight, dtype=np.float64)
    finite = np.isfinite(block).all(axis=0)
    if not finite.all():
        column = int(finite.argmin())
        name = column if names is None else repr(names[column])
        row = int(np.isfinite(block[:, column]).argmin())
        where = f"Input X contains NaN or infinity in column {name}, row "
        raise RowError(where, row, ": remove or impute such rows before the fit.")
    if largest_entry(block) > LARGEST:
        check_entries(block, names)
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise ValueError("sample_weight must be finite and not negative.")
    squares = weight * np.einsum("ij,ij->i", block, block)
    mass = np.stack([np.bincount(y, each, n_classes) for each in (weight > 0, weight, squares)], axis=1)
    return mass, Spread.of(block, weight)


def _carries(weight: np.ndarray) -> np.ndarray:
    """Which rows carry weight, or a weight that is to be refused."""
    return np.asarray(weight) != 0


def _encode(classes: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Class indices of labels, a byte or two each; 0 for a label that no row with weight has."""
    codes = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    codes[classes[codes] != labels] = 0
    return codes.astype(np.min_scalar_type(-len(classes)))


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
