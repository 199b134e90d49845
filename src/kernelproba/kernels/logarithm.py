"""Kernels as densities: log k(x, z), mixtures log Σⱼ wⱼ k(x, zⱼ) and volumes ∫ k(x, z) dx, free of underflow.

A Gaussian is 0 in double precision beyond 39 widths, its logarithm never is: far from all data the
mixture of the nearest centres still says which class is nearer.
"""

from collections.abc import Callable
from functools import singledispatch

import numpy as np
from scipy.special import gammaln

from kernelproba.kernels.base import Kernel, Product, Scaled
from kernelproba.kernels.histogram import AdditiveChiSquared, ChiSquared
from kernelproba.kernels.stationary import (
    RBF,
    Laplacian,
    Matern,
    RationalQuadratic,
    Stationary,
    scale_squares,
)
from kernelproba.number_range import LOG_ZERO
from kernelproba.typing import Matrix

#: Mixtures above this are far enough from underflow to be summed as they are.
SAFE = 1e-250


@singledispatch
def log_kernel(kernel: Kernel, X: Matrix, Z: Matrix) -> np.ndarray:
    """Return log k(X, Z) of shape (n, m), −inf where the kernel is 0."""
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(kernel(X, Z), 0).astype(np.float64, copy=False))


@log_kernel.register
def _(kernel: Stationary, X: Matrix, Z: Matrix) -> np.ndarray:
    return log_of_distance(kernel, kernel.distances(X, Z).astype(np.float64, copy=False))


@log_kernel.register
def _(kernel: Product, X: Matrix, Z: Matrix) -> np.ndarray:
    return log_kernel(kernel.left, X, Z) + log_kernel(kernel.right, X, Z)


@log_kernel.register
def _(kernel: Scaled, X: Matrix, Z: Matrix) -> np.ndarray:
    if not kernel.factor > 0:
        return np.full((X.shape[0], len(Z)), -np.inf)
    return log_kernel(kernel.kernel, X, Z) + np.log(kernel.factor)


@log_kernel.register
@np.errstate(over="ignore")
def _(kernel: ChiSquared, X: Matrix, Z: Matrix) -> np.ndarray:
    return np.maximum(kernel.gamma * AdditiveChiSquared()(X, Z).astype(np.float64, copy=False), LOG_ZERO)


@singledispatch
def log_of_distance(kernel: Stationary, D: np.ndarray) -> np.ndarray:
    """Return log k from the distances (n, m) of `Stationary.distances`, which are left as they are."""
    with np.errstate(divide="ignore"):
        return np.log(kernel.of_distance(D.copy()))


@log_of_distance.register
def _(kernel: RBF, D: np.ndarray) -> np.ndarray:
    D = D.copy()
    scale_squares(D, -0.5, kernel._width())
    return np.maximum(D, LOG_ZERO, out=D)


@log_of_distance.register
@np.errstate(over="ignore")
def _(kernel: Laplacian, D: np.ndarray) -> np.ndarray:
    return np.maximum(D / -kernel._width(), LOG_ZERO)


@log_of_distance.register
@np.errstate(over="ignore")
def _(kernel: Matern, D: np.ndarray) -> np.ndarray:
    # log(1 + s) − s and its like: s = √(2ν) r
    s = np.sqrt(D) / (kernel._width() / np.sqrt(2 * kernel.nu))
    s = np.minimum(s, -LOG_ZERO)
    if kernel.nu == 0.5:
        return -s
    t = np.minimum(s, 1e100)
    return np.log1p(t if kernel.nu == 1.5 else t * (1 + t / 3)) - s


@log_of_distance.register
@np.errstate(over="ignore")
def _(kernel: RationalQuadratic, D: np.ndarray) -> np.ndarray:
    D = D.copy()
    scale_squares(D, 0.5, kernel._width())
    return -kernel.alpha * np.minimum(np.log1p(D / kernel.alpha), 1e3)


