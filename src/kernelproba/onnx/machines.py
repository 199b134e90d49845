"""Kernel machines as nodes: scores that are sums over centres, and what they say of the classes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from kernelproba.coupling.pairs import class_pairs
from kernelproba.estimators import (
    KernelLogisticRegression,
    LeastSquaresProbabilisticClassifier,
    LinearProgrammingMachine,
    RelevanceVectorClassifier,
    SparseKernelLogisticRegression,
)
from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.kernels import Precomputed
from kernelproba.onnx.coupling import coupled_posterior
from kernelproba.onnx.graph import Tensor
from kernelproba.onnx.kernels import dense_centers, kernel_block
from kernelproba.onnx.posteriors import GraphRows, converts, log_posterior
from kernelproba.onnx.probabilities import (
    log_expit,
    log_softmax,
    logistic_probabilities,
    mapped,
    two_columns,
)


def summed_scores(expansion: KernelExpansion, X: Tensor) -> Tensor:
    """Return f_s(x) = Σⱼ coef[s, j] k(x, zⱼ) + intercept[s], (n, k)."""
    used = np.flatnonzero(expansion.coef.any(axis=0))
    if isinstance(expansion.kernel, Precomputed):
        kernel_block(expansion.kernel, X, np.empty((0, 0)))  # says that it cannot be
    if len(used) == 0:
        return X.graph.filled(X, expansion.intercept)
    centers, coef = dense_centers(expansion.centers[used]), expansion.coef[:, used]
    linear = expansion.kernel.affine(centers)
    if linear is not None:  # centres add up to one vector of coefficients
        A, a = linear
        return X @ (coef @ A).T + (expansion.intercept + coef @ a)
    return kernel_block(expansion.kernel, X, centers) @ coef.T + expansion.intercept


@converts(KernelLogisticRegression)
def _kernel_logistic(model: KernelLogisticRegression, rows: GraphRows) -> Tensor:
    if model._has_pairs:
        return _coupled_pairs(model, rows)
    return logistic_probabilities(logistic_scores(model, rows.matrix), len(model.classes_))


def logistic_scores(model: KernelLogisticRegression, X: Tensor) -> Tensor:
    """Return the scores (n, 1) or (n, c) of a logistic model with all classes in it."""
    return summed_scores(model._expansion(), X)


def _coupled_pairs(model: KernelLogisticRegression, rows: GraphRows) -> Tensor:
    """Log-odds f_ij = Σ over centres of i + Σ over centres of j, and their coupling."""
    X, c = rows.matrix, len(model.classes_)
    K = kernel_block(model.kernel_, X, dense_centers(model._centers))
    bounds = np.concatenate([[0], np.cumsum(model.n_support_)])
    parts = [
        K.columns(np.arange(low, high)) @ model.dual_coef_[:, low:high].T for low, high in pairwise(bounds)
    ]
    shares = X.graph.concat(parts)  # (n, c(c − 1)): c − 1 opponents of each class
    i, j = class_pairs(c).T
    F = shares.columns(i * (c - 1) + j - 1) + shares.columns(j * (c - 1) + i) + model.intercept_
    weights = model.pair_weights_ if model._coupling_ == "hastie-tibshirani" else None
    return coupled_posterior(F, c, model._coupling_, weights)


@converts(SparseKernelLogisticRegression)
def _sparse(model: SparseKernelLogisticRegression, rows: GraphRows) -> Tensor:
    return logistic_probabilities(summed_scores(model._expansion(), rows.matrix), len(model.classes_))


@converts(LinearProgrammingMachine)
def _linear_programming(model: LinearProgrammingMachine, rows: GraphRows) -> Tensor:
    if hasattr(model, "pairwise_"):
        return log_posterior(model.pairwise_, rows)
    F = summed_scores(model._expansion(), rows.matrix)
    return mapped(model._score_map_, F.graph.concat([-F, F]) if len(model.classes_) == 2 else F)


@converts(LeastSquaresProbabilisticClassifier)
def _least_squares(model: LeastSquaresProbabilisticClassifier, rows: GraphRows) -> Tensor:
    # Outside its block the coefficients of a class are zero, but each block need not be compared with all.
    blocks, coef = model._learnt_.sums.centers.blocks, model.dual_coef_
    parts, classes = [], []
    for block in blocks:
        part = KernelExpansion(
            model.kernel_,
            model._centers[block.columns],
            model.support_[block.columns],
            coef[block.classes, block.columns],
            np.zeros(len(block.classes)),
            np.empty((0, 2)),
        )
        parts.append(summed_scores(part, rows.matrix))
        classes.extend(block.classes.tolist())
    Q = rows.graph.concat(parts).columns(np.argsort(classes))
    return mapped(model.score_map_, Q)


@converts(RelevanceVectorClassifier)
def _relevance_vectors(model: RelevanceVectorClassifier, rows: GraphRows) -> Tensor:
    F, c = _moderated(model, rows.matrix), len(model.classes_)
    if c == 2:
        return two_columns(F)
    if (model.pairs_[:, 1] < 0).all():
        return log_softmax(log_expit(F))
    return coupled_posterior(F, c, "wu-lin-weng", None)


def _moderated(model: RelevanceVectorClassifier, X: Tensor) -> Tensor:
    """Return f / √(1 + πλs²/8) of each problem of two classes, (n, t)."""
    graph = X.graph
    one = graph.filled(X, np.ones(1))
    Phi = one
    if len(model.support_):
        K = kernel_block(model.kernel_, X, dense_centers(model._centers))
        Phi = graph.concat([K, one])
    scores = Phi @ np.vstack([model.dual_coef_.T, model.intercept_])
    parts = zip(model._feature_positions_, model.covariance_, strict=True)
    variances = [_variance(Phi.columns(at), covariance) for at, covariance in parts]
    s2 = graph.concat(variances) * (np.pi / 8 * model.moderation_)
    return scores / graph("Sqrt", s2 + 1.0)


def _variance(Phi: Tensor, covariance: np.ndarray) -> Tensor:
    """Return φᵀ Σ φ ≥ 0 of each row, (n, 1)."""
    return ((Phi @ covariance) * Phi).sum().at_least(0.0)
