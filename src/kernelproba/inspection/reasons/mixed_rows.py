"""Rows that take some of their columns from one row and the others from another, and their log-odds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logsumexp
from sklearn.frozen import FrozenEstimator

from kernelproba.estimators.base.validation import is_missing
from kernelproba.estimators.conformal import ConformalClassifier
from kernelproba.extras import extra
from kernelproba.tables import TableClassifier
from kernelproba.typing import Classifier, MatrixLike

if TYPE_CHECKING:
    import pandas as pd

#: Cells that are put together at once.
_CELLS = 4_000_000

#: Smallest probability whose logarithm is taken.
_TINY = np.finfo(float).tiny


class MixedRows:
    """A stack of rows from which new ones are put together, column by column.

    Parameters
    ----------
    *parts : arrays of shape (·, d) or data frames
        All with the same columns; their rows are numbered one after the other.
    players : (ndarray of shape (d,), list of str), optional
        Of arrays: the number of the player that each column belongs to, and the players' names.
    """

    def __init__(self, *parts: Any, players: tuple[np.ndarray, list[str]] | None = None):
        self._frame = hasattr(parts[0], "columns")
        self._stack: Any = (
            _stacked_frames(parts) if self._frame else np.concatenate([*map(np.asarray, parts)])
        )
        # Of a wide frame a column costs more to look up than to use.
        columns = self._stack.items() if self._frame else ()  # type: ignore[union-attr]
        self._arrays = [column.array for _, column in columns]
        self.names = list(map(str, parts[0].columns)) if self._frame else list(range(self._stack.shape[1]))
        self.groups = np.arange(len(self.names))
        if players is not None:
            self.groups, self.names = players

    @classmethod
    def seen_inside(cls, model: Classifier, *parts: MatrixLike) -> tuple[Classifier, MixedRows]:
        """Return the classifier inside one of tables, and rows as it sees them; others as they are.

        Tables are encoded column by column, so that rows may be mixed before or after: after costs less.
        """
        model = stating_model(model)
        if not isinstance(model, TableClassifier):
            return model, cls(*parts)
        encoder = model.encoder_
        players = encoder.source_, [column.name for column in encoder.columns_]
        return model.estimator_, cls(*map(model.encode, parts), players=players)

    def __len__(self) -> int:
        return len(self._stack)

    def numbers(self, columns: Sequence | None) -> Sequence[int]:
        """Return the numbers of columns that are named, of all if none are."""
        if columns is None:
            return range(len(self.names))
        if isinstance(columns, str) or not np.iterable(columns):
            raise ValueError(f"columns must be a list, got {columns!r}: pass [{columns!r}]")
        unknown = [column for column in columns if column not in self.names]
        if unknown:
            raise ValueError(f"columns holds {unknown[0]!r}, which is no column of X: it has {self.names}")
        return [self.names.index(column) for column in columns]

    def array(self) -> np.ndarray | None:
        """Return the stack, None if it is no array of numbers."""
        return None if self._frame or self._stack.dtype.kind not in "fiu" else self._stack

    def take(self, index: np.ndarray) -> np.ndarray | pd.DataFrame:
        """Return rows whose column (or player) j is that of row ``index[:, j]`` of the stack, of r rows."""
        if not self._frame:
            return self._stack[index[:, self.groups], np.arange(len(self.groups))]
        with extra("tables"):
            import pandas as pd

        taken = (array.take(index[:, j]) for j, array in enumerate(self._arrays))
        # Objects stay objects: a frame would look at them all, and refuse texts that UTF-8 cannot write.
        columns = [pd.Series(part, dtype=object) if part.dtype.name == "object" else part for part in taken]
        frame = pd.DataFrame(dict(enumerate(columns)), copy=False)
        frame.columns = self._stack.columns
        return frame

    def with_column(
        self, rows: np.ndarray | pd.DataFrame, j: int, sources: np.ndarray
    ) -> np.ndarray | pd.DataFrame:
        """Return rows of `take` (r, d) with column j taken from the rows `sources` (r,) of the stack."""
        if isinstance(rows, np.ndarray):
            changed = rows.copy()
            changed[:, j] = self._stack[sources, j]
            return changed
        frame = rows.copy(deep=False)
        frame.isetitem(j, self._stack.iloc[:, j].take(sources).array)
        return frame

    def values(self, j: int, size: int) -> np.ndarray:
        """Return the first `size` values of column j."""
        return self._stack.iloc[:size, j].to_numpy() if self._frame else self._stack[:size, j]

    def value(self, j: int, row: int) -> object:
        """Return one value."""
        return self._stack.iloc[row, j] if self._frame else self._stack[row, j]

    def log_odds(self, model: Classifier, index: np.ndarray, label: int) -> np.ndarray:
        """Return the log-odds of a class for the rows of `take`, of shape (r,); they are made in blocks."""
        step = max(1, _CELLS // max(len(self.groups), 1))
        blocks = [index[start : start + step] for start in range(0, len(index), step)]
        return np.concatenate([log_odds(model, self.take(block))[:, label] for block in blocks])


def stating_model(model: Classifier) -> Classifier:
    """Return the model that states the probabilities: that inside one which adds sets of labels to it."""
    while isinstance(model, ConformalClassifier | FrozenEstimator):
        model = model.estimator_ if isinstance(model, ConformalClassifier) else model.estimator
    return model


def log_odds(model: Classifier, X: MatrixLike) -> np.ndarray:
    """Return log p_k / (1 − p_k) of every class, of shape (n, c).

    Parameters
    ----------
    model : classifier
        Fitted, with ``predict_log_proba`` or ``predict_proba``.
    X : array-like of shape (n, d)
        Rows as the model takes them.
    """
    if hasattr(model, "predict_log_proba"):
        with np.errstate(divide="ignore"):  # scikit-learn's own take the logarithm of 0
            log_P = np.asarray(model.predict_log_proba(X), dtype=float)
    else:
        log_P = np.log(np.maximum(model.predict_proba(X), _TINY))
    log_P = np.maximum(log_P, np.log(_TINY))
    if log_P.shape[1] == 2:
        return log_P - log_P[:, ::-1]
    others = [logsumexp(np.delete(log_P, k, axis=1), axis=1) for k in range(log_P.shape[1])]
    return log_P - np.column_stack(others)


def class_number(model: Classifier, label: object) -> int:
    """Return the position of a class among those of a model; complain of one it does not know."""
    found = np.flatnonzero(np.asarray(model.classes_) == label)
    if len(found) != 1:
        raise ValueError(f"label={label!r} is no class of the model: it knows {list(model.classes_)}")
    return int(found[0])


def as_numbers(values: np.ndarray) -> np.ndarray | None:
    """Return values as floats, None if they are no numbers or dates; flags are levels."""
    array = np.asarray(values)
    if array.dtype.kind == "M":
        seconds = array.astype("datetime64[s]")
        return np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64).astype(float))
    return array.astype(float) if array.dtype.kind in "iuf" else None


def frequent_levels(values: np.ndarray, n_values: int) -> np.ndarray:
    """Return a row of each of the most frequent levels; what is missing is none."""
    first: dict[object, int] = {}
    counts: dict[object, int] = {}
    for i, value in enumerate(values):
        if not is_missing(value):
            first.setdefault(value, i)
            counts[value] = counts.get(value, 0) + 1
    frequent = sorted(first, key=lambda value: -counts[value])[:n_values]
    return np.array([first[value] for value in frequent], dtype=int)


def _stacked_frames(parts: tuple) -> pd.DataFrame:
    with extra("tables"):
        import pandas as pd

    frames = [part.to_pandas() if hasattr(part, "to_pandas") else part for part in parts]
    named = [X if hasattr(X, "iloc") else pd.DataFrame(X, columns=frames[0].columns) for X in frames]
    return pd.concat(named, ignore_index=True)