def log_mixture(kernel: Kernel, X: Matrix, Z: Matrix, weights: np.ndarray) -> np.ndarray:
    """Return log Σⱼ wⱼ k(x, zⱼ), shape (n, c).

    Parameters
    ----------
    kernel : Kernel
        Non-negative.
    X : array of shape (n, d)
        Rows.
    Z : array of shape (m, d)
        Centres.
    weights : array of shape (m, c)
        w ≥ 0, a column for each of c mixtures.
    """
    return log_sums(kernel(X, Z), weights, lambda rows: log_kernel(kernel, X[rows], Z))


def log_sums(K: np.ndarray, weights: np.ndarray, exponents: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return log K w, shape (n, c), summing exponentials only in the rows that come close to underflow.

    Parameters
    ----------
    K : array of shape (n, m)
        Kernel values.
    weights : array of shape (m, c)
        w ≥ 0.
    exponents : callable
        Takes row numbers (r,) and returns log K of these rows (r, m).
    """
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        mixture = K.astype(np.float64, copy=False) @ weights
        logarithm = np.log(mixture)
        # NaN and ∞, from values that overflow, are as unsafe as 0.
        safe = (mixture > SAFE) & np.isfinite(mixture)
        unsafe = np.flatnonzero(~(safe | ~weights.any(axis=0)).all(axis=1))
        if len(unsafe):
            log_K, log_weights = exponents(unsafe), np.log(weights)
            for k in range(weights.shape[1]):
                logarithm[unsafe, k] = log_sum_exp(log_K + log_weights[:, k])
    return np.where(np.isnan(logarithm), -np.inf, logarithm)


def log_sum_exp(exponents: np.ndarray) -> np.ndarray:
    """Return log Σⱼ exp(Eᵢⱼ) of each row, shape (n,); E (n, m) is overwritten."""
    highest = exponents.max(axis=1)
    shift = np.where(np.isfinite(highest), highest, 0.0)
    exponents -= shift[:, np.newaxis]
    with np.errstate(divide="ignore"):
        return np.log(np.exp(exponents, out=exponents).sum(axis=1)) + shift


@singledispatch
def log_volume(kernel: Kernel, d: int) -> float:  # noqa: ARG001  # for the kernels that know
    """Return log ∫ k(x, z) dx over d features; an error if that is not known or infinite."""
    raise ValueError(
        f"the integral of {type(kernel).__name__} is not known, so its densities cannot be normalised: "
        "choose normalize=False, or the kernel 'rbf', 'laplacian', 'matern' or 'rational_quadratic'"
    )


@log_volume.register
def _(kernel: RBF, d: int) -> float:
    return 0.5 * d * np.log(2 * np.pi) + _log_scales(kernel, d)


@log_volume.register
def _(kernel: Laplacian, d: int) -> float:
    return d * np.log(2) + _log_scales(kernel, d)


@log_volume.register
def _(kernel: Matern, d: int) -> float:
    # The spectral density at 0:  (2π/ν)^{d/2} Γ(ν + d/2) / Γ(ν) ℓᵈ
    nu = kernel.nu
    return 0.5 * d * np.log(2 * np.pi / nu) + gammaln(nu + d / 2) - gammaln(nu) + _log_scales(kernel, d)


@log_volume.register
def _(kernel: RationalQuadratic, d: int) -> float:
    a = kernel.alpha
    if a <= d / 2:
        raise ValueError(
            f"RationalQuadratic has no finite integral over {d} features unless alpha > {d / 2:g}, got "
            f"{a!r}: raise alpha or choose normalize=False"
        )
    return 0.5 * d * np.log(2 * np.pi * a) + gammaln(a - d / 2) - gammaln(a) + _log_scales(kernel, d)


def _log_scales(kernel: Stationary, d: int) -> float:
    """Return Σ log ℓₖ over the features."""
    return float(np.log(np.broadcast_to(kernel.length_scale, d)).sum())
