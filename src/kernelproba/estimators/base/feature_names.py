"""Number and names of features of rows in a store, checked as scikit-learn checks those of tables."""

import numpy as np
from sklearn.base import BaseEstimator

from kernelproba.caller_warning import warn_caller
from kernelproba.rows.protocol import Rows
from kernelproba.rows.store import stored_rows
from kernelproba.typing import Matrix, MatrixLike

#: Most names that an error lists.
SHOWN = 5


def in_memory(X: MatrixLike) -> tuple[Matrix, Rows | None]:
    """Return X in memory, and the store that it was in, None if it was in none."""
    rows = stored_rows(X)
    return (X, None) if rows is None else (rows.whole(), rows)


def as_table(X: MatrixLike) -> MatrixLike:
    """Return stored rows in memory, as a data frame if their features have names; anything else as it is."""
    array, rows = in_memory(X)
    if rows is None or rows.names is None:
        return array
    import pandas as pd

    return pd.DataFrame(array, columns=rows.names)


def set_features(estimator: BaseEstimator, rows: Rows) -> None:
    """Note number and names of the features of training rows."""
    estimator.n_features_in_ = rows.width
    if rows.names is not None:
        estimator.feature_names_in_ = np.array(rows.names, dtype=object)


def check_features(estimator: BaseEstimator, rows: Rows) -> None:
    """Refuse rows whose features are not those of the fit, in that order."""
    model = type(estimator).__name__
    if rows.width != estimator.n_features_in_:
        raise ValueError(
            f"X has {rows.width} features, but {model} is expecting {estimator.n_features_in_} features as "
            "input."
        )
    known = getattr(estimator, "feature_names_in_", None)
    if known is None and rows.names is not None:
        warn_caller(f"X has feature names, but {model} was fitted without feature names")
    elif known is not None and rows.names is None:
        warn_caller(f"X does not have valid feature names, but {model} was fitted with feature names")
    elif known is not None and list(known) != rows.names:
        raise ValueError(_difference(list(known), rows.names or []))


def _difference(known: list[str], given: list[str]) -> str:
    parts = ["The feature names should match those that were passed during fit."]
    if unexpected := sorted(set(given) - set(known)):
        parts.append(f"Feature names unseen at fit time: {_listed(unexpected)}.")
    if missing := sorted(set(known) - set(given)):
        parts.append(f"Feature names seen at fit time, yet now missing: {_listed(missing)}.")
    if len(parts) == 1:
        parts.append("Feature names must be in the same order as they were in fit.")
    return " ".join(parts)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
