"""Rows of numbers, as scikit-learn checks them; errors about texts and gaps name row, column and cure."""

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from kernelproba.estimators.base.validation import is_missing, reads_as_number
from kernelproba.rows.protocol import RowError
from kernelproba.typing import MatrixLike

_CURE = "Use TableClassifier, which takes tables as they come, or {} with scikit-learn's {}."


def numeric_rows(estimator: BaseEstimator, X: MatrixLike, *y, **options):
    """Return what `validate_data` does; of a table with texts or gaps say the first, and what to do.

    Parameters
    ----------
    estimator : estimator
        For which rows are checked.
    X : array-like of shape (n, d)
        What the user gave.
    *y
        Labels of the rows, if there are any.
    **options
        As for `validate_data`.
    """
    try:
        with np.errstate(invalid="ignore"):  # sums of the largest numbers
            return validate_data(estimator, X, *y, **options)
    except ValueError as error:
        found = None if _is_kernel(estimator) else _first_in_table(X, type(estimator).__name__, str(error))
        if found is None:
            raise
        raise found from error


def _is_kernel(estimator: BaseEstimator) -> bool:
    """Whether the rows are those of a kernel matrix, which no table holds."""
    return estimator.__sklearn_tags__().input_tags.pairwise


def _first_in_table(X: MatrixLike, model: str, error: str) -> RowError | None:
    """Error that says where the text or the gap is of which an error complains."""
    text, gap = error.startswith("could not convert string"), error.startswith("Input X contains NaN")
    if sp.issparse(X) or not (text or gap):
        return None
    entries = np.asarray(X, dtype=object)
    names = list(X.columns) if hasattr(X, "columns") else range(entries.shape[1])
    for name, column in zip(names, entries.T, strict=True):
        for row, entry in enumerate(column):
            if text and isinstance(entry, str) and not reads_as_number(entry):
                cure = _CURE.format("encode the column", "OneHotEncoder")
                after = f" of column {name!r}, and {model} takes numbers. {cure}"
                return RowError(f"X has {entry!r} in row ", row, after)
            if gap and is_missing(entry):
                cure = _CURE.format("fill the gaps", "SimpleImputer")
                return RowError("Input X contains NaN in row ", row, f" of column {name!r}. {cure}")
    return None
