"""Everything that a report says, as one dict of plain values.

Nothing is fitted here: the model is asked for the probabilities of the held-out rows once, and everything
else follows from them.
"""

from __future__ import annotations

import platform
import shlex
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
import sklearn
from sklearn.utils.validation import column_or_1d

from kernelproba.inspection.reasons.expansions import core
from kernelproba.inspection.scores.predictions import check_predictions, predict_probabilities
from kernelproba.plain_text import name
from kernelproba.report.comparison import rivals as usual_rivals
from kernelproba.report.data_summary import as_frame, describe_data
from kernelproba.report.flagged_rows import doubted_labels, doubted_training_labels, doubtful_rows
from kernelproba.report.json_values import plain
from kernelproba.report.posterior_summary import summarise_map
from kernelproba.report.scores_summary import (
    baseline_scores,
    calibration,
    confidence,
    confusion,
    headline_scores,
)

if TYPE_CHECKING:
    import pandas as pd

#: Raised when a reader of the JSON would have to change.
FORMAT = 1


def summarise(
    model: Any,
    X: Any,
    y: Any,
    *,
    training: tuple[Any, Any] | None = None,
    rivals: pd.DataFrame | None = None,
    command: str | Sequence[str] | None = None,
    timings: Mapping[str, float] | None = None,
) -> dict[str, Any]:
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
        From `kernelproba.report.comparison.compare`.
    command : str or sequence of str, optional
        What was typed to make the report.
    timings : mapping of str to float, optional
        Seconds by what they were spent on, such as ``{"fit": 1.2}``.

    Returns
    -------
    dict
        Of plain values only, ready for ``json.dump``; see ``docs/guide/report.md``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> summary = summarise(KernelLogisticRegression().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> summary["data"]["rows"], sorted(summary["scores"])
    (75, ['brier', 'ece', 'error', 'log_loss'])
    """
    start = time.perf_counter()
    P, classes = predict_probabilities(model, X)
    seconds = {"predict": time.perf_counter() - start}
    checked = check_predictions(column_or_1d(y), P, classes)
    codes, P, frame = checked.codes, checked.P, as_frame(X)
    data = describe_data(X, codes, classes, training)
    counts = np.array([c["rows"] if training is None else c["training_rows"] for c in data["classes"]])
    scores = headline_scores(codes, P)
    return {
        "format": FORMAT,
        "model": _describe_model(model),
        "data": data,
        "scores": scores,
        "baseline": baseline_scores(codes, counts),
        "rivals": None if rivals is None else _describe_rivals(rivals),
        "calibration": calibration(codes, P, classes, scores["ece"]),
        "confusion": confusion(codes, P, classes),
        "confidence": confidence(codes, P),
        "map": summarise_map(model, X, codes, P),
        "doubtful_rows": doubtful_rows(frame, codes, P, classes),
        "doubted_labels": doubted_labels(frame, codes, P, classes),
        "doubted_training_labels": None if training is None else doubted_training_labels(model, *training),
        "timings": plain(dict(timings or {}) | seconds),
        "command": command if command is None or isinstance(command, str) else shlex.join(command),
        "versions": _versions(),
    }


def _describe_model(model: Any) -> dict[str, str]:
    """The classifier at the centre by name, and the whole of it as one would write it."""
    return {"name": type(core(model)).__name__, "description": name(model)}


def _describe_rivals(table: pd.DataFrame) -> dict[str, Any]:
    """Rows of the comparison as records, those that are not among the usual rivals marked as ours."""
    usual = usual_rivals()
    methods = [plain(row) | {"ours": row["method"] not in usual} for row in table.to_dict("records")]
    return {"methods": methods} | plain(table.attrs)


def _versions() -> dict[str, str]:
    from kernelproba import __version__

    return {
        "kernelproba": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }
