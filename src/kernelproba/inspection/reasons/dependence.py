"""How a column matters: the mean probability of each class as the column takes one value after the other.

The partial dependence of class k on column j at the value v is [Friedman 2001]

    p̄_k(v) = 1/n Σᵢ p_k(xᵢ with xᵢⱼ = v) ,

a mean over rows that keep all their other values.  Only values that occur are tried.  Where columns go
together, some of the rows that this makes up may be like none that occur.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri
from sklearn.utils import check_random_state

from kernelproba.extras import extra
from kernelproba.inspection.arguments import check_columns, check_probabilistic, check_whole_numbers
from kernelproba.inspection.reasons.importance import drawn_rows
from kernelproba.inspection.reasons.mixed_rows import MixedRows, as_numbers, frequent_levels
from kernelproba.inspection.reasons.row_labels import row_labels
from kernelproba.inspection.scores.predictions import check_option
from kernelproba.typing import Classifier, MatrixLike, RandomState

if TYPE_CHECKING:
    import pandas as pd

#: Quantiles between which numbers are tried: beyond them there are few rows to learn from.
_INNER = (0.02, 0.98)

#: Of the intervals.
_CONFIDENCE = 0.95


def partial_dependence(
    model: Classifier,
    X: MatrixLike,
    columns: Sequence | None = None,
    *,
    n_values: int = 12,
    max_rows: int = 100,
    interval: str | None = None,
    random_state: RandomState = 0,
) -> pd.DataFrame:
    """Tell how the mean probability of each class goes with the value of a column.

    Parameters
    ----------
    model : classifier
        Fitted, with ``predict_proba``.
    X : array-like or data frame of shape (n, d)
        Rows, as `model` takes them.
    columns : sequence, optional
        Names (of frames) or numbers of columns; by default all.
    n_values : int, default=12
        Values that are tried: quantiles of numbers and dates, else the most frequent ones.
    max_rows : int, default=100
        Rows that are drawn if there are more.
    interval : {"model", "rows"}, optional
        What intervals speak of: ``"model"``, what the rows of training leave open, as the means of the ends
        of ``predict_proba_interval``; ``"rows"``, what another draw of rows may change.  By default the
        former if the model has it.
    random_state : int, RandomState instance or None, default=0
        Of the draw.

    Returns
    -------
    DataFrame
        One line per column, value and class: ``column``, ``value``, ``class``, ``probability``, and the ends
        ``low`` and ``high`` of its 95 % interval; ``attrs["interval"]`` says of which kind.

    See Also
    --------
    permutation_importance : Which columns matter at all.
    smallest_change : What would have to be different in one row for another decision.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = KernelLogisticRegression().fit(X, y)
    >>> lines = partial_dependence(model, X, ["petal width (cm)"], n_values=3)
    >>> [round(float(p), 1) for p in lines.query("`class` == 2")["probability"]]
    [0.2, 0.3, 0.5]
    """
    with extra("tables"):
        import pandas as pd

    check_probabilistic(model)
    check_whole_numbers(2, n_values=n_values, max_rows=max_rows)
    check_columns(X=X)
    kind = interval or ("model" if hasattr(model, "predict_proba_interval") else "rows")
    check_option("interval", kind, ("model", "rows"))
    rows, size = MixedRows(X), len(row_labels(X))
    if kind == "rows" and size < 2:
        raise ValueError("X has one row, and intervals over rows need more: pass two or more")
    chosen = drawn_rows(size, max_rows, check_random_state(random_state))
    lines: list[tuple] = []
    for j in rows.numbers(columns):
        sources = tried_values(rows.values(j, size), n_values)
        if not len(sources):
            continue
        table = _dependence(model, rows, (chosen, sources), j, kind)
        for source, at in zip(sources, table, strict=True):
            value = rows.value(j, source)
            lines += [
                (rows.names[j], value, label, *ends) for label, ends in zip(model.classes_, at, strict=True)
            ]
    found = pd.DataFrame(lines, columns=["column", "value", "class", "probability", "low", "high"])
    found.attrs["interval"] = kind
    return found


def tried_values(values: np.ndarray, n_values: int) -> np.ndarray:
    """Return numbers of rows whose values stand for a column: in order, or the most frequent first.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Of the column.
    n_values : int
        How many, at most.
    """
    numbers = as_numbers(values)
    if numbers is None:
        return frequent_levels(values, n_values)
    known = np.flatnonzero(~np.isnan(numbers))
    if not len(known):
        return known
    order = known[np.argsort(numbers[known], kind="stable")]
    distinct = order[np.unique(numbers[order], return_index=True)[1]]
    if len(distinct) <= n_values:
        return distinct
    places = np.linspace(*_INNER, n_values) * (len(order) - 1)
    found = order[places.round().astype(int)]
    return found[np.unique(numbers[found], return_index=True)[1]]


def _dependence(
    model: Classifier, rows: MixedRows, sample: tuple[np.ndarray, np.ndarray], j: int, kind: str
) -> np.ndarray:
    """Return mean probability and ends of its interval for each value and class, (v, c, 3)."""
    chosen, sources = sample
    whole = rows.take(np.tile(np.tile(chosen, len(sources))[:, None], len(rows.names)))
    changed = rows.with_column(whole, j, np.repeat(sources, len(chosen)))
    P = np.asarray(model.predict_proba(changed)).reshape(len(sources), len(chosen), -1)
    mean = P.mean(axis=1)
    if kind == "model":
        intervals = getattr(model, "predict_proba_interval", None)
        if intervals is None:
            raise ValueError("interval='model' needs a model with predict_proba_interval: choose 'rows'")
        ends = np.asarray(intervals(changed, _CONFIDENCE))
        low, high = ends.reshape(*P.shape, 2).mean(axis=1).transpose(2, 0, 1)
    else:
        half = ndtri((1 + _CONFIDENCE) / 2) * P.std(axis=1, ddof=1) / np.sqrt(len(chosen))
        low, high = mean - half, mean + half
    return np.stack([mean, low.clip(min=0).clip(max=mean), high.clip(max=1).clip(min=mean)], axis=2)
