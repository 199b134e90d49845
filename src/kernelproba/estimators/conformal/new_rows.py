"""Rows that are new to a classifier, wherever in its wrappers that is known."""

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from kernelproba.estimators.base.meta import rows_inside, wrapped_model
from kernelproba.typing import Classifier, MatrixLike

if TYPE_CHECKING:
    from kernelproba.estimators.kernel_logistic.uncertainty import UncertainProbabilities


def classifier_inside(model: Classifier, X: MatrixLike) -> tuple[Classifier, MatrixLike]:
    """Return the classifier of searches, pipelines and wrappers, and rows X (n, d) as it sees them."""
    inner = wrapped_model(model)
    return (model, X) if inner is None else classifier_inside(inner, rows_inside(model, X))


def far_rows(model: Classifier, X: MatrixLike, n: int) -> NDArray[np.bool_]:
    """Return which of n rows X exceed the `novelty_limit` of a classifier, (n,); none if it has none."""
    model, X = classifier_inside(model, X)
    if not hasattr(model, "novelty_limit"):
        return np.zeros(n, dtype=bool)
    knowing = cast("UncertainProbabilities", model)
    try:
        return np.asarray(knowing.novelty_score(X)) > knowing.novelty_limit()
    except ValueError:  # a kernel that is a matrix or a function, or a model that has not kept its rows
        return np.zeros(n, dtype=bool)
