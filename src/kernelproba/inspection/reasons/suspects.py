"""Suspects: training rows whose own label is improbable, the first to be looked at again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import column_or_1d, indexable

from kernelproba.estimators.base.cross_fit import held_out_posterior
from kernelproba.extras import extra
from kernelproba.inspection.displays.captions import caption
from kernelproba.inspection.displays.colours import class_colours
from kernelproba.inspection.reasons.expansions import core
from kernelproba.inspection.reasons.row_labels import row_labels, with_columns_of
from kernelproba.inspection.scores.predictions import encode_labels
from kernelproba.typing import Classifier, CrossValidation, MatrixLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def suspects(
    model: Classifier,
    X: MatrixLike,
    y: ArrayLike,
    *,
    cv: CrossValidation = 5,
    top: int | None = None,
    fit_params: Mapping[str, object] | None = None,
) -> pd.DataFrame:
    """Rank training rows by how improbable their own label is.

    The probability of a row's label must come from a fit that has not seen the label.  A model with
    leave-one-out probabilities of the rows it was fitted on (``loo_proba_``) has them already; any
    other is cloned and cross-validated.  Rows that the training of a model switched off by itself
    (``deactivated_`` of `MaximumContrastClassifier`) come first.

    Parameters
    ----------
    model : classifier with ``predict_proba``
        Fitted on X and y if its own leave-one-out probabilities or deactivated rows are to count, else
        fitted or not.
    X : array-like of shape (n, d), or whatever the model reads
        Training rows.
    y : array-like of shape (n,)
        Their labels.
    cv : int, splitter or iterable, default=5
        Folds, where cross-validation is needed.
    top : int or None, default=None
        How many rows to return; None: all.
    fit_params : mapping, optional
        Further arguments of ``fit``, such as ``sample_weight``, where cross-validation is needed.

    Returns
    -------
    DataFrame
        The most suspect row first.  ``row``: its label in the index of X, or its number; ``label``: as
        given; ``probability`` of that label; ``predicted``: the most probable class, and
        ``predicted_probability``; ``deactivated``, if the model has such rows; then the columns of X, if
        it is a frame.  A label whose class is in no training fold has no probability (NaN): such rows
        come last.

    See Also
    --------
    SuspectsDisplay : The same in a figure.
    explain : Which rows speak for a label.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> y[7] = 2  # was 0
    >>> suspects(KernelLogisticRegression(), X, y, top=1)[["row", "label", "predicted"]]
       row  label  predicted
    0    7      2          0
    """
    with extra("tables"):
        import pandas as pd

    rows, labels = indexable(X, column_or_1d(y))
    P, classes = _label_posterior(model, rows, labels, cv, fit_params)
    own = P[np.arange(len(labels)), encode_labels(labels, classes)]
    best = np.where(np.isnan(P), -1.0, P).argmax(axis=1)
    off = _deactivated(model, len(labels))
    # The last key sorts first: deactivated rows, then the least probable label, NaN at the end.
    order = np.lexsort([own] if off is None else [own, ~off])[:top]
    frame = pd.DataFrame(
        {
            "row": pd.Series(row_labels(X), dtype=object).iloc[order].infer_objects().to_numpy(),
            "label": labels[order],
            "probability": own[order],
            "predicted": classes[best[order]],
            "predicted_probability": P[order, best[order]],
        }
    )
    if off is not None:
        frame["deactivated"] = off[order]
    return with_columns_of(frame, X, order)


def _label_posterior(
    model: Classifier,
    X: MatrixLike,
    y: np.ndarray,
    cv: CrossValidation,
    fit_params: Mapping[str, object] | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return probabilities (n, c) from fits without the row itself, and the classes (c,)."""
    if not hasattr(model, "predict_proba"):
        raise ValueError(f"model={model!r} has no predict_proba: suspects are found by probabilities")
    left_out = getattr(core(model), "loo_proba_", None)
    if left_out is None:
        P = held_out_posterior(model, X, y, cv=cv, fit_params=fit_params, absent=np.nan)
        return P, np.unique(y)
    if len(left_out) != len(y):
        raise ValueError(
            f"the model has leave-one-out probabilities of {len(left_out)} rows, but X has {len(y)}: pass "
            "the rows it was fitted on, or an unfitted clone of the model to have it cross-validated"
        )
    return np.asarray(left_out), np.asarray(model.classes_)


