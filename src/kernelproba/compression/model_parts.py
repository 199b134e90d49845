"""The functions inside a model, and the model around smaller ones."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline

from kernelproba.compression.pairs import PairwiseFunctions
from kernelproba.compression.pools import PoolMember, SoftmaxPool
from kernelproba.compression.reduced_functions import forget, pull_strength
from kernelproba.estimators import (
    KernelLogisticRegression,
    MinimumRiskClassifier,
    PriorShiftClassifier,
    SparseKernelLogisticRegression,
)
from kernelproba.estimators.base.kernel_machine import KernelMachine
from kernelproba.estimators.kernel_logistic.kept_rows import sampled_rows
from kernelproba.kernels import Precomputed
from kernelproba.tables import TableClassifier
from kernelproba.tuning import KernelLogisticRegressionCV, SparseKernelLogisticRegressionCV
from kernelproba.typing import Matrix, MatrixLike

#: What a search says of the model before it was compressed.
LEFT_OUT = ("loo_proba_", "loo_scores_", "loo_label_proba_", "loo_method_", "n_iter_", "path_")

#: Whose functions can do with fewer centres.
COMPRESSIBLE = (KernelLogisticRegressionCV, KernelLogisticRegression, SparseKernelLogisticRegression)
#: Wrappings, and where they keep the model.
_WRAPPINGS: tuple[tuple[type, str], ...] = (
    (TableClassifier, "estimator_"),
    (MinimumRiskClassifier, "estimator_"),
    (PriorShiftClassifier, "estimator_"),
    (SparseKernelLogisticRegressionCV, "best_estimator_"),
    (BaseSearchCV, "best_estimator_"),
    (FrozenEstimator, "estimator"),
)


@dataclass(frozen=True)
class Wrapper:
    """Something around a model.

    Attributes
    ----------
    model : classifier
        Inside.
    seen : callable
        Rows X (n, d) as the model inside takes them.
    wrap : callable
        Another model inside the same.
    """

    model: BaseEstimator
    seen: Callable[[MatrixLike], MatrixLike]
    wrap: Callable[[BaseEstimator], BaseEstimator]

    def around(self, small: BaseEstimator) -> BaseEstimator:
        """Return the wrapping around a smaller model."""
        outer = self.wrap(small)
        forget(outer, LEFT_OUT)
        outer.compression_ = small.compression_
        return outer


def inside(model: BaseEstimator) -> Wrapper | None:
    """Return what a model is wrapped in, None for one that is not."""
    if isinstance(model, Pipeline):
        before, last = model[:-1], model[-1]
        seen = before.transform if len(model) > 1 else _as_it_is
        return Wrapper(last, seen, lambda small: Pipeline([*model.steps[:-1], (model.steps[-1][0], small)]))
    for kind, place in _WRAPPINGS:
        if isinstance(model, kind):
            seen = model.encode if isinstance(model, TableClassifier) else _as_it_is
            return Wrapper(getattr(model, place), seen, partial(_with_attribute, model, place))
    return None


def reducible(
    model: BaseEstimator, X: MatrixLike | None, *, moves: bool
) -> tuple[SoftmaxPool | PairwiseFunctions, Callable[[list[KernelMachine]], BaseEstimator]]:
    """Return the functions of a model, whose centres may move, and what makes a model of smaller ones."""
    if not isinstance(model, COMPRESSIBLE):
        raise ValueError(
            f"{type(model).__name__} cannot be compressed; kernel logistic regression can, softmax, "
            "pairwise, sparse or self-tuned. Compress what is inside a wrapper; fit others anew with fewer "
            "centres: many have n_centers."
        )
    given = None if X is None else model._check_predict(X)
    n_given = 0 if given is None else given.shape[0]
    if isinstance(model, KernelLogisticRegressionCV):
        for each in model.estimators_:
            _check_kernel(each)
        views = _views(model, given)
        parts = zip(model.weights_, model.estimators_, views, strict=True)
        members = [_member(v / model.temperature_, each, rows) for v, each, rows in parts]
        return SoftmaxPool(members, n_given, moves), lambda models: _pooled(model, models)
    _check_kernel(model)
    if not len(model.support_):
        raise ValueError("the model has no centres at all, only intercepts: it cannot be compressed.")
    rows = _stacked(_kept(model), given)
    if hasattr(model, "n_support_"):
        return PairwiseFunctions(model, rows, n_given, moves), lambda models: models[0]
    return SoftmaxPool([_member(1.0, model, rows)], n_given, moves), lambda models: _recounted(models[0])


def _check_kernel(model: KernelMachine) -> None:
    if isinstance(model.kernel_, Precomputed) or not model.kernel_.definite:
        raise ValueError(
            "compress needs rows, and a kernel that is known to be positive definite: fit with a kernel of "
            "kernelproba.kernels instead of a precomputed matrix or a function."
        )


def _views(model: KernelLogisticRegressionCV, given: Matrix | None) -> list[Matrix]:
    """Return rows as each function of a pool compares them: those that it has kept, then the given ones."""
    seen = [None if given is None else given if s is None else s.transform(given) for s in model.scalers_]
    forgotten = not all(hasattr(each, "_kept_y_") for each in model.estimators_)
    if len(seen) > 1 and forgotten:
        if given is None:
            raise ValueError(
                "this pool of functions was compressed before and has no rows in common: compress the model "
                "from before, or give rows X."
            )
        return seen
    kept = [_kept(each) for each in model.estimators_]
    fewest = min(each.shape[0] for each in kept)
    kept = [each if each.shape[0] == fewest else each[sampled_rows(each.shape[0])] for each in kept]
    return [_stacked(rows, own) for rows, own in zip(kept, seen, strict=True)]


def _kept(model: KernelMachine) -> Matrix:
    """Return the rows that a model has kept, in the order of the fit; its centres if no others."""
    if getattr(model, "_kept_X_", None) is not None:
        return model._kept_X_
    return model.support_vectors_[np.argsort(model.support_, kind="stable")]


def _member(share: float, model: KernelMachine, rows: Matrix) -> PoolMember:
    return PoolMember(share, model, rows, pull_strength(model.C, _n_rows(model), share))


def _n_rows(model: KernelMachine) -> float:
    """Return how many rows a model was fitted to, as far as it knows."""
    if hasattr(model, "_kept_y_"):
        return len(model._kept_y_) * model._kept_share_
    return float(max(model.support_.max(initial=0) + 1, len(model.support_)))


def _stacked(rows: Matrix, given: Matrix | None) -> Matrix:
    if given is None:
        return rows
    if sp.issparse(rows):
        return sp.csr_array(sp.vstack([rows, given]))
    return np.vstack([rows, sp.csr_array(given).toarray() if sp.issparse(given) else given])


def _pooled(model: KernelLogisticRegressionCV, models: list[KernelMachine]) -> KernelLogisticRegressionCV:
    small = _with_attribute(model, "estimators_", models)
    small.best_estimator_ = models[0]
    forget(small, LEFT_OUT)
    return small


def _recounted(model: KernelMachine) -> KernelMachine:
    """Tell a sparse model how many kernels it has."""
    if hasattr(model, "n_kernels_"):
        model.n_kernels_ = len(model.support_)
    return model


def _with_attribute(model: BaseEstimator, name: str, value: object) -> BaseEstimator:
    """Return a copy of a model with one attribute replaced."""
    changed = copy(model)
    setattr(changed, name, value)
    return changed


def _as_it_is(X: MatrixLike) -> MatrixLike:
    return X
