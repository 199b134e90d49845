"""Kernel functions on fewer of their centres: projections, and features in which the norm is Euclidean."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from kernelproba.basis.whitening import CholeskyBasis
from kernelproba.estimators.base.kernel_expansion import NONE, KernelExpansion
from kernelproba.estimators.base.kernel_machine import KernelMachine
from kernelproba.kernels import Kernel
from kernelproba.kernels.blocks import row_blocks
from kernelproba.linalg import jittered_cholesky, relative_jitter
from kernelproba.typing import Matrix

#: Weight of staying near the projection, relative to the penalty of the fit.
PULL = 0.1

#: Share of k(z, z) that is added to it: bounds the coefficients, which single precision is to carry.
JITTER = 1e-8

#: What a fit says of itself that its compression cannot say: the optimum, and rows that are no longer kept.
FORGOTTEN = (
    "n_iter_",
    "objective_",
    "residual_",
    "_kept_X_",
    "_kept_y_",
    "_kept_weights_",
    "_kept_share_",
    "_kept_terms_",
)


class Reduced(NamedTuple):
    """Models with fewer centres, and how much their probabilities differ from those before.

    Attributes
    ----------
    models : list of KernelMachine
        One for each function.
    mean_kl : float
        Mean divergence, in nats, on rows held out.
    n_rows : int
        Number of these.
    """

    models: list[KernelMachine]
    mean_kl: float
    n_rows: int

    @property
    def n_centers(self) -> int:
        """Centres of all models together."""
        return sum(len(model.support_) for model in self.models)


@dataclass(frozen=True)
class ReducedFunction:
    """Functions of a kernel machine on the span of some of its centres.

    Attributes
    ----------
    kernel, Z : Kernel, array of shape (m, d)
        The centres that are kept.
    basis : CholeskyBasis
        Coordinates in which the norm is Euclidean.
    projection : array of shape (m, k)
        The functions projected on the span, in coordinates.
    """

    kernel: Kernel
    Z: Matrix
    basis: CholeskyBasis
    projection: np.ndarray

    @classmethod
    def of(cls, expansion: KernelExpansion, chosen: np.ndarray) -> ReducedFunction:
        """Keep the chosen centres of an expansion."""
        kernel, Z = expansion.kernel, expansion.centers[chosen]
        K = np.asarray(kernel(Z, Z), dtype=np.float64)
        basis = CholeskyBasis(chosen, jittered_cholesky((K + K.T) / 2, relative_jitter(K, JITTER)))
        shared = np.asarray(kernel(Z, expansion.centers), dtype=np.float64)
        return cls(kernel, Z, basis, basis.coordinates(shared @ expansion.coef.T))

    def features(self, X: Matrix) -> np.ndarray:
        """Return coordinates (n, m) of rows X."""
        Phi = np.empty((X.shape[0], len(self.projection)))
        for rows in row_blocks(*Phi.shape):
            Phi[rows] = self.basis.coordinates(np.asarray(self.kernel(X[rows], self.Z), dtype=np.float64).T).T
        return Phi


def pull_strength(C: float, n_rows: float, share: float = 1.0) -> float:
    """λ of a function that was fitted with C to so many rows and has this share in the scores."""
    return PULL * share / (C * n_rows)


def with_centers(
    model: KernelMachine, chosen: np.ndarray, dual: Matrix, intercept: np.ndarray
) -> KernelMachine:
    """Return the model with some of its centres (m,), their coefficients (k, m) and intercepts (k,)."""
    small = copy(model)
    small.support_, small.support_vectors_ = model.support_[chosen], model.support_vectors_[chosen]
    small.dual_coef_, small.intercept_ = dual, intercept
    if hasattr(small, "_spans_all_rows_"):
        small._spans_all_rows_ = False
    forget(small, FORGOTTEN)
    return small


def with_moved_centers(
    model: KernelMachine, Z: np.ndarray, dual: np.ndarray, intercept: np.ndarray
) -> KernelMachine:
    """Return a model with centres (m, d) that are no rows, coefficients (k, m) and intercepts (k,)."""
    changed = copy(model)
    changed.support_, changed.support_vectors_ = np.full(len(Z), NONE), Z.astype(model.support_vectors_.dtype)
    dual = np.ascontiguousarray(dual)
    changed.dual_coef_ = sp.csr_array(dual) if sp.issparse(model.dual_coef_) else dual
    changed.intercept_ = intercept
    return changed


def forget(model: object, names: tuple[str, ...]) -> None:
    """Take attributes from a model, if it has them."""
    for name in names:
        vars(model).pop(name, None)