def _deactivated(model: Classifier, n: int) -> np.ndarray | None:
    """Return which of the n rows the training has switched off, None if the model does no such thing."""
    index = getattr(core(model), "deactivated_", None)
    if index is None:
        return None
    off = np.zeros(n, dtype=bool)
    off[np.asarray(index, dtype=int)] = True
    return off


class SuspectsDisplay:
    """The most suspect rows: how probable their label is, and what is more probable.

    Parameters
    ----------
    rows : DataFrame
        From `suspects`.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.

    See Also
    --------
    suspects : The same as a table.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> display = SuspectsDisplay.from_estimator(KernelLogisticRegression(), X, y, top=4)
    >>> len(display.frame())
    4
    """

    def __init__(self, rows: pd.DataFrame):
        self.rows = rows

    @classmethod
    def from_estimator(
        cls,
        model: BaseEstimator,
        X: MatrixLike,
        y: ArrayLike,
        *,
        top: int | None = 20,
        ax: Axes | None = None,
        **options: Any,
    ) -> SuspectsDisplay:
        """Find the suspects and draw them.

        Parameters
        ----------
        model, X, y, top
            As in `suspects`.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if not given.
        **options
            Of `suspects`: cv, fit_params.
        """
        return cls(suspects(model, X, y, top=top, **options)).plot(ax)

    def frame(self) -> pd.DataFrame:
        """The rows as a table, the most suspect first."""
        return self.rows

    def plot(self, ax: Axes | None = None, *, max_rows: int = 20) -> SuspectsDisplay:
        """Draw a line for each row, from the probability of its label to that of the predicted class.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if not given.
        max_rows : int, default=20
            How many of the rows to draw, from the first.

        Returns
        -------
        SuspectsDisplay
            Itself.
        """
        rows = self.rows[:max_rows]
        if ax is None:
            with extra("plot"):
                import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(6.5, 0.24 * len(rows) + 1.6), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        heights = np.arange(len(rows))[::-1]
        label_colour, predicted_colour = (tuple(class_colours(5)[k]) for k in (4, 0))
        ax.hlines(heights, rows["probability"], rows["predicted_probability"], color="0.8", linewidth=2)
        ax.plot(rows["probability"], heights, "o", color=label_colour, label="its label")
        ax.plot(
            rows["predicted_probability"], heights, "D", color=predicted_colour, label="most probable class"
        )
        self._mark_deactivated(rows, heights)
        ax.set_yticks(heights, [_tick(row) for row in rows.to_dict("records")], fontsize="small")
        ax.set(xlim=(-0.03, 1.03), xlabel="probability without the row's own label")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize="small")
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        return self

    def _mark_deactivated(self, rows: pd.DataFrame, heights: np.ndarray) -> None:
        if "deactivated" in rows and rows["deactivated"].any():
            off = rows["deactivated"].to_numpy()
            x = rows["probability"].to_numpy()[off]
            self.ax_.plot(
                x,
                heights[off],
                "o",
                label="switched off in training",
                markersize=12,
                markerfacecolor="none",
                color="0.2",
            )


def _tick(row: dict) -> str:
    name = caption(row["row"], limit=24) if isinstance(row["row"], str) else f"row {caption(row['row'])}"
    verdict = f"{caption(row['label'], limit=16)} → {caption(row['predicted'], limit=16)}"
    return f"{name}: {verdict}" if row["label"] != row["predicted"] else f"{name}: {caption(row['label'])}"
