"""Predictions for rows that are not in memory, block by block."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import wraps
from typing import TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from kernelproba.estimators.base.feature_names import check_features
from kernelproba.rows.store import stored_rows
from kernelproba.typing import MatrixLike

Method = TypeVar("Method", bound=Callable[..., object])


def by_rows(method: Method) -> Method:
    """Let a method of arrays take stored rows: an array from disk, a lazy Dask array from a cluster."""

    @wraps(method)
    def wrapper(self: BaseEstimator, X: MatrixLike) -> object:
        rows = stored_rows(X)
        if rows is None:
            return method(self, X)
        check_is_fitted(self)
        check_features(self, rows)
        return rows.map(BoundMethod(method, _without_names(self)))

    return cast(Method, wrapper)


@dataclass(frozen=True)
class BoundMethod:
    """``method(model, ·)`` in a form that travels to workers."""

    method: Callable
    model: BaseEstimator

    def __call__(self, block: MatrixLike) -> np.ndarray:
        return self.method(self.model, block)


def _without_names(model: BaseEstimator) -> BaseEstimator:
    """The model for blocks, which are arrays: names have been checked for all of them at once."""
    nameless = copy(model)
    vars(nameless).pop("feature_names_in_", None)
    return nameless
