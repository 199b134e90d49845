"""What may be wrong with the rows: those seen before, and columns that leak, name rows or have shifted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kernelproba.inspection.scores.predictions import Predictions
from kernelproba.report.about import About
from kernelproba.report.data_summary import as_frame
from kernelproba.report.drift import drifts
from kernelproba.report.identifiers import left_out_columns, used_identifiers
from kernelproba.report.leaks import leaking_columns
from kernelproba.report.slice_summary import describe_slices
from kernelproba.report.summary_types import DefectSummary
from kernelproba.tables import TableError
from kernelproba.tables.fingerprints import fingerprints, seen_before
from kernelproba.typing import Classifier, MatrixLike

if TYPE_CHECKING:
    import pandas as pd


def look_for_defects(
    model: Classifier | None,
    X: MatrixLike,
    predictions: Predictions,
    training: tuple[MatrixLike, ArrayLike] | None,
    about: About,
) -> DefectSummary:
    """Return all that `kernelproba.report.findings.defects` reads.

    Parameters
    ----------
    model : classifier or None
        Fitted, if there is more of it than its predictions.
    X : array-like or data frame of shape (n, d)
        Held-out rows.
    predictions : Predictions
        Their classes and probabilities.
    training : pair (X, y), optional
        The rows that the model was fitted on.
    about : About
        What only the caller knows.
    """
    frame = as_frame(X)
    learnt = None if training is None else as_frame(training[0])
    judged = predictions.codes, predictions.P, predictions.classes
    return {
        "rows": len(predictions.P),
        "seen_rows": _seen_rows(about, frame, learnt),
        "slices": describe_slices(*judged, frame),
        "drift": [] if training is None else drifts(training[0], X),
        "leaks": [] if training is None or learnt is None else leaking_columns(learnt, training[1]),
        "identifiers": [] if model is None else used_identifiers(model, frame if learnt is None else learnt),
        "left_out": left_out_columns(model, about.left_out),
    }


def _seen_rows(about: About, frame: pd.DataFrame, learnt: pd.DataFrame | None) -> int | None:
    """Count the rows that the model was fitted on: as the caller knows, or else as equal rows tell."""
    if about.seen is not None:
        return int(np.sum(about.seen))
    if learnt is None or not frame.shape[1]:
        return None
    try:
        return int(seen_before(fingerprints(frame), fingerprints(learnt)).sum())
    except TableError:  # a column of lists or the like
        return None
