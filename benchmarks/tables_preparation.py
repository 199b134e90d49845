"""The usual preparation of mixed tables for classifiers that take numbers, or numbers and categories."""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from benchmarks.tables_data import Features, date_columns, text_columns

#: How a missing text is called where it must be one of the categories.
MISSING = "missing"


def one_hot(X: Features, *, scale: bool):
    """Transformer: texts one-hot, gaps as a category; of numbers and dates standardised values, gaps filled and told.

    Parameters
    ----------
    X : DataFrame or ndarray
        Training rows, for the kinds of the columns alone.
    scale : bool
        False leaves numbers as they are, with their gaps, for trees.
    """
    if isinstance(X, np.ndarray):
        return StandardScaler() if scale else FunctionTransformer()
    filled = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    levels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer((levels, text_columns), remainder=filled if scale else "passthrough")
    return make_pipeline(FunctionTransformer(with_calendar), columns)


def with_calendar(X: Features) -> Features:
    """Dates as numbers: day, year, month, day of the year and its place on a circle, weekday."""
    if isinstance(X, np.ndarray) or not date_columns(X):
        return X
    parts = {}
    for name in date_columns(X):
        date, angle = X[name].dt, 2 * np.pi * X[name].dt.day_of_year / 365.25
        parts[f"{name} day"] = (X[name] - pd.Timestamp(1970, 1, 1)).dt.days
        parts |= {
            f"{name} {part}": getattr(date, part) for part in ("year", "month", "day_of_year", "day_of_week")
        }
        parts |= {f"{name} sine": np.sin(angle), f"{name} cosine": np.cos(angle)}
    return X.drop(columns=date_columns(X)).assign(**parts)


def with_categories(X: Features) -> Features:
    """Texts as categories of pandas, dates as numbers."""
    X = with_calendar(X)
    return X if isinstance(X, np.ndarray) else X.astype(dict.fromkeys(text_columns(X), "category"))


def with_texts(X: Features) -> Features:
    """Texts without gaps, dates as numbers."""
    X = with_calendar(X)
    return X if isinstance(X, np.ndarray) else X.fillna(dict.fromkeys(text_columns(X), MISSING))
