"""Everything that a report says, as one dict of plain values.

Nothing is fitted here: the model is asked for the probabilities of the held-out rows once, and everything
else follows from them.
"""

from __future__ import annotations

import platform
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import scipy
import sklearn
from numpy.typing import ArrayLike
from sklearn.utils.validation import column_or_1d

from kernelproba.inspection.arguments import check_matrices
from kernelproba.inspection.reasons.expansions import core
from kernelproba.inspection.scores.predictions import Predictions, check_predictions, predict_probabilities
from kernelproba.plain_text import name
from kernelproba.report.about import About, chosen_parameters, made_now, settings_of
from kernelproba.report.class_scores import class_scores, threshold_curve
from kernelproba.report.column_summary import describe_columns, no_columns
from kernelproba.report.comparison import rivals as usual_rivals
from kernelproba.report.cost_curve import cost_curve
from kernelproba.report.data_summary import as_frame, describe_data
from kernelproba.report.defect_summary import look_for_defects
from kernelproba.report.findings import defects, weaknesses
from kernelproba.report.flagged_rows import doubted_labels, doubted_training_labels, doubtful_rows
from kernelproba.report.json_values import json_value
from kernelproba.report.label_sets import LabelSets
from kernelproba.report.posterior_summary import summarise_map
from kernelproba.report.row_reasons import RowReasons
from kernelproba.report.scores_summary import (
    baseline_scores,
    calibration,
    confidence,
    confusion,
    headline_scores,
    opponent,
    own_baseline_scores,
)
from kernelproba.report.summary_types import AskedSummary, ModelSummary, RivalsSummary, Summary
from kernelproba.report.uncertainty_summary import describe_novelty, describe_sets
from kernelproba.typing import Classifier, MatrixLike

if TYPE_CHECKING:
    import pandas as pd

#: Raised when a reader of the JSON would have to change.
FORMAT = 1

#: What is said where a model would have to be asked.
_NO_MODEL = "Only probabilities are known here, not the model that stated them."

#: Classes whose curves are drawn.
_CURVES = 6


def summarise(
    model: Classifier,
    X: MatrixLike,
    y: ArrayLike,
    *,
    training: tuple[MatrixLike, ArrayLike] | None = None,
    rivals: pd.DataFrame | None = None,
    about: About | None = None,
) -> Summary:
    """Describe a fitted classifier on rows that it has not seen.

    Parameters
    ----------
    model : classifier
        Fitted, with ``predict_proba``.
    X : array-like or data frame of shape (n, d)
        Held-out rows.
    y : array-like of shape (n,)
        Their labels.
    training : pair (X, y), optional
        The rows that the model was fitted on.  They are counted, and if the model keeps leave-one-out
        probabilities, searched for wrong labels.
    rivals : DataFrame, optional
        From `compare`.
    about : About, optional
        The target's name, the command, times, and which rows the model has seen after all.

    Returns
    -------
    dict
        Of plain values only, ready for ``json.dump``; see ``docs/guide/report.md``.

    See Also
    --------
    compare : Fits other classifiers on the same folds.
    write_report : Makes a page of it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> summary = summarise(KernelLogisticRegression().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> summary["data"]["rows"], sorted(summary["scores"])
    (75, ['brier', 'ece', 'error', 'log_loss'])
    """
    about = about or About()
    start = time.perf_counter()
    P, classes = predict_probabilities(model, X)
    seconds = {"predict": time.perf_counter() - start}
    checked = check_predictions(column_or_1d(y), P, classes)
    about = replace(about, timings=dict(about.timings) | seconds)
    return _summary(model, X, checked, training, rivals, about)


def summarise_predictions(
    y: ArrayLike,
    P: ArrayLike,
    X: MatrixLike | None = None,
    *,
    classes: ArrayLike | None = None,
    about: About | None = None,
) -> Summary:
    """Describe probabilities of any origin: all that `summarise` tells without asking the model again.

    Parameters
    ----------
    y : array-like of shape (n,)
        True labels.
    P : array-like of shape (n, c), or (n,) for two classes
        Probabilities; one dimension means those of the second class.
    X : array-like or data frame of shape (n, d), optional
        The rows, for slices and for the values of rows to check.
    classes : array-like of shape (c,), optional
        Labels of the columns of P; the sorted labels in y if not given.
    about : About, optional
        As in `summarise`.

    Returns
    -------
    dict
        As of `summarise`.

    See Also
    --------
    summarise : Describes a fitted model.
    write_report : Makes a page of it.

    Examples
    --------
    >>> summary = summarise_predictions([0, 1, 1, 0] * 10, [0.2, 0.7, 0.9, 0.4] * 10)
    >>> summary["data"]["rows"], summary["scores"]["error"]["estimate"]
    (40, 0.0)
    """
    checked = check_predictions(column_or_1d(y), P, classes)
    rows = np.empty((len(checked.P), 0)) if X is None else X
    check_matrices(X=rows)
    return _summary(None, rows, checked, None, None, about or About())


