"""Rows to look at: those that the model cannot decide, and those whose label it does not believe."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelproba.inspection import suspects
from kernelproba.inspection.reasons.expansions import core
from kernelproba.inspection.reasons.row_labels import row_labels
from kernelproba.plain_text import name, number_text, shorten
from kernelproba.report.data_summary import as_frame
from kernelproba.report.json_values import json_value
from kernelproba.report.row_reasons import RowReasons
from kernelproba.report.summary_types import FlaggedRow, RowReason
from kernelproba.typing import Classifier, MatrixLike

if TYPE_CHECKING:
    import pandas as pd

#: Rows that are listed, their values, and how many of them get reasons.
_ROWS, _VALUES, _WITH_REASONS = 12, 6, 6


def doubtful_rows(
    frame: pd.DataFrame, codes: NDArray, P: NDArray, classes: NDArray, reasons: RowReasons | None = None
) -> list[FlaggedRow]:
    """Describe the rows with the smallest gap between the two largest probabilities, that gap first."""
    second, first = np.argsort(P, axis=1, kind="stable")[:, -2:].T
    rows = np.arange(len(P))
    order = np.argsort(P[rows, first] - P[rows, second], kind="stable")[:_ROWS]
    return [
        {
            "row": json_value(frame.index[i]),
            "label": name(classes[codes[i]]),
            "predicted": name(classes[first[i]]),
            "predicted_probability": float(P[i, first[i]]),
            "runner_up": name(classes[second[i]]),
            "runner_up_probability": float(P[i, second[i]]),
            "values": row_values(frame.iloc[i]),
            "reasons": _reasons(reasons, place, i, first[i]),
        }
        for place, i in enumerate(order)
    ]


def doubted_labels(
    frame: pd.DataFrame, codes: NDArray, P: NDArray, classes: NDArray, reasons: RowReasons | None = None
) -> list[FlaggedRow]:
    """Describe the rows with another predicted class, the least probable label first."""
    own, best = P[np.arange(len(P)), codes], P.argmax(axis=1)
    wrong = np.flatnonzero(best != codes)
    order = wrong[np.argsort(own[wrong], kind="stable")][:_ROWS]
    return [
        {
            "row": json_value(frame.index[i]),
            "label": name(classes[codes[i]]),
            "probability": float(own[i]),
            "predicted": name(classes[best[i]]),
            "predicted_probability": float(P[i, best[i]]),
            "values": row_values(frame.iloc[i]),
            "reasons": _reasons(reasons, place, i, best[i]),
        }
        for place, i in enumerate(order)
    ]


def doubted_training_labels(model: Classifier, X: MatrixLike, y: ArrayLike) -> list[FlaggedRow] | None:
    """The same of training rows, None unless the model keeps leave-one-out probabilities of these rows.

    Every other model would have to be fitted anew; `kernelproba.inspection.suspects` does so.
    """
    left_out = getattr(core(model), "loo_proba_", None)
    if left_out is None or len(left_out) != len(np.asarray(y)):
        return None
    table = suspects(model, X, y, top=_ROWS)
    frame, position = as_frame(X), {label: i for i, label in enumerate(row_labels(X))}
    records = table[table["label"] != table["predicted"]].to_dict("records")
    return cast(
        list[FlaggedRow],
        [
            {key: json_value(record[key]) for key in ("row", "probability", "predicted_probability")}
            | {key: name(record[key]) for key in ("label", "predicted")}
            | {"values": row_values(frame.iloc[position[record["row"]]])}
            for record in records
        ],
    )


def _reasons(reasons: RowReasons | None, place: int, i: int, k: int) -> list[RowReason]:
    """Return why row i is taken for class k; of the first rows of a list only, since it takes time."""
    return [] if reasons is None or place >= _WITH_REASONS else reasons.of(int(i), int(k))


def row_values(row: pd.Series) -> dict[str, str]:
    """The first few entries of a row as short texts, by column."""
    return {name(column): _entry(value) for column, value in row.iloc[:_VALUES].items()}


def _entry(value: object) -> str:
    if isinstance(value, float | np.floating):
        return "missing" if np.isnan(value) else number_text(float(value))
    return shorten(name(value).removesuffix(" 00:00:00"), 40)  # of dates
