"""Reasons by columns: how much each column of a row moves the log-odds of a class, as Shapley values.

The game of a row x against a sample b_1, …, b_B of other rows: a set S of columns is worth

    v(S) = 1/B Σ_b  f(x_S, b_rest) ,     f = log p_k / (1 − p_k) ,

the mean log-odds of rows that have x's values in S and those of a row of the sample elsewhere.  The share of
column j is its mean gain v(S ∪ j) − v(S) over all orders in which columns may join [Shapley 1953; Štrumbelj
and Kononenko 2014].  Shares add up to f(x) − v(∅): what x has and the sample, on the average, has not.

Scores that are sums of products over columns have short cuts
(`kernelproba.inspection.reasons.product_solutions`), exact for two classes at any number of columns.  Else,
with few columns all 2^d sets are valued.  With more, each row of the sample is turned into x along a random
order of the columns and along its reverse.  Gains along an order add up, so that the shares do so exactly,
sampled or not.
"""

from __future__ import annotations

from math import factorial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import _safe_indexing, check_random_state

from kernelproba.extras import extra
from kernelproba.inspection.arguments import check_columns, check_probabilistic, check_whole_numbers
from kernelproba.inspection.reasons.mixed_rows import MixedRows, class_number
from kernelproba.inspection.reasons.product_solutions import Solution, product_solutions
from kernelproba.inspection.reasons.row_labels import row_labels
from kernelproba.typing import Classifier, MatrixLike, RandomState

if TYPE_CHECKING:
    import pandas as pd

BASELINE, COLUMN = "baseline", "column"

#: Of the columns of the answer.
_NAMES = ["explained", "class", "term", "column", "contribution", "error"]

#: Columns up to which all sets are valued.
_EXACT = 8

#: Cells of rows that are put together at once.
_CELLS = 4_000_000


def column_contributions(
    model: Classifier,
    X: MatrixLike,
    background: MatrixLike,
    *,
    label: object = None,
    n_background: int = 100,
    random_state: RandomState = 0,
) -> pd.DataFrame:
    """Tell how much each column moves the log-odds of a class, relative to a sample of rows.

    Parameters
    ----------
    model : classifier
        Fitted, with ``predict_proba``.
    X : array-like or data frame of shape (n, d)
        Rows to explain, as `model` takes them.
    background : array-like or data frame of shape (N, d)
        Rows to compare with, such as those of the training.
    label : optional
        The class whose log-odds are explained; by default that which is predicted, row by row.
    n_background : int, default=100
        Rows of `background` that are drawn if there are more.
    random_state : int, RandomState instance or None, default=0
        Of the draw and of the orders of columns.

    Returns
    -------
    DataFrame
        One line per row and column, for each row the largest contribution first:

        - ``explained``: label of the row of X; ``class``: the class; ``term``: "column", or "baseline" for
          the mean log-odds of the sample.
        - ``column``: its name or number; ``contribution`` to the log-odds; ``error``: standard error of a
          contribution that is sampled, 0 if it is exact: with up to 8 columns, and in kernel logistic
          regression by RBF, Laplacian and linear kernels with two classes, or as many columns as leave all
          sets of them affordable (about 12).

        The contributions of a row add up to its log-odds.

    See Also
    --------
    smallest_change : What would have to be different for another decision.
    explain : Which training rows speak for a label.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = KernelLogisticRegression().fit(X, y)
    >>> lines = column_contributions(model, X[:1], X)
    >>> lines["term"][0], lines["column"][1]
    ('baseline', 'petal length (cm)')
    """
    with extra("tables"):
        import pandas as pd

    check_probabilistic(model)
    check_whole_numbers(1, n_background=n_background)
    check_columns(X=X, background=background)
    rng = check_random_state(random_state)
    sample = _drawn(background, n_background, rng)
    size = len(sample)
    best = model.predict(X) if label is None else [label] * len(row_labels(X))
    classes = np.array([class_number(model, each) for each in best], dtype=int)
    inner, rows = MixedRows.seen_inside(model, sample, X)
    known = product_solutions(inner, rows, classes, rng)
    lines: dict[str, list] = {name: [] for name in _NAMES}
    for i, (explained, k) in enumerate(zip(row_labels(X), classes, strict=True)):
        solution = known[i]
        if solution is None:
            solution = _Game(inner, rows, size, size + i, k).solved(rng)
        baseline, shares, errors = solution
        largest_first, p = np.argsort(-abs(shares), kind="stable"), len(shares)
        lines["explained"] += [explained] * (p + 1)
        lines["class"] += [model.classes_[k]] * (p + 1)
        lines["term"] += [BASELINE] + [COLUMN] * p
        lines["column"] += [None, *(rows.names[j] for j in largest_first)]
        lines["contribution"] += [baseline, *shares[largest_first].tolist()]
        lines["error"] += [0.0, *errors[largest_first].tolist()]
    return pd.DataFrame(lines)


