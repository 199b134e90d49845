"""Kernels as densities: log k(X, Z) and log Σⱼ wⱼ k(x, zⱼ), free of underflow, as nodes."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from kernelproba.kernels import (
    RBF,
    AdditiveChiSquared,
    ChiSquared,
    Kernel,
    Laplacian,
    Matern,
    Product,
    RationalQuadratic,
    Scaled,
)
from kernelproba.number_range import LARGEST, LOG_ZERO
from kernelproba.onnx.graph import Tensor
from kernelproba.onnx.kernels import (
    absolute_distances,
    kernel_block,
    matern_distances,
    refuse_unknown,
    squared_distances,
)


def log_weighted_sum(kernel: Kernel, X: Tensor, Z: np.ndarray, weights: np.ndarray) -> Tensor:
    """Return log Σⱼ wⱼ k(x, zⱼ) of centres Z (m, d) with positive weights (m,), shape (n, 1)."""
    return _log_sum_exp(log_block(kernel, X, Z) + np.log(weights))


def _log_sum_exp(exponents: Tensor) -> Tensor:
    """Return log Σⱼ exp(Eᵢⱼ) of finite exponents (n, m), shape (n, 1)."""
    graph, highest = exponents.graph, exponents.max()
    return graph("Log", graph("Exp", exponents - highest).sum()) + highest


def log_block(kernel: Kernel, X: Tensor, Z: np.ndarray) -> Tensor:
    """Return log k(X, Z), (n, m), −1e300 at the least."""
    refuse_unknown(kernel)
    return _log_block(kernel, X, Z).at_least(LOG_ZERO)


@singledispatch
def _log_block(kernel: Kernel, X: Tensor, Z: np.ndarray) -> Tensor:
    return X.graph("Log", kernel_block(kernel, X, Z).at_least(0.0))


@_log_block.register
def _(kernel: Product, X: Tensor, Z: np.ndarray) -> Tensor:
    return log_block(kernel.left, X, Z) + log_block(kernel.right, X, Z)


@_log_block.register
def _(kernel: Scaled, X: Tensor, Z: np.ndarray) -> Tensor:
    if not kernel.factor > 0:
        return X.graph.filled(X, np.full(len(Z), LOG_ZERO))
    return log_block(kernel.kernel, X, Z) + float(np.log(kernel.factor))


@_log_block.register
def _(kernel: ChiSquared, X: Tensor, Z: np.ndarray) -> Tensor:
    return kernel_block(AdditiveChiSquared(), X, Z) * float(kernel.gamma)


@_log_block.register
def _(kernel: RBF, X: Tensor, Z: np.ndarray) -> Tensor:
    return squared_distances(kernel, X, Z) * -0.5


@_log_block.register
def _(kernel: Laplacian, X: Tensor, Z: np.ndarray) -> Tensor:
    return -absolute_distances(kernel, X, Z)


@_log_block.register
def _(kernel: Matern, X: Tensor, Z: np.ndarray) -> Tensor:
    s = matern_distances(kernel, X, Z).at_most(-LOG_ZERO)
    if kernel.nu == 0.5:
        return -s
    # log(1 + s) − s, log(1 + s + s²/3) − s
    t = s.at_most(LARGEST)
    return X.graph("Log", (t if kernel.nu == 1.5 else t * (t / 3.0 + 1.0)) + 1.0) - s


@_log_block.register
def _(kernel: RationalQuadratic, X: Tensor, Z: np.ndarray) -> Tensor:
    base = squared_distances(kernel, X, Z) / (2.0 * kernel.alpha) + 1.0
    return X.graph("Log", base).at_most(1e3) * -float(kernel.alpha)
