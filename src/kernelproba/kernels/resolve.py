"""From what users write (a name, a function, an object) to one `Kernel`."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process.kernels import Kernel as SklearnGPKernel

from kernelproba.kernels.adapters import CallableKernel, GaussianProcessKernel, Precomputed
from kernelproba.kernels.bandwidth import resolve_gamma
from kernelproba.kernels.base import Kernel
from kernelproba.kernels.dot_product import Cosine, Linear, Polynomial, Sigmoid
from kernelproba.kernels.histogram import AdditiveChiSquared, ChiSquared
from kernelproba.kernels.stationary import RBF, Laplacian, Matern, RationalQuadratic, Stationary
from kernelproba.number_range import LARGEST, SMALLEST, largest_entry
from kernelproba.typing import Matrix, RandomState

_NAMES: dict[str, type[Kernel]] = {
    "additive_chi2": AdditiveChiSquared,
    "chi2": ChiSquared,
    "cosine": Cosine,
    "laplacian": Laplacian,
    "linear": Linear,
    "matern": Matern,
    "poly": Polynomial,
    "polynomial": Polynomial,
    "precomputed": Precomputed,
    "rational_quadratic": RationalQuadratic,
    "rbf": RBF,
    "sigmoid": Sigmoid,
}
KERNEL_NAMES = tuple(_NAMES)

#: A kernel as users name it: by its name in scikit-learn, as a function of two matrices, or as an object.
KernelLike: TypeAlias = str | Callable[..., np.ndarray] | Kernel


def resolve_kernel(
    kernel: KernelLike,
    X: Matrix,
    *,
    gamma: float | str = "scale",
    degree: float = 3,
    coef0: float = 0.0,
    kernel_params: Mapping[str, object] | None = None,
    random_state: RandomState = None,
    sample_weight: np.ndarray | None = None,
) -> Kernel:
    """Return the `Kernel` that `kernel` stands for on X, whose values are in the range of numbers.

    Parameters
    ----------
    kernel : str, Kernel, callable or sklearn.gaussian_process.kernels.Kernel
        A name has scikit-learn's meaning (`sklearn.metrics.pairwise`); a callable
        takes two matrices and returns their kernel matrix, as in SVC.
    X : {array, CSR} of shape (n, d)
        The rows that ``gamma="scale"`` and ``gamma="median"`` look at.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Width of the named kernels; see `resolve_gamma`.
    degree, coef0 : float
        Of ``"poly"`` and ``"sigmoid"``.
    kernel_params : dict, default=None
        Keyword arguments of a callable; else parameters to set on the kernel,
        such as ``{"nu": 2.5}`` for ``"matern"``.
    random_state : int, RandomState or None
        Draws the rows of ``gamma="median"``.
    sample_weight : array of shape (n,), default=None
        Weights of the rows in the variance behind ``gamma="scale"``.

    See Also
    --------
    resolve_gamma : Widths by rule.
    Kernel : What it returns.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.kernels import resolve_kernel
    >>> resolve_kernel("rbf", np.eye(2), gamma=2.0)
    RBF(length_scale=0.5)
    """
    params = kernel_params or {}
    if isinstance(kernel, str) and kernel in _NAMES:
        number = partial(resolve_gamma, gamma, X, random_state, sample_weight)
        resolved = _with_params(_named(_NAMES[kernel], number, degree, coef0), params)
    elif isinstance(kernel, Kernel):
        resolved = _with_params(clone(kernel), params)
    elif isinstance(kernel, SklearnGPKernel):
        resolved = GaussianProcessKernel(_with_params(clone(kernel), params))
    elif callable(kernel) and not isinstance(kernel, type):
        resolved = CallableKernel(kernel, kernel_params)
    else:
        raise ValueError(
            f"kernel must be one of {', '.join(map(repr, KERNEL_NAMES))}, "
            f"or a Kernel, or a function of two matrices, got {kernel!r}"
        )
    _check_range(resolved, X)
    return resolved


def _with_params(kernel, params: Mapping[str, object]):
    """Set the kernel's own parameters, or say which `kernel_params` it does not have."""
    try:
        return kernel.set_params(**params)
    except ValueError as error:
        raise ValueError(f"kernel_params={params!r} do not fit the kernel {kernel!r}: {error}") from error


def kernel_size(kernel: Kernel, X) -> float:
    """Return the largest |k(x, x)| of rows X; of a precomputed matrix the largest entry."""
    if isinstance(kernel, Stationary):
        return 1.0
    if isinstance(kernel, Precomputed):
        return largest_entry(X)
    return float(np.abs(kernel.diag(X)).max(initial=0.0))


def _check_range(kernel: Kernel, X) -> None:
    """Refuse a kernel whose k(x, x) is beyond what sums of squares can carry."""
    if isinstance(kernel, Precomputed):
        return  # X itself, whose entries are checked elsewhere
    largest = kernel_size(kernel, X)
    if largest > LARGEST or 0 < largest < SMALLEST:
        raise ValueError(
            f"The kernel {kernel!r} has values of {largest:.0e} on X; between {SMALLEST:g} and {LARGEST:g} "
            "is what can be computed with. Scale X, or lower gamma, degree, coef0 or a factor of the kernel."
        )


def _named(kind: type[Kernel], gamma: Callable[[], float], degree, coef0) -> Kernel:
    """Build a kernel from those of SVC's parameters that it has; gamma only if it is needed."""
    offers: dict[str, Callable] = {
        "length_scale": lambda: kind.length_scale_of(gamma()),
        "gamma": gamma,
        "degree": lambda: degree,
        "coef0": lambda: coef0,
    }
    settings = _settings(kind)  # type: ignore[arg-type]  # mypy doubts that a class can be hashed
    return kind(**{name: offers[name]() for name in settings if name in offers})


@cache
def _settings(kind: type[Kernel]) -> tuple[str, ...]:
    """Names of the parameters of a kind of kernels; a search makes some dozens, and asking takes longer."""
    return tuple(kind().get_params())
