"""Kernels as nodes: k(X, Z) of rows X (n, d), a tensor, and centres Z (m, d), numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch

import numpy as np
from sklearn.gaussian_process import kernels as gp
from sklearn.preprocessing import normalize

from kernelproba.kernels import (
    RBF,
    AdditiveChiSquared,
    CallableKernel,
    ChiSquared,
    Cosine,
    GaussianProcessKernel,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    Product,
    RationalQuadratic,
    Scaled,
    Sigmoid,
    Stationary,
    Sum,
)
from kernelproba.linalg import densify
from kernelproba.onnx.errors import ConversionError
from kernelproba.onnx.graph import Tensor, sum_over_features

#: Error of a squared distance, in units of the kernel's width, that one product of matrices may leave.
LARGEST_ERROR = 1e-9
#: What exp takes to zero.
FAR = 800.0
#: Rows beyond this are as far as this: squares overflow to ∞, as in `predict_proba`, but products do not.
FARTHEST = 1e160


def kernel_block(kernel: Kernel, X: Tensor, Z: np.ndarray) -> Tensor:
    """Return k(X, Z), (n, m), in double precision."""
    refuse_unknown(kernel)
    return _block(kernel, X, Z)


def refuse_unknown(kernel: Kernel) -> None:
    """Raise an error for kernels without nodes, among them classes derived from ours, which may differ."""
    if type(kernel) not in _block.registry:
        raise ConversionError(
            f"the kernel {type(kernel).__name__} has no form in ONNX: fit with one of kernelproba.kernels "
            "(or its name, such as 'rbf'), or sums and products of them"
        )


@singledispatch
def _block(kernel: Kernel, X: Tensor, Z: np.ndarray) -> Tensor:
    raise NotImplementedError


@_block.register
def _(kernel: Precomputed, X: Tensor, Z: np.ndarray) -> Tensor:  # noqa: ARG001
    raise ConversionError(
        "kernel='precomputed' leaves nothing to export: the graph would need the kernel matrix as its input. "
        "Fit on rows with a kernel of kernelproba.kernels"
    )


@_block.register
def _(kernel: CallableKernel, X: Tensor, Z: np.ndarray) -> Tensor:  # noqa: ARG001
    name = getattr(kernel.function, "__name__", type(kernel.function).__name__)
    raise ConversionError(
        f"the kernel function {name!r} is Python, which ONNX cannot hold: fit with a kernel of "
        "kernelproba.kernels, or with sums and products of them"
    )


@_block.register
def _(kernel: GaussianProcessKernel, X: Tensor, Z: np.ndarray) -> Tensor:
    return kernel_block(_translated(kernel.kernel), X, Z)


@_block.register
def _(kernel: Sum, X: Tensor, Z: np.ndarray) -> Tensor:
    return kernel_block(kernel.left, X, Z) + kernel_block(kernel.right, X, Z)


@_block.register
def _(kernel: Product, X: Tensor, Z: np.ndarray) -> Tensor:
    return kernel_block(kernel.left, X, Z) * kernel_block(kernel.right, X, Z)


@_block.register
def _(kernel: Scaled, X: Tensor, Z: np.ndarray) -> Tensor:
    return kernel_block(kernel.kernel, X, Z) * float(kernel.factor)


@_block.register
def _(kernel: Linear, X: Tensor, Z: np.ndarray) -> Tensor:  # noqa: ARG001
    return X @ Z.T


@_block.register
def _(kernel: Polynomial, X: Tensor, Z: np.ndarray) -> Tensor:
    return X.graph("Pow", X @ (kernel.gamma * Z.T) + float(kernel.coef0), float(kernel.degree))


@_block.register
def _(kernel: Sigmoid, X: Tensor, Z: np.ndarray) -> Tensor:
    return X.graph("Tanh", X @ (kernel.gamma * Z.T) + float(kernel.coef0))


@_block.register
def _(kernel: Cosine, X: Tensor, Z: np.ndarray) -> Tensor:  # noqa: ARG001
    graph = X.graph
    # Divided by their largest entry first, so that no square overflows; rows of zeros stay what they are.
    X = X / graph("Abs", X).max().at_least(np.finfo(float).tiny)
    return X / graph("Sqrt", (X * X).sum()).at_least(np.finfo(float).tiny) @ normalize(Z).T


@_block.register
def _(kernel: AdditiveChiSquared, X: Tensor, Z: np.ndarray) -> Tensor:  # noqa: ARG001
    def term(x: Tensor, z: Tensor) -> Tensor:
        gap = x - z  # and 0/0 is 0
        return -(gap * gap / (x + z).at_least(np.finfo(float).tiny))

    return sum_over_features(term, X, Z, X.graph)


@_block.register
def _(kernel: ChiSquared, X: Tensor, Z: np.ndarray) -> Tensor:
    return X.graph("Exp", kernel_block(AdditiveChiSquared(), X, Z) * float(kernel.gamma))


@_block.register
def _(kernel: RBF, X: Tensor, Z: np.ndarray) -> Tensor:
    return X.graph("Exp", squared_distances(kernel, X, Z) * -0.5)


@_block.register
def _(kernel: Laplacian, X: Tensor, Z: np.ndarray) -> Tensor:
    return X.graph("Exp", -absolute_distances(kernel, X, Z))


@_block.register
def _(kernel: Matern, X: Tensor, Z: np.ndarray) -> Tensor:
    s = matern_distances(kernel, X, Z).at_most(FAR)
    decay = X.graph("Exp", -s)
    if kernel.nu == 0.5:
        return decay
    # 1 + s + s²/3 = 1 + s (1 + s/3)
    return ((s if kernel.nu == 1.5 else s * (s / 3.0 + 1.0)) + 1.0) * decay


@_block.register
def _(kernel: RationalQuadratic, X: Tensor, Z: np.ndarray) -> Tensor:
    base = squared_distances(kernel, X, Z) / (2.0 * kernel.alpha) + 1.0
    return X.graph("Exp", X.graph("Log", base) * -float(kernel.alpha))


def matern_distances(kernel: Matern, X: Tensor, Z: np.ndarray) -> Tensor:
    """Return s = √(2ν) ‖(x − z)/ℓ‖, (n, m)."""
    # Of ν = ½ the root of a rounding error would show.
    D = squared_distances(kernel, X, Z, exact=kernel.nu == 0.5)
    return X.graph("Sqrt", D * (2.0 * kernel.nu))


def absolute_distances(kernel: Stationary, X: Tensor, Z: np.ndarray) -> Tensor:
    """Return Σₖ |xₖ − zₖ|/ℓₖ, (n, m)."""
    graph = X.graph
    X, Z = _in_widths(kernel, X, Z, np.zeros(Z.shape[1]))
    return sum_over_features(lambda x, z: x.graph("Abs", x - z), X, Z, graph)


def squared_distances(kernel: Stationary, X: Tensor, Z: np.ndarray, *, exact: bool = False) -> Tensor:
    """Return ‖(x − z)/ℓ‖², (n, m), by one product of matrices where that leaves digits enough."""
    X, Z = _in_widths(kernel, X, Z, np.median(Z, axis=0))
    squares = np.square(Z).sum(axis=1)
    # ‖x‖² + ‖z‖² − 2 x·z is off by (1.5d + 4) ε (‖x‖² + ‖z‖²), and no x that is near some z is far out.
    error = 5 * squares.max() * (1.5 * Z.shape[1] + 4) * np.finfo(float).eps
    if exact or error > LARGEST_ERROR:
        return sum_over_features(_squared_gap, X, Z, X.graph)
    return ((X * X).sum() + squares + X @ (-2.0 * Z.T)).at_least(0.0)


def _squared_gap(x: Tensor, z: Tensor) -> Tensor:
    gap = x - z
    return gap * gap


def _in_widths(kernel: Stationary, X: Tensor, Z: np.ndarray, origin: np.ndarray) -> tuple[Tensor, np.ndarray]:
    """Return rows and centres as seen from an origin, in units of the kernel's width."""
    widths = np.broadcast_to(np.asarray(kernel.length_scale, dtype=np.float64), Z.shape[1:])
    return (X.clip(-FARTHEST, FARTHEST) - origin) / widths, (Z - origin) / widths


