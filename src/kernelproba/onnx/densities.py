"""Classifiers by Bayes' rule on kernel densities, as nodes, all in logarithms."""

from __future__ import annotations

import numpy as np

from kernelproba.estimators import KernelDensityClassifier, MaximumContrastClassifier
from kernelproba.estimators.base.density_classifier import DensityMachine
from kernelproba.number_range import LOG_ZERO, log_probabilities
from kernelproba.onnx.graph import Tensor
from kernelproba.onnx.kernels import dense_centers
from kernelproba.onnx.log_kernels import log_weighted_sum
from kernelproba.onnx.machines import summed_scores
from kernelproba.onnx.posteriors import GraphRows, converts
from kernelproba.onnx.probabilities import log_softmax, mapped


@converts(KernelDensityClassifier)
def _kernel_density(model: KernelDensityClassifier, rows: GraphRows) -> Tensor:
    X = rows.matrix
    fields = [
        log_weighted_sum(kernel, X, *_used(model, j)) + float(model._log_scale_[j])
        for j, kernel in enumerate(model.kernels_)
    ]
    return _bayes(X.graph.concat(fields), model.priors_)


@converts(MaximumContrastClassifier)
def _maximum_contrast(model: MaximumContrastClassifier, rows: GraphRows) -> Tensor:
    X = rows.matrix
    if model._score_map_ is not None:
        return mapped(model._score_map_, _margins(summed_scores(model._fields(), X)).clip(-1.0, 1.0))
    fields = [log_weighted_sum(model.kernel_, X, *_used(model, j)) for j in range(len(model.classes_))]
    return _bayes(X.graph.concat(fields), model.priors_)


def _used(model: DensityMachine, j: int) -> tuple[np.ndarray, np.ndarray]:
    """Centres and weights of the density of class j."""
    used = np.flatnonzero(model.dual_coef_[j])
    return dense_centers(model._centers[used]), model.dual_coef_[j, used]


def _bayes(log_q: Tensor, priors: np.ndarray) -> Tensor:
    """Return log p(j|x) ∝ P_j q_j(x), the priors where every density is beyond floating point."""
    log_F, log_priors = log_q + log_probabilities(priors), log_probabilities(priors)
    nowhere = log_F.max().is_below(LOG_ZERO / 2)
    return log_softmax(log_q.graph.where(nowhere, log_priors[np.newaxis], log_F)).at_least(LOG_ZERO)


def _margins(F: Tensor) -> Tensor:
    """Return d(x, j) = F_j − max_{k≠j} F_k, (n, c)."""
    graph = F.graph
    values, _ = (Tensor(graph, graph.unique_name(name)) for name in ("top", "place"))
    graph.write("TopK", [F.name, graph.integers([2]).name], [values.name, _.name], attributes={"axis": 1})
    top, second = values.columns([0]), values.columns([1])
    return F - graph.where(graph("Equal", F, top), second, top)
