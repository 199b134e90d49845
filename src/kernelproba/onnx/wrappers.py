"""Models around models as nodes: self-tuned ones, wrappers of posteriors, expansions of features."""

from __future__ import annotations

import operator
from functools import reduce

import numpy as np

from kernelproba.basis.expansion import sigmoid_terms
from kernelproba.decision import label_table
from kernelproba.estimators import (
    BasisExpansion,
    BasisLogisticRegression,
    ConformalClassifier,
    MinimumRiskClassifier,
    PairwiseCouplingClassifier,
    PriorShiftClassifier,
)
from kernelproba.estimators.basis_logistic.estimator import LARGEST_FEATURE
from kernelproba.kernels import RBF
from kernelproba.number_range import LOG_ZERO, log_probabilities
from kernelproba.onnx.coupling import coupled_posterior
from kernelproba.onnx.errors import ConversionError
from kernelproba.onnx.graph import Tensor
from kernelproba.onnx.kernels import dense_centers, kernel_block
from kernelproba.onnx.machines import logistic_scores
from kernelproba.onnx.posteriors import GraphRows, converts, foreign_features, label_numbers, log_posterior
from kernelproba.onnx.probabilities import expit, log_softmax, logistic_probabilities
from kernelproba.tuning import (
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifierCV,
    LinearProgrammingMachineCV,
    MaximumContrastClassifierCV,
    SparseKernelLogisticRegressionCV,
)
from kernelproba.tuning.grid.grid_classifier import GridTunedClassifier
from kernelproba.tuning.scaling import FARTHEST, REACH, SQUASHED_RULES, FeatureScaling


@converts(KernelLogisticRegressionCV)
def _pool(model: KernelLogisticRegressionCV, rows: GraphRows) -> Tensor:
    """Σₖ vₖ fₖ(scaled x) / T."""
    members = zip(model.weights_, model.scalers_, model.estimators_, strict=True)
    parts = [
        logistic_scores(member, scaled(scaler, rows.matrix)) * (v / model.temperature_)
        for v, scaler, member in members
    ]
    return logistic_probabilities(reduce(operator.add, parts), len(model.classes_))


@converts(LeastSquaresProbabilisticClassifierCV)
def _scaled_least_squares(model: LeastSquaresProbabilisticClassifierCV, rows: GraphRows) -> Tensor:
    X = scaled(model.scaler_, rows.matrix)
    return log_posterior(model.best_estimator_, GraphRows.of_matrix(X))


@converts(LinearProgrammingMachineCV)
@converts(MaximumContrastClassifierCV)
@converts(SparseKernelLogisticRegressionCV)
def _best(model: GridTunedClassifier, rows: GraphRows) -> Tensor:
    return log_posterior(model.best_estimator_, rows)


@converts(BasisLogisticRegression)
def _basis_logistic(model: BasisLogisticRegression, rows: GraphRows) -> Tensor:
    X, expansion = rows.matrix, model.expansion_
    if expansion is None:
        Phi = X
    elif type(expansion) is BasisExpansion:
        Phi = expanded(expansion, X)
    else:
        Phi = foreign_features(expansion, rows)
    scores = Phi.clip(-LARGEST_FEATURE, LARGEST_FEATURE) @ model.coef_.T + model.intercept_
    return logistic_probabilities(scores, len(model.classes_))


@converts(PairwiseCouplingClassifier)
def _pairs(model: PairwiseCouplingClassifier, rows: GraphRows) -> Tensor:
    if model.pairwise_indices_ is not None:
        raise ConversionError(
            "pairs of a precomputed kernel leave nothing to export: the graph would need the kernel matrix "
            "as its input. Fit on rows with a kernel of kernelproba.kernels"
        )
    odds = []
    for each in model.estimators_:
        log_P = log_posterior(each, rows)
        odds.append(log_P.columns([0]) - log_P.columns([1]))
    weights = model.pair_weights_ if model._coupling_ == "hastie-tibshirani" else None
    return coupled_posterior(rows.graph.concat(odds), len(model.classes_), model._coupling_, weights)


