"""Training rows in memory, as a fit sees them."""

from dataclasses import Field, dataclass, fields
from typing import ClassVar, Protocol

import numpy as np

from kernelproba.decision import mean_class_weights
from kernelproba.typing import Matrix


class WeightedMatrix(Protocol):
    """A dataclass with rows X (n, d) and the weights that users gave them (n,)."""

    __dataclass_fields__: ClassVar[dict[str, Field]]

    @property
    def X(self) -> Matrix:
        """Rows."""

    @property
    def sample_weight(self) -> np.ndarray:
        """Weights."""


@dataclass(frozen=True)
class Training:
    """The rows that carry weight, as a fit sees them.

    Parameters
    ----------
    X : array of shape (n, d)
        Rows of positive weight.
    y : array of shape (n,)
        Class indices.
    sample_weight, weight : arrays of shape (n,)
        The user's weights, and those times the class weights.
    index : array of shape (n,)
        Where the rows stood in the input.
    """

    X: Matrix
    y: np.ndarray
    sample_weight: np.ndarray
    weight: np.ndarray
    index: np.ndarray

    def at(self, rows: np.ndarray) -> "Training":
        """Some of the rows."""
        return Training(*(getattr(self, each.name)[rows] for each in fields(self)))

    def numbers(self, rows: np.ndarray) -> np.ndarray:
        """Where rows stood in the input; −1, for a centre that is no row, stays."""
        return np.where(rows < 0, -1, self.index[rows])

    def class_weights(self, n_classes: int) -> np.ndarray:
        """Sum (c,) of the user's weights of each class."""
        return np.bincount(self.y, self.sample_weight, n_classes)

    def class_means(self, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
        """Mean of the weights, and of the user's weights, of the rows of each class, (c,) each."""
        return (
            mean_class_weights(self.y, n_classes, self.weight),
            mean_class_weights(self.y, n_classes, self.sample_weight),
        )