def _summary(
    model: Classifier | None,
    X: MatrixLike,
    checked: Predictions,
    training: tuple[MatrixLike, ArrayLike] | None,
    rivals: pd.DataFrame | None,
    about: About,
) -> Summary:
    codes, P, classes = checked.codes, checked.P, checked.classes
    suspect = look_for_defects(model, X, checked, training, about)
    data = describe_data(X, codes, classes, training)
    data["seen_rows"] = suspect["seen_rows"]
    counts = about.class_counts
    if training is not None:
        counts = np.array([each["training_rows"] for each in data["classes"]])
    scores = headline_scores(codes, P)
    asked = _ask_model(model, X, checked, training, about.sets)
    found: Summary = {
        "format": FORMAT,
        "made": made_now(),
        "target": None if about.target is None else name(about.target),
        "model": _describe_model(model, about),
        "data": data,
        "scores": scores,
        "baseline": own_baseline_scores(codes, P.shape[1])
        if counts is None
        else baseline_scores(codes, counts),
        "baseline_counted": "in these rows" if counts is None else "in training",
        "classes": class_scores(codes, P, classes),
        "curves": _curves(codes, P, classes),
        "columns": asked["columns"],
        "slices": suspect["slices"],
        "drift": suspect["drift"],
        "leaks": suspect["leaks"],
        "identifiers": suspect["identifiers"],
        "left_out": suspect["left_out"],
        "rivals": None if rivals is None else _describe_rivals(rivals),
        "against": [opponent(each, codes, P, Q) for each, Q in about.against.items()],
        "calibration": calibration(codes, P, classes, scores["ece"]),
        "confusion": confusion(codes, P, classes),
        "confidence": confidence(codes, P),
        "map": asked["map"],
        "sets": asked["sets"],
        "novelty": asked["novelty"],
        "row_numbers": about.row_numbers,
        "doubtful_rows": asked["doubtful_rows"],
        "doubted_labels": asked["doubted_labels"],
        "doubted_training_labels": asked["doubted_training_labels"],
        "timings": json_value(dict(about.timings)),
        "command": about.command_line(),
        "versions": _versions(),
    }
    found["findings"] = [*defects(suspect), *weaknesses(found)]
    return found


def _ask_model(
    model: Classifier | None,
    X: MatrixLike,
    checked: Predictions,
    training: tuple[MatrixLike, ArrayLike] | None,
    sets: Literal["model"] | LabelSets | None,
) -> AskedSummary:
    """Return what only a model can tell; of predictions alone, why it is not known."""
    codes, P, classes, frame = checked.codes, checked.P, checked.classes, as_frame(X)
    if model is None:
        return {
            "columns": no_columns(_NO_MODEL),
            "map": {"reason": _NO_MODEL},
            "sets": None,
            "novelty": None,
            "doubtful_rows": doubtful_rows(frame, codes, P, classes),
            "doubted_labels": doubted_labels(frame, codes, P, classes),
            "doubted_training_labels": None,
        }
    reasons = RowReasons(model, X, X if training is None else training[0], classes)
    return {
        "columns": describe_columns(model, X, classes[codes]),
        "map": summarise_map(model, X, codes, P),
        "sets": describe_sets(LabelSets.of(model) if sets == "model" else sets, X, codes, P),
        "novelty": describe_novelty(model, X, frame, P, classes),
        "doubtful_rows": doubtful_rows(frame, codes, P, classes, reasons),
        "doubted_labels": doubted_labels(frame, codes, P, classes, reasons),
        "doubted_training_labels": None if training is None else doubted_training_labels(model, *training),
    }


def _describe_model(model: Classifier | None, about: About) -> ModelSummary:
    """The classifier at the centre by name, and the whole of it as one would write it."""
    if model is None:
        source = name(about.source or "stated probabilities")
        return {"name": source, "description": _NO_MODEL, "settings": {}, "chosen": {}}
    inner = core(model)
    return {
        "name": type(inner).__name__,
        "description": name(model),
        "settings": settings_of(inner),
        "chosen": chosen_parameters(inner),
    }


def _curves(codes: np.ndarray, P: np.ndarray, classes: np.ndarray) -> list[dict[str, object]]:
    """Curves of the classes that have most rows; of two classes, of the second."""
    counts = np.bincount(codes, minlength=len(classes))
    shown = [1] if len(classes) == 2 else np.argsort(-counts, kind="stable")[:_CURVES].tolist()
    return [
        {
            "name": name(classes[k]),
            **threshold_curve(codes == k, P[:, k]),
            "costs": cost_curve(codes == k, P[:, k]),
        }
        for k in shown
        if counts[k]
    ]


def _describe_rivals(table: pd.DataFrame) -> RivalsSummary:
    """Rows of the comparison as records, those that are not among the usual rivals marked as ours."""
    usual = usual_rivals()
    methods = [json_value(row) | {"ours": row["method"] not in usual} for row in table.to_dict("records")]
    return {"methods": methods} | json_value(table.attrs)


def _versions() -> dict[str, str]:
    from kernelproba import __version__

    return {
        "kernelproba": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }
