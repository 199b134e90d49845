"""Rows that are new to a classifier, wherever in its wrappers that is known."""

from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline

from kernelproba.estimators.base.meta import PosteriorWrapper
from kernelproba.typing import Classifier, MatrixLike

if TYPE_CHECKING:
    from kernelproba.estimators.kernel_logistic.uncertainty import UncertainProbabilities


def classifier_inside(model: Classifier, X: MatrixLike) -> tuple[Classifier, MatrixLike]:
    """Return the classifier of searches, pipelines and wrappers, and rows X (n, d) as it sees them."""
    while True:
        if isinstance(model, BaseSearchCV):
            model = model.best_estimator_
        elif isinstance(model, FrozenEstimator):
            model = model.estimator
        elif isinstance(model, PosteriorWrapper):
            model = model.estimator_
        elif isinstance(model, Pipeline):
            X, model = model[:-1].transform(X) if len(model) > 1 else X, model[-1]
        else:
            return model, X


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
