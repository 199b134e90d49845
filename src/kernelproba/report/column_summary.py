"""Which columns the predictions owe most to, and how probabilities go with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.special import ndtri
from sklearn.utils import get_tags

from kernelproba.inspection import partial_dependence, permutation_importance
from kernelproba.plain_text import name, number_text, shorten
from kernelproba.report.json_values import json_value
from kernelproba.report.summary_types import ColumnDependence, ColumnsSummary, DependenceCurve
from kernelproba.typing import Classifier, MatrixLike

if TYPE_CHECKING:
    import pandas as pd

#: Rows that are predicted to find out which columns matter, how often each is shuffled, rows at most.
_PREDICTIONS, _REPEATS, _ROWS = 20_000, 2, 400

#: Chance that any column is said to matter that does not.
_CHANCE = 0.05

#: Columns beyond which too few rows would be left for each.
_COLUMNS = 200

#: Rows below which shuffling says nothing, and classes beyond which intervals of the model take long.
_FEWEST, _CLASSES = 10, 6

#: Columns that are drawn, values that are tried, rows that take them, classes that are drawn of many.
_DRAWN, _VALUES, _DEPENDENCE_ROWS, _CURVES = 4, 12, 30, 3


def describe_columns(model: Classifier, X: MatrixLike, y: NDArray) -> ColumnsSummary:
    """Ask a model what its predictions of held-out rows owe to each column.

    Parameters
    ----------
    model : classifier
        Fitted.
    X : array-like or data frame of shape (n, d)
        Held-out rows.
    y : ndarray of shape (n,)
        Their labels.
    """
    why_not = _why_not(model, X)
    if why_not is not None:
        return no_columns(why_not)
    rows = int(np.clip(_PREDICTIONS // (_REPEATS * _shape(X)[1]), 50, _ROWS))
    interval = "model" if _has_cheap_intervals(model) else "rows"
    try:
        found = permutation_importance(model, X, y, n_repeats=_REPEATS, max_rows=rows)
        found["clear"] = _clear(found)
        matter = found["column"][found["clear"]][:_DRAWN].tolist()
        lines = partial_dependence(
            model, X, matter, n_values=_VALUES, max_rows=_DEPENDENCE_ROWS, interval=interval
        )
    except (ValueError, TypeError) as error:  # rows of a kind whose columns cannot be mixed
        return no_columns(f"Columns cannot be told apart: {error}")
    return {
        "rows": min(rows, len(y)),
        "importance": [
            json_value(line) | {"column": _name(line["column"])} for line in found.to_dict("records")
        ],
        "dependence": [_dependence(column, lines[lines["column"] == column], model) for column in matter],
        "interval": lines.attrs["interval"],
    }


def _clear(found: pd.DataFrame) -> NDArray:
    """Which columns matter more than chance would have any of them matter (Bonferroni)."""
    error = ((found["high"] - found["importance"]) / ndtri(0.975)).to_numpy()
    return (found["importance"] > ndtri(1 - _CHANCE / len(found)) * error).to_numpy()


def no_columns(reason: str) -> ColumnsSummary:
    """Say why nothing is known of columns."""
    return {"reason": reason, "rows": 0, "importance": [], "dependence": [], "interval": "rows"}


def _why_not(model: Classifier, X: MatrixLike) -> str | None:
    """Return why columns cannot be shuffled, None if they can."""
    if get_tags(model).input_tags.pairwise:
        return "A precomputed kernel has no columns of its own."
    shape = _shape(X)
    if issparse(X) or len(shape) != 2:
        return "Columns of sparse or stored rows are not shuffled."
    if shape[0] < _FEWEST:
        return f"{shape[0]} rows are too few to shuffle."
    if shape[1] > _COLUMNS:
        return f"There are {shape[1]:,} columns: one by one, no more than {_COLUMNS} are looked at."
    return None


def _shape(X: MatrixLike) -> tuple[int, ...]:
    return getattr(X, "shape", ())


def _has_cheap_intervals(model: Classifier) -> bool:
    return hasattr(model, "predict_proba_interval") and len(model.classes_) <= _CLASSES


def _name(column: object) -> str:
    """Columns of arrays are called x0, x1, …"""
    return f"x{column}" if isinstance(column, int) else name(column)


def _dependence(column: object, lines: pd.DataFrame, model: Classifier) -> ColumnDependence:
    """Return the curves of the classes that a column moves most."""
    first = lines[lines["class"] == model.classes_[0]]
    curves = [_curve(model, k, lines) for k in range(len(model.classes_))]
    moved = sorted(curves[-1:] if len(curves) == 2 else curves, key=lambda each: -_range(each))
    values = first["value"].infer_objects().to_numpy()  # each column has a type of its own
    return {
        "column": _name(column),
        "values": [_shown(value) for value in values],
        "at": _places(values),
        "curves": moved[:_CURVES],
    }


def _curve(model: Classifier, k: int, lines: pd.DataFrame) -> DependenceCurve:
    own = lines[lines["class"] == model.classes_[k]]
    ends = {key: json_value(own[key].to_numpy()) for key in ("probability", "low", "high")}
    return cast("DependenceCurve", {"name": name(model.classes_[k]), "code": k} | ends)


def _range(curve: DependenceCurve) -> float:
    return max(curve["probability"]) - min(curve["probability"])


def _places(values: NDArray) -> list[float] | None:
    """Numbers and dates as numbers, None for levels."""
    if values.dtype.kind == "M":
        return json_value(values.astype("datetime64[s]").astype(np.int64).astype(float))
    return json_value(values.astype(float)) if values.dtype.kind in "iuf" else None


def _shown(value: object) -> str:
    if isinstance(value, np.datetime64):
        return str(value.astype("datetime64[m]")).removesuffix("T00:00")
    return number_text(float(value)) if isinstance(value, float | np.floating) else shorten(name(value), 40)
