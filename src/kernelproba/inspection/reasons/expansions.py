"""The kernel machines inside a model, and the rows as each of them sees them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from kernelproba.estimators.base.kernel_expansion import NONE, KernelExpansion
from kernelproba.estimators.base.meta import rows_inside, wrapped_model
from kernelproba.estimators.pairwise_coupling import PairwiseCouplingClassifier
from kernelproba.tables import TableClassifier
from kernelproba.typing import Classifier, Matrix, MatrixLike

ExpansionAt = tuple[KernelExpansion, Matrix]


class NoKernelMachine(ValueError):
    """A model whose scores are no sums over training rows."""


def expansions_in(model: BaseEstimator, X: MatrixLike) -> Iterator[ExpansionAt]:
    """Yield the expansions of a fitted model, each with X as its kernel takes it.

    Pipelines, searches and the wrappers of this package are looked into.

    Parameters
    ----------
    model : classifier
        A kernel machine (anything with a method `kernel_expansions`), or something around one.
    X : array-like of shape (n, d)
        Rows as `model` takes them.
    """
    check_is_fitted(model)
    if hasattr(model, "kernel_expansions"):
        checked = model._check_predict(X)
        yield from ((expansion, checked) for expansion in model.kernel_expansions())
    elif isinstance(model, PairwiseCouplingClassifier):
        yield from _expansions_of_pairs(model, X)
    elif _inside(model) is not None:
        yield from expansions_in(_inside(model), _seen_inside(model, X))
    else:
        raise NoKernelMachine(
            f"model={model!r} is no kernel machine, so no training row has a say of its own in its scores: "
            "explain takes the kernel classifiers of this package, also inside pipelines, searches and "
            "wrappers"
        )


def layers(model: Classifier) -> Iterator[BaseEstimator]:
    """Yield a model, the one that it is wrapped around, and so on to the centre."""
    layer: BaseEstimator | None = model
    while layer is not None:
        yield layer
        layer = _inside(layer)


def core(model: Classifier) -> BaseEstimator:
    """Return the model at the centre of pipelines, searches and wrappers."""
    *_, innermost = layers(model)
    return innermost


def core_and_rows(model: BaseEstimator, X: MatrixLike) -> tuple[BaseEstimator, MatrixLike]:
    """Return the model at the centre, and rows X (n, d) of the outermost one as it takes them."""
    check_is_fitted(model)
    inner = _inside(model)
    return (model, X) if inner is None else core_and_rows(inner, _seen_inside(model, X))


def _inside(model: Classifier) -> BaseEstimator | None:
    """Return the fitted model that `model` is wrapped around, None if it is none of our wrappings."""
    return model.estimator_ if isinstance(model, TableClassifier) else wrapped_model(model)


def _seen_inside(model: Classifier, X: MatrixLike) -> MatrixLike:
    """Return rows as the model inside takes them."""
    return model.encode(X) if isinstance(model, TableClassifier) else rows_inside(model, X)


def _expansions_of_pairs(model: PairwiseCouplingClassifier, X: Matrix) -> Iterator[ExpansionAt]:
    """Yield the expansions_in of each pair (i, j), in terms of all classes and all training rows."""
    for number, (pair, rows, inner) in enumerate(
        zip(model.pairs_, model.pair_rows_, model.estimators_, strict=True)
    ):
        own = X if model.pairwise_indices_ is None else X[:, model.pairwise_indices_[number]]
        for expansion, checked in expansions_in(inner, own):
            known = expansion.rows != NONE
            yield (
                replace(
                    expansion,
                    rows=np.where(known, rows[expansion.rows], NONE),
                    sides=_sides_in_pair(expansion.sides, pair),
                ),
                checked,
            )


def _sides_in_pair(sides: np.ndarray, pair: np.ndarray) -> np.ndarray:
    """Translate 0 and 1 into the classes of the pair; "all others" is the other one."""
    first = sides[:, 0]
    return np.column_stack([pair[first], pair[1 - first]])
