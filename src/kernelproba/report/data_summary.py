"""What the rows are: how many, of which classes, in which columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from kernelproba.extras import extra
from kernelproba.inspection.scores.predictions import encode_labels
from kernelproba.plain_text import name
from kernelproba.report.json_values import json_value
from kernelproba.report.summary_types import ColumnSummary, DataSummary
from kernelproba.typing import Matrix

if TYPE_CHECKING:
    import pandas as pd

_MAX_COLUMNS = 200


def describe_data(
    X: Matrix, codes: NDArray, classes: NDArray, training: tuple[Matrix, ArrayLike] | None
) -> DataSummary:
    """Count rows, classes and columns.

    Parameters
    ----------
    X : array-like or data frame of shape (n, d)
        Held-out rows.
    codes : ndarray of shape (n,)
        Their class numbers.
    classes : ndarray of shape (c,)
        Labels.
    training : pair (X, y), optional
        The rows that the model was fitted on.  If given, the columns are described by them.
    """
    trained = None if training is None else _counts(encode_labels(np.asarray(training[1]), classes), classes)
    held_out = _counts(codes, classes)
    table = X if training is None else training[0]
    frame = as_frame(table)
    return {
        "rows": int(held_out.sum()),
        "training_rows": None if trained is None else int(trained.sum()),
        "n_columns": int(np.shape(table)[1]),
        "columns_of": "held-out rows" if training is None else "training rows",
        "columns": [_describe(frame.iloc[:, j]) for j in range(min(frame.shape[1], _MAX_COLUMNS))],
        "classes": [
            {
                "name": name(label),
                "rows": int(held_out[k]),
                "training_rows": None if trained is None else int(trained[k]),
            }
            for k, label in enumerate(classes)
        ],
    }


def _counts(codes: NDArray, classes: NDArray) -> NDArray:
    return np.bincount(codes, minlength=len(classes))


def as_frame(X: Matrix | pd.DataFrame) -> pd.DataFrame:
    """Return rows as a pandas frame; columns without a name are x0, x1, …, those of sparse matrices none."""
    with extra("report"):
        import pandas as pd

    if isinstance(X, pd.DataFrame):
        return X
    if hasattr(X, "columns"):
        return pd.DataFrame({column: X[column].to_numpy() for column in X.columns})
    if issparse(X):
        return pd.DataFrame(index=range(X.shape[0]))
    values = np.asarray(X)
    return pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])


def _describe(column: pd.Series) -> ColumnSummary:
    import pandas as pd

    record = {"name": name(column.name), "missing": int(column.isna().sum()), "distinct": _distinct(column)}
    known = column.dropna()
    if pd.api.types.is_bool_dtype(column) or known.empty or not pd.api.types.is_numeric_dtype(column):
        return cast("ColumnSummary", record | _described(known))
    low, middle, high = map(float, (known.min(), known.median(), known.max()))
    return record | json_value({"kind": "number", "low": low, "median": middle, "high": high})


def _described(known: pd.Series) -> dict[str, object]:
    """What is said of values that are no numbers: of dates the ends, of others the most frequent."""
    import pandas as pd

    if not known.empty and pd.api.types.is_datetime64_any_dtype(known):
        first, last = (str(moment).removesuffix(" 00:00:00") for moment in (known.min(), known.max()))
        return {"kind": "date", "first": first, "last": last}
    return {"kind": "empty" if known.empty else "text", "common": _common(known)}


def _distinct(column: pd.Series) -> int:
    return int(column.astype(str)[column.notna()].nunique())


def _common(known: pd.Series) -> list[str]:
    """The three most frequent values."""
    return [name(value) for value in known.astype(str).value_counts().index[:3]]
