"""Predictions for rows that are not in memory, block by block."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelproba.rows import as_rows, is_stored


def by_rows(method: Callable) -> Callable:
    """Let a method of arrays take stored rows: an array from disk, a lazy Dask array from a cluster."""

    @wraps(method)
    def wrapper(self, X):
        if not is_stored(X):
            return method(self, X)
        check_is_fitted(self)
        rows = as_rows(X)
        if rows.width != self.n_features_in_:
            raise ValueError(
                f"X has {rows.width} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        return rows.map(BoundMethod(method, self))

    return wrapper


@dataclass(frozen=True)
class BoundMethod:
    """``method(model, ·)`` in a form that travels to workers."""

    method: Callable
    model: Any

    def __call__(self, block: Any) -> np.ndarray:
        return self.method(self.model, block)
