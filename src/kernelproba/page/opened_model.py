"""What a model is made of: steps that turn rows into others, and the machine at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from kernelproba.estimators import PairwiseCouplingClassifier
from kernelproba.estimators.base.kernel_expansion import NONE, KernelExpansion
from kernelproba.estimators.base.meta import PosteriorWrapper
from kernelproba.extras import extra
from kernelproba.inspection.reasons.expansions import expansions_in
from kernelproba.kernels import Kernel
from kernelproba.onnx.errors import ConversionError
from kernelproba.onnx.graph import Tensor
from kernelproba.onnx.kernels import dense_centers
from kernelproba.onnx.posteriors import GraphRows
from kernelproba.onnx.tables import encoded_table
from kernelproba.tables import TableClassifier, TableEncoder
from kernelproba.tuning.kernel_logistic.stacked_expansion import StackedKernels
from kernelproba.tuning.scaling import AfterScaling
from kernelproba.typing import MatrixLike

#: Scalers of scikit-learn as nodes; X is (n, d).
_SCALERS: dict[type, Callable[[BaseEstimator, Tensor], Tensor]] = {
    StandardScaler: lambda s, X: (X - (0.0 if s.mean_ is None else s.mean_)) / _or_one(s.scale_),
    RobustScaler: lambda s, X: (X - (0.0 if s.center_ is None else s.center_)) / _or_one(s.scale_),
    MinMaxScaler: lambda s, X: X * s.scale_ + s.min_,
    MaxAbsScaler: lambda s, X: X / s.scale_,
}


def _or_one(scale: np.ndarray | None) -> np.ndarray | float:
    return 1.0 if scale is None else scale


@dataclass(frozen=True)
class OpenedModel:
    """A fitted model, opened.

    Attributes
    ----------
    outer : classifier
        Behind the scalers: what gives the probabilities.
    core : classifier
        What learnt, inside all wrappers.
    scalers : list of transformers
        Of scikit-learn, which come first.
    encoder : TableEncoder or None
        Of the model of a table.
    wrapped : bool
        Whether other probabilities are made of those of the core.
    """

    outer: BaseEstimator
    core: BaseEstimator
    scalers: list[BaseEstimator]
    encoder: TableEncoder | None
    wrapped: bool

    @classmethod
    def of(cls, model: BaseEstimator) -> OpenedModel:
        """Open a fitted model."""
        while isinstance(model, FrozenEstimator | BaseSearchCV):
            model = model.estimator if isinstance(model, FrozenEstimator) else model.best_estimator_
        if isinstance(model, Pipeline):
            steps = [step for step in model[:-1] if step not in (None, "passthrough")]
            for step in steps:
                _check_scaler(step)
            inner = cls.of(model[-1])
            return cls(inner.outer, inner.core, steps + inner.scalers, inner.encoder, inner.wrapped)
        outer, encoder, wrapped = model, None, False
        while (inner_model := _inner_model(model)) is not None:
            encoder = model.encoder_ if isinstance(model, TableClassifier) else encoder
            wrapped = wrapped or isinstance(model, PosteriorWrapper)
            model = inner_model
        return cls(outer, model, [], encoder, wrapped)

    def outer_rows(self, rows: GraphRows) -> GraphRows:
        """Rows as the outer model takes them."""
        X = rows
        for scaler in self.scalers:
            X = GraphRows.of_matrix(_SCALERS[type(scaler)](scaler, X.matrix))
        return X

    def core_matrix(self, rows: GraphRows) -> Tensor:
        """Rows (n, k) as the core takes them."""
        outer = self.outer_rows(rows)
        return outer.matrix if self.encoder is None else encoded_table(self.encoder, outer)

    def expansions(self) -> list[KernelExpansion]:
        """Scores of the core as sums over centres, of rows as it takes them; none if they are not."""
        if hasattr(self.core, "kernel_expansions"):
            return [_used(each) for each in self.core.kernel_expansions()]
        if not isinstance(self.core, PairwiseCouplingClassifier):
            return []
        machines = self.core.estimators_
        if not all(hasattr(each, "kernel_expansions") for each in machines):
            return []
        return [_used(each) for each, _ in expansions_in(self.core, self._some_row())]

    def _some_row(self) -> MatrixLike:
        """Return a row such as the core was fitted on."""
        names = getattr(self.core, "feature_names_in_", None)
        row = np.zeros((1, self.core.n_features_in_))
        if names is None:
            return row
        with extra("tables"):
            import pandas as pd

        return pd.DataFrame(row, columns=names)

    def before_scaling(self, Z: np.ndarray) -> np.ndarray:
        """Rows (n, d) of the core, as the whole model of a matrix takes them."""
        for scaler in reversed(self.scalers):
            Z = scaler.inverse_transform(Z)
        return Z


def _inner_model(model: BaseEstimator) -> BaseEstimator | None:
    """Return the model that another is wrapped around; pairs have no single one."""
    if isinstance(model, FrozenEstimator):
        return model.estimator
    is_wrapper = isinstance(model, TableClassifier | PosteriorWrapper)
    return getattr(model, "estimator_", None) if is_wrapper else None


def _check_scaler(step: BaseEstimator) -> None:
    if type(step) not in _SCALERS or getattr(step, "clip", False):
        known = ", ".join(kind.__name__ for kind in _SCALERS)
        raise ConversionError(
            f"the step {type(step).__name__} has no form on a page: fit a TableClassifier, or use {known}"
        )


def _used(expansion: KernelExpansion) -> KernelExpansion:
    """Leave out centres without a coefficient."""
    if isinstance(expansion.kernel, StackedKernels):
        return expansion
    used = np.flatnonzero(expansion.coef.any(axis=0))
    parts = expansion.centers[used], expansion.rows[used], expansion.coef[:, used]
    return KernelExpansion(expansion.kernel, *parts, expansion.intercept, expansion.sides)


def kernel_parts(kernel: Kernel, centers: object) -> Iterator[tuple[Kernel, np.ndarray]]:
    """Yield the kernels of an expansion, each with its centres (m, k)."""
    if isinstance(kernel, StackedKernels):
        for inner, own in zip(kernel.kernels, centers, strict=True):  # type: ignore[call-overload]
            yield from kernel_parts(inner, own)
    else:
        yield kernel, dense_centers(centers)


def training_rows(expansions: list[KernelExpansion]) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers (m,) of the training rows that are centres, and the rows (m, k) of the core.

    Those are computed from the centres, which may be scaled.
    """
    numbers, rows = [], []
    for expansion in expansions:
        parts = [_unscaled(*part) for part in kernel_parts(expansion.kernel, expansion.centers)]
        numbers.append(expansion.rows)
        rows.append(np.concatenate(parts))
    if not numbers:
        return np.empty(0, dtype=int), np.empty((0, 0))
    found, first = np.unique(np.concatenate(numbers), return_index=True)
    known = found != NONE
    return found[known], np.concatenate(rows)[first[known]]


def _unscaled(kernel: Kernel, Z: np.ndarray) -> np.ndarray:
    return kernel.scaling.inverse_transform(Z) if isinstance(kernel, AfterScaling) else Z
