"""The smallest change of a row that alters the decision, within what has been observed.

A column may take the values that it has in a sample of rows, no others.  The size of a change is the share
of the sample that lies between the old value and the new one for numbers, and 1 for other values; a change of
fewer columns is smaller than one of more.  One column is searched exhaustively.  If none suffices, columns
are changed one after the other, each time that which moves the log-odds furthest, and what proves needless in
the end is taken back: then the change is small, but a smaller one may exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, SupportsInt

import numpy as np

from kernelproba.estimators.base.validation import is_missing
from kernelproba.extras import extra
from kernelproba.inspection.arguments import check_columns, check_probabilistic, check_whole_numbers
from kernelproba.inspection.reasons.mixed_rows import (
    MixedRows,
    as_numbers,
    class_number,
    frequent_levels,
)
from kernelproba.inspection.reasons.row_labels import row_labels
from kernelproba.typing import Classifier, MatrixLike

if TYPE_CHECKING:
    import pandas as pd

#: Values of a column that are tried.
_VALUES = 50


def smallest_change(
    model: Classifier,
    X: MatrixLike,
    background: MatrixLike,
    *,
    label: object = None,
    columns: Sequence | None = None,
    max_columns: int = 4,
) -> pd.DataFrame:
    """Tell what would have to be different in a row for another decision.

    Parameters
    ----------
    model : classifier
        Fitted, with ``predict_proba``.
    X : array-like or data frame of shape (n, d)
        Rows whose decisions are to change.
    background : array-like or data frame of shape (N, d)
        Rows whose values a column may take, such as those of the training.
    label : optional
        The class that is to be predicted; by default any but that which is.
    columns : sequence, optional
        Names (of frames) or numbers of the columns that may change; by default all.
    max_columns : int, default=4
        Columns that may change, at most.

    Returns
    -------
    DataFrame
        One line per row and changed column: ``explained``, label of the row of X; ``column``; ``value`` and
        ``changed``, as they are and as they would be; ``size`` of the change; ``class`` that is predicted
        then.  Rows that no such change turns have no line.

    See Also
    --------
    column_contributions : How much each column moves the log-odds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelLogisticRegression().fit(X, y)
    >>> smallest_change(model, X[70:71], X)["column"].tolist()
    [2]
    """
    with extra("tables"):
        import pandas as pd

    check_probabilistic(model)
    check_whole_numbers(1, max_columns=max_columns)
    check_columns(X=X, background=background)
    rows = MixedRows(background, X)
    size = len(row_labels(background))
    lines: list[tuple] = []
    free = rows.numbers(columns)
    for i, explained in enumerate(row_labels(X)):
        search = _Search(model, rows, size, size + i, label)
        search.allow(free)
        lines += [(explained, *line) for line in search.lines(max_columns)]
    told = pd.DataFrame(
        [(explained, column, size, new) for explained, column, _, _, size, new in lines],
        columns=["explained", "column", "size", "class"],
    )
    # Values of columns of every type: objects, as they are.
    for place, name in ((2, "value"), (3, "changed")):
        told.insert(place, name, pd.Series([line[place] for line in lines], dtype=object))
    return told


class _Search:
    """A row, and the rows of the sample whose values its columns may take."""

    def __init__(self, model: Classifier, rows: MixedRows, size: int, row: int, label: object):
        self._model, self._rows, self._row, self._d = model, rows, row, len(rows.names)
        self._as_is = np.full(self._d, row)
        self._old = model.predict(rows.take(self._as_is[None, :]))[0]
        self._label = label
        self._wanted = class_number(model, self._old if label is None else label)
        self._sample, self._candidates = size, dict[int, dict[int, float]]()

    def allow(self, columns: Sequence[int]) -> None:
        """Let columns take other values."""
        for j in columns:
            self._candidates[j] = _candidates(
                self._rows.values(j, self._sample), self._rows.value(j, self._row)
            )

    def lines(self, max_columns: int) -> list[tuple]:
        """Return (column, value, changed, size, class) of each column that changes."""
        if self._label is not None and self._old == self._label:
            return []
        found = self._grown(max_columns)
        if found is None:
            return []
        new = self._model.predict(self._rows.take(found[None, :]))[0]
        return [
            (
                self._rows.names[j],
                self._rows.value(j, self._row),
                self._rows.value(j, found[j]),
                self._size(j, found[j]),
                new,
            )
            for j in self._changed(found)
        ]

    def _grown(self, max_columns: int) -> np.ndarray | None:
        """Return the sources (d,) of a changed row that turns the decision, None if there is none."""
        current = self._as_is
        for _ in range(max_columns):
            index = self._single_changes(current)
            if not len(index):
                return None
            turned = self._turned(index)
            if turned.any():
                sizes = [self._total(row) for row in index[turned]]
                return self._pruned(index[turned][int(np.argmin(sizes))])
            current = index[int(np.argmax(self._progress(index)))]
        return None

    def _pruned(self, found: np.ndarray) -> np.ndarray:
        """Take back changes that are not needed, the largest first."""
        for j in sorted(self._changed(found), key=lambda j: -self._size(j, found[j])):
            fewer = np.where(np.arange(self._d) == j, self._row, found)
            if self._turned(fewer[None, :])[0]:
                found = fewer
        return found

    def _single_changes(self, current: np.ndarray) -> np.ndarray:
        """Return the sources (r, d) of rows that differ from the current one in one further column."""
        changes = []
        for j, sources in self._candidates.items():
            for source in sources if current[j] == self._row else ():
                changes.append(np.where(np.arange(self._d) == j, source, current))
        return np.array(changes, dtype=int).reshape(-1, self._d)

    def _turned(self, index: np.ndarray) -> np.ndarray:
        new = np.asarray(self._model.predict(self._rows.take(index)))
        return new != self._old if self._label is None else new == self._label

    def _progress(self, index: np.ndarray) -> np.ndarray:
        odds = self._rows.log_odds(self._model, index, self._wanted)
        return -odds if self._label is None else odds

    def _total(self, sources: np.ndarray) -> float:
        return sum(self._size(j, sources[j]) for j in self._changed(sources))

    def _changed(self, sources: np.ndarray) -> list[int]:
        return np.flatnonzero(sources != self._row).tolist()

    def _size(self, j: int, source: SupportsInt) -> float:
        return self._candidates[j][int(source)]


def _candidates(values: np.ndarray, own: object) -> dict[int, float]:
    """Return which rows of the sample have values to try for a column, and the size of each change."""
    numbers = as_numbers(values)
    if numbers is None or is_missing(own):
        return _levels(values, own)
    mine = as_numbers(np.asarray([own]).astype(np.asarray(values).dtype))
    assert mine is not None  # of the type of the others
    order = np.argsort(numbers, kind="stable")
    order = order[~np.isnan(numbers[order])]
    distinct = order[np.unique(numbers[order], return_index=True)[1]]
    tried = (
        distinct[np.unique(np.linspace(0, len(distinct) - 1, _VALUES).astype(int))] if len(distinct) else []
    )
    known = numbers[order]
    here = np.searchsorted(known, mine[0])
    sizes = {int(i): abs(int(np.searchsorted(known, numbers[i])) - int(here)) / len(known) for i in tried}
    return {i: max(size, 1 / len(known)) for i, size in sizes.items() if numbers[i] != mine[0]}


def _levels(values: np.ndarray, own: object) -> dict[int, float]:
    """Return one row per level other than the own one, the most frequent levels; each change has size 1."""
    frequent = frequent_levels(values, _VALUES)  # what is missing is none, and cannot be asked what it equals
    return {int(i): 1.0 for i in frequent if is_missing(own) or values[i] != own}
