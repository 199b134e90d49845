"""How sure the model is: sets of labels, how often they hold the truth, and rows unlike those of training."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from kernelproba.estimators.conformal.new_rows import classifier_inside
from kernelproba.inspection import CoverageDisplay
from kernelproba.plain_text import name
from kernelproba.report.flagged_rows import row_values
from kernelproba.report.json_values import json_value
from kernelproba.report.label_sets import LabelSets
from kernelproba.report.summary_types import FlaggedRow, NoveltySummary, SetsSummary
from kernelproba.typing import Classifier, MatrixLike

if TYPE_CHECKING:
    import pandas as pd

#: Levels of the sets that are judged, as far as the training rows attain them.
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
#: p-value up to which a row counts as new, and rows that are listed.
NEW, _ROWS = 0.05, 12


def describe_sets(sets: LabelSets | None, X: MatrixLike, codes: NDArray, P: NDArray) -> SetsSummary | None:
    """Judge sets of labels by held-out rows.

    Parameters
    ----------
    sets : LabelSets or None
        Of the model.
    X : array-like or data frame of shape (n, d)
        Held-out rows, as the model takes them.
    codes : ndarray of shape (n,)
        Their class numbers.
    P : ndarray of shape (n, c)
        Their probabilities.

    Returns
    -------
    dict of lists or None
        ``confidence``, ``coverage``, ``std_error``, ``mean_size`` and ``single``, one entry for each level;
        None without sets.
    """
    if sets is None:
        return None
    levels = [level for level in LEVELS if level <= sets.attainable]
    shown = CoverageDisplay.from_predictions(
        codes, sets.at(levels, X, P), levels, classes=np.arange(P.shape[1])
    )
    keys = ("confidence", "coverage", "std_error", "mean_size", "single")
    found = {key: json_value(getattr(shown, key)) for key in keys} | {"known_rows": sets.known_rows}
    return cast("SetsSummary", found)


def describe_novelty(
    model: Classifier, X: MatrixLike, frame: pd.DataFrame, P: NDArray, classes: NDArray
) -> NoveltySummary | None:
    """Count and list the rows that are unlike those of training, the least p-value first.

    Parameters
    ----------
    model : classifier
        Fitted.
    X : array-like or data frame of shape (n, d)
        Held-out rows, as the model takes them.
    frame : DataFrame of shape (n, d)
        The same, to be shown.
    P : ndarray of shape (n, c)
        Their probabilities.
    classes : ndarray of shape (c,)
        Labels.

    Returns
    -------
    dict or None
        ``share`` of the rows with a p-value of ``threshold`` or less, and the ``rows`` among them; None if
        the model cannot tell.
    """
    inner, rows = classifier_inside(model, X)
    if not hasattr(inner, "novelty_score"):
        return None
    try:
        score, p_value = inner.novelty_score(rows, return_p_value=True)
    except ValueError:  # of a kernel that is a matrix or a function
        return None
    new = np.flatnonzero(p_value <= NEW)
    order = new[np.lexsort((-score[new], p_value[new]))][:_ROWS]
    best = P.argmax(axis=1)
    listed: list[FlaggedRow] = [
        {
            "row": json_value(frame.index[i]),
            "novelty": float(score[i]),
            "p_value": float(p_value[i]),
            "predicted": name(classes[best[i]]),
            "predicted_probability": float(P[i, best[i]]),
            "values": row_values(frame.iloc[i]),
        }
        for i in order
    ]
    return {"threshold": NEW, "share": float(len(new) / len(P)), "rows": listed}