def dense_centers(Z: object) -> np.ndarray:
    """Return centres in the form that `kernel_block` takes."""
    return np.asarray(densify(Z), dtype=np.float64)


#: From kernels of scikit-learn's Gaussian processes to ours.
_TRANSLATIONS: dict[type[gp.Kernel], Callable[..., Kernel]] = {
    gp.Sum: lambda kernel: Sum(_translated(kernel.k1), _translated(kernel.k2)),
    gp.Product: lambda kernel: Product(_translated(kernel.k1), _translated(kernel.k2)),
    gp.ConstantKernel: lambda kernel: Scaled(Polynomial(degree=0), kernel.constant_value),
    gp.DotProduct: lambda kernel: Polynomial(degree=1, coef0=kernel.sigma_0**2),
    gp.RBF: lambda kernel: RBF(kernel.length_scale),
    gp.Matern: lambda kernel: Matern(kernel.length_scale, kernel.nu),
    gp.RationalQuadratic: lambda kernel: RationalQuadratic(kernel.length_scale, kernel.alpha),
}


def _translated(kernel: gp.Kernel) -> Kernel:
    """Return a kernel of scikit-learn's Gaussian processes as one of ours."""
    if type(kernel) not in _TRANSLATIONS or getattr(kernel, "nu", 0.5) not in (0.5, 1.5, 2.5):
        raise ConversionError(
            f"the Gaussian-process kernel {kernel} has no form in ONNX: those that have are RBF, Matern with "
            "nu 0.5, 1.5 or 2.5, RationalQuadratic, DotProduct, ConstantKernel, and their sums and products"
        )
    return _TRANSLATIONS[type(kernel)](kernel)
