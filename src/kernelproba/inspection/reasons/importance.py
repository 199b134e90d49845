"""Which columns matter: how much the log loss of left-out rows rises when a column is shuffled.

Shuffling breaks what ties a column to the label and to the other columns, and leaves its values as they are
[Breiman 2001; Fisher, Rudin and Dominici 2019].  The rise of row i is the mean over the shuffles of

    log p(yᵢ | xᵢ) − log p(yᵢ | xᵢ with another row's value) ,

and the importance of the column is its mean over the rows: what the predictions owe to the column.  Of two
columns that say the same, each can stand in for the other, and both may seem to matter little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from sklearn.utils import check_random_state, column_or_1d

from kernelproba.extras import extra
from kernelproba.inspection.arguments import check_columns, check_probabilistic, check_whole_numbers
from kernelproba.inspection.reasons.mixed_rows import MixedRows
from kernelproba.inspection.reasons.row_labels import row_labels
from kernelproba.inspection.scores.predictions import encode_labels, predict_probabilities
from kernelproba.scoring import row_log_losses
from kernelproba.typing import Classifier, MatrixLike, RandomState

if TYPE_CHECKING:
    import pandas as pd


def permutation_importance(
    model: Classifier,
    X: MatrixLike,
    y: ArrayLike,
    *,
    n_repeats: int = 5,
    max_rows: int = 1000,
    random_state: RandomState = 0,
) -> pd.DataFrame:
    """Tell how much the log loss rises when one column is shuffled, column by column.

    Parameters
    ----------
    model : classifier
        Fitted, with ``predict_proba``.
    X : array-like or data frame of shape (n, d)
        Rows that the model has not seen, as it takes them: the columns of a table are shuffled before they
        are encoded.
    y : array-like of shape (n,)
        Their labels.
    n_repeats : int, default=5
        How often each column is shuffled.
    max_rows : int, default=1000
        Rows that are drawn if there are more.
    random_state : int, RandomState instance or None, default=0
        Of the draw and of the shuffles.

    Returns
    -------
    DataFrame
        One line per column, the most important first: ``column``, its name or number; ``importance``, the
        rise of the log loss; ``low`` and ``high``, the ends of its 95 % interval, which speaks of other rows
        and not of another fit.  An interval around 0 says that the predictions would hardly miss the column.

    See Also
    --------
    partial_dependence : In which way a column matters.
    column_contributions : Which columns move the prediction of one row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = KernelLogisticRegression().fit(X[::2], y[::2])
    >>> permutation_importance(model, X[1::2], y[1::2])["column"][0]
    'petal length (cm)'
    """
    with extra("tables"):
        import pandas as pd

    check_probabilistic(model)
    check_whole_numbers(1, n_repeats=n_repeats)
    check_whole_numbers(2, max_rows=max_rows)
    check_columns(X=X)
    rng = check_random_state(random_state)
    rows, labels = MixedRows(X), column_or_1d(y)
    if len(labels) != len(row_labels(X)):
        raise ValueError(f"y must hold one label for each of the {len(row_labels(X))} rows of X")
    if len(labels) < 2:
        raise ValueError("X has one row, whose columns cannot be shuffled: pass two or more")
    chosen = np.tile(drawn_rows(len(labels), max_rows, rng), (n_repeats, 1))  # (r, n)
    as_is = rows.take(np.tile(chosen.reshape(-1, 1), len(rows.names)))
    P, classes = predict_probabilities(model, as_is)
    codes = encode_labels(labels[chosen.ravel()], classes)
    before = row_log_losses(P, codes)
    rises = []
    for j in range(len(rows.names)):
        shuffled = rows.with_column(as_is, j, np.concatenate([*map(rng.permutation, chosen)]))
        rises.append((_losses(model, shuffled, codes) - before).reshape(n_repeats, -1).mean(axis=0))
    means = np.array([rise.mean() for rise in rises])
    half = ndtri(0.975) * np.array([rise.std(ddof=1) for rise in rises]) / np.sqrt(chosen.shape[1])
    table = {"column": rows.names, "importance": means, "low": means - half, "high": means + half}
    return pd.DataFrame(table).sort_values("importance", ascending=False, kind="stable", ignore_index=True)


def drawn_rows(n: int, max_rows: int, rng: np.random.RandomState) -> np.ndarray:
    """Return the numbers of at most so many of n rows, in their order."""
    return np.arange(n) if n <= max_rows else np.sort(rng.choice(n, max_rows, replace=False))


def _losses(model: Classifier, X: MatrixLike, codes: np.ndarray) -> np.ndarray:
    return row_log_losses(np.asarray(model.predict_proba(X)), codes)