@converts(ConformalClassifier)
@converts(MinimumRiskClassifier)
def _inner(model: ConformalClassifier | MinimumRiskClassifier, rows: GraphRows) -> Tensor:
    return log_posterior(model.estimator_, rows)


@converts(PriorShiftClassifier)
def _prior_shift(model: PriorShiftClassifier, rows: GraphRows) -> Tensor:
    """Log p + log π'/π, the new priors where no class is possible."""
    log_P, old, new = log_posterior(model.estimator_, rows), model.train_priors_, model.priors_
    if np.array_equal(old, new):
        return log_P
    shift = np.full(len(new), LOG_ZERO)
    shift[new > 0] = np.log(new[new > 0]) - np.log(old[new > 0])
    scores = (log_P + shift).at_least(LOG_ZERO)
    impossible = scores.max().is_below(LOG_ZERO / 2)
    fallback = log_probabilities(new)[np.newaxis]
    return log_softmax(rows.graph.where(impossible, fallback, scores)).at_least(LOG_ZERO)


def decision(model: MinimumRiskClassifier, log_P: Tensor) -> tuple[Tensor, np.ndarray]:
    """Return which labels have the least expected loss, (n,), as numbers in a table, and the table."""
    if type(model) is not MinimumRiskClassifier:
        return label_numbers(log_P), model.classes_
    graph, P = log_P.graph, log_P.graph("Exp", log_P)
    dearest = model.loss_matrix_.max(axis=1)
    relative = P @ (model.loss_matrix_ - dearest[:, np.newaxis])
    chosen = graph("ArgMin", relative, axis=1, keepdims=0)
    if model.reject_cost_ is None:
        return chosen, model.classes_
    risk = P @ dearest - (-relative).max().reshape(-1)
    rejected = graph.constant(np.array(len(model.classes_)))
    chosen = graph.where(risk.exceeds(float(model.reject_cost_)), rejected, chosen)
    return chosen, label_table(model.classes_, model.reject_label_)


def scaled(scaler: FeatureScaling | None, X: Tensor) -> Tensor:
    """Return rows on the common scale."""
    if scaler is None:
        return X
    Z = ((X - scaler.center_) / scaler.scale_).clip(-FARTHEST, FARTHEST)
    if scaler.rule in SQUASHED_RULES:
        Z = Z / X.graph("Sqrt", Z * Z / REACH**2 + 1.0)  # z/√(1 + (z/3)²)
    if scaler.stretch_ is not None:
        Z = Z * scaler.stretch_
    return Z if scaler.components_ is None else X.graph.concat([Z, Z @ scaler.components_])


def expanded(expansion: BasisExpansion, X: Tensor) -> Tensor:
    """Return the basis functions of rows, (n, p)."""
    if expansion._basis_ == "gaussian":
        return kernel_block(RBF(expansion.width_), X, dense_centers(expansion.centers_))
    if expansion._basis_ == "polynomial":
        return _monomials(expansion.monomials_.powers_, X)
    feature, knot = sigmoid_terms(dense_centers(expansion.centers_))
    widths = np.broadcast_to(np.asarray(expansion.width_, dtype=np.float64), expansion.centers_.shape[1:])
    return expit((X.columns(feature) - knot) / widths[feature])


def _monomials(powers: np.ndarray, X: Tensor) -> Tensor:
    """Return Πₖ xₖ^powers[j, k], (n, p), by as many products as the degree."""
    # Each monomial as a list of features, filled up by a column of ones.
    degree, d = int(powers.sum(axis=1).max()), powers.shape[1]
    factors = np.full((len(powers), degree), d)
    for row, exponents in zip(factors, powers, strict=True):
        row[: exponents.sum()] = np.repeat(np.arange(d), exponents)
    padded = X.graph.concat([X, X.graph.filled(X, np.ones(1))])
    Phi = padded.columns(factors[:, 0])
    for k in range(1, degree):
        Phi = Phi * padded.columns(factors[:, k])
    return Phi
