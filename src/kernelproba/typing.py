"""Names for what the package takes and passes on, as type checkers read them.

``MatrixLike`` and ``ArrayLike`` are what users pass, ``Matrix`` and ``np.ndarray`` what has been checked.
What users may pass is said by protocols, so that pandas, polars, Dask and scikit-learn need not be imported.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = [
    "JSON",
    "ArrayLike",
    "ClassWeight",
    "Classifier",
    "CrossValidation",
    "DTypeLike",
    "Estimator",
    "Matrix",
    "MatrixLike",
    "NDArray",
    "RandomState",
    "Rectangle",
    "Splitter",
    "StoredMatrix",
]


class Rectangle(Protocol):
    """Rows and columns in memory or lazy: an array, a sparse matrix, a data frame, a Dask collection."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and of columns."""


class StoredMatrix(Protocol):
    """Rows that a store reads block by block, such as `kernelproba.rows.ParquetRows`."""

    @property
    def width(self) -> int:
        """Number of columns."""

    def __len__(self) -> int:
        """Number of rows."""


#: Rows as users pass them.
MatrixLike: TypeAlias = Rectangle | StoredMatrix | Sequence[Sequence[float]]
#: Rows that have been checked.
Matrix: TypeAlias = np.ndarray | sp.csr_array | sp.csr_matrix
#: A seed, or a source of random numbers, or None for numbers that no two runs share.
RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None
#: Weights of classes by label, or "balanced".
ClassWeight: TypeAlias = Mapping[object, float] | str | None
#: What a JSON file can hold.
JSON: TypeAlias = "dict[str, JSON] | list[JSON] | str | float | bool | None"


class Splitter(Protocol):
    """What makes folds, as the splitters of scikit-learn do."""

    def split(self, X: MatrixLike, y: ArrayLike) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield numbers of the rows to train on and to test on."""


#: Number of folds, what makes them, or the folds themselves.
CrossValidation: TypeAlias = int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]] | None


class Estimator(Protocol):
    """What has parameters, as the estimators of scikit-learn do."""

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the parameters by name."""

    def set_params(self, **params: object) -> Self:
        """Change parameters."""


class Classifier(Estimator, Protocol):
    """A classifier with probabilities, as those of scikit-learn."""

    classes_: np.ndarray

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Learn from rows and their labels."""

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Return labels (n,)."""

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Return probabilities (n, c)."""
