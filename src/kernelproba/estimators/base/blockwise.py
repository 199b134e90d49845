"""Predictions for rows that are not in memory, block by block."""

from collections.abc import Callable
from copy import copy
from functools import partial, wraps
from typing import TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from kernelproba.estimators.base.feature_names import check_features
from kernelproba.rows.store import stored_rows
from kernelproba.typing import MatrixLike

#: Names of the columns, what is known of every row of training, and who listens to fits: a bar, or a client,
#: stays in its process.
_NOT_FOR_BLOCKS = ("feature_names_in_", "loo_proba_", "loo_label_proba_", "_skl_callbacks")

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
        return rows.map(partial(_answer, method), shared=(_for_blocks(self),))

    return cast(Method, wrapper)


def _answer(method: Callable, block: MatrixLike, model: BaseEstimator) -> np.ndarray:
    return method(model, block)


def _for_blocks(model: BaseEstimator) -> BaseEstimator:
    """The model without what blocks do not need, which may be larger than all else where it travels.

    Blocks are arrays: names have been checked for all of them at once.
    """
    bare = copy(model)
    for name in _NOT_FOR_BLOCKS:
        vars(bare).pop(name, None)
    return bare