class _Game:
    """Columns of one row as players.

    Parameters
    ----------
    model : classifier
        Fitted.
    rows : MixedRows
        The sample, then the rows to explain.
    size : int
        Rows of the sample.
    row, label : int
        Number of the row in the stack, and of the class.
    """

    def __init__(self, model: Classifier, rows: MixedRows, size: int, row: int, label: int):
        self._model, self._rows, self._size, self._row, self._label = model, rows, size, row, label
        self.d = len(rows.names)

    def solved(self, rng: np.random.RandomState) -> Solution:
        """Return the shares of all columns, exact where that is not dear."""
        return self.exact() if self.d <= _EXACT else self.sampled(rng)

    def exact(self) -> Solution:
        """Return baseline, shares (d,) and their errors (0) from the values v(S) of all sets."""
        members = (np.arange(2**self.d)[:, None] >> np.arange(self.d)) & 1 == 1
        index = np.where(members[:, None, :], self._row, np.arange(self._size)[:, None])
        odds = self._rows.log_odds(self._model, index.reshape(-1, self.d), self._label)
        values = odds.reshape(len(members), self._size).mean(axis=1)
        counts = members.sum(axis=1)
        # Orders in which the columns of S come first, then j, then the others: |S|! (d − |S| − 1)! of d!.
        orders = [factorial(s) * factorial(self.d - s - 1) / factorial(self.d) for s in range(self.d)]
        shares = np.empty(self.d)
        for j in range(self.d):
            without = np.flatnonzero(~members[:, j])
            gains = values[without + 2**j] - values[without]
            shares[j] = np.take(orders, counts[without]) @ gains
        return float(values[0]), shares, np.zeros(self.d)

    def sampled(self, rng: np.random.RandomState) -> Solution:
        """Return baseline, shares and standard errors from an order and its reverse per row of the sample."""
        gains, baseline = np.empty((self._size, self.d)), 0.0
        for rows in np.array_split(np.arange(self._size), self._blocks()):
            orders = np.array([rng.permutation(self.d) for _ in rows])
            there, start = self._gains(rows, orders)
            back, _ = self._gains(rows, orders[:, ::-1])
            gains[rows], baseline = (there + back) / 2, baseline + start.sum() / self._size
        errors = gains.std(axis=0, ddof=min(1, self._size - 1)) / np.sqrt(self._size)
        return float(baseline), gains.mean(axis=0), errors

    def _blocks(self) -> int:
        """Return into how many parts the sample is cut, so that what is put together fits into memory."""
        return min(self._size, 1 + self._size * (self.d + 1) * self.d // _CELLS)

    def _gains(self, rows: np.ndarray, orders: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what columns add as rows of the sample (r,) turn into x, (r, d), and log-odds before it."""
        joined = np.argsort(orders, axis=1)  # place of a column in the order
        steps = np.arange(self.d + 1)[:, None]
        index = np.where(joined[:, None, :] < steps, self._row, rows[:, None, None])
        values = self._rows.log_odds(self._model, index.reshape(-1, self.d), self._label)
        values = values.reshape(len(rows), self.d + 1)
        return np.take_along_axis(np.diff(values, axis=1), joined, axis=1), values[:, 0]


def _drawn(background: Any, size: int, rng: np.random.RandomState) -> Any:
    """Return at most so many rows of the background, drawn at random."""
    n = len(row_labels(background))
    if n <= size:
        return background
    chosen = np.sort(rng.choice(n, size, replace=False))
    return _safe_indexing(background, chosen)
