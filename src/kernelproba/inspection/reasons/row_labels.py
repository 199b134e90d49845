"""Names and columns of rows, kept when they came in a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import _num_samples

from kernelproba.extras import extra

if TYPE_CHECKING:
    import pandas as pd


def row_labels(X: Any) -> list:
    """Return the index of a pandas frame, else row numbers, of length n."""
    return X.index.tolist() if hasattr(X, "iloc") else list(range(_num_samples(X)))


def with_columns_of(frame: pd.DataFrame, X: Any, position: np.ndarray) -> pd.DataFrame:
    """Append to each row of `frame` the columns of one row of X, if X is a data frame.

    Parameters
    ----------
    frame : DataFrame of k rows
        With the index 0, …, k − 1.
    X : data frame of pandas or polars, or anything else
        Only data frames have columns to append; those whose names are taken get the suffix "_x".
    position : ndarray of shape (k,)
        Row number in X, −1 for none.
    """
    with extra("tables"):
        import pandas as pd

    if not hasattr(X, "columns"):
        return frame
    columns = X if hasattr(X, "iloc") else pd.DataFrame({name: X[name].to_numpy() for name in X.columns})
    # A new index, because that of X may hold labels twice; −1 is not in it and gives missing values.
    chosen = columns.set_axis(range(len(columns))).reindex(position).set_axis(frame.index)
    taken = set(frame.columns)
    names = [f"{name}_x" if name in taken else name for name in map(str, chosen.columns)]
    return pd.concat([frame, chosen.set_axis(names, axis=1)], axis=1)
