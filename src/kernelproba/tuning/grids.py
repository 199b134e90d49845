"""What a user says of gamma to a search: nothing, some values, or a kernel that has none."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from kernelproba.estimators.base.validation import positive_numbers
from kernelproba.kernels import Kernel, Laplacian, Stationary, resolve_gamma
from kernelproba.kernels.resolve import KernelLike
from kernelproba.typing import Matrix


def given_gammas(
    gammas: str | ArrayLike, kernel: KernelLike, kernel_of: Callable[[float], Kernel]
) -> list[float] | list[None] | None:
    """Values to choose from; [None] for a kernel that has no gamma, None if gamma is to be searched.

    Parameters
    ----------
    gammas : str or array-like
        A name stands for a search.
    kernel : str, callable or Kernel
        What the user named.
    kernel_of : callable
        gamma → the kernel with that gamma, if it has one.
    """
    has_gamma = isinstance(kernel, str) and kernel_of(1.0) != kernel_of(2.0)
    if isinstance(gammas, str):
        return None if has_gamma else [None]
    if not has_gamma:
        raise ValueError(
            f"gammas are for named kernels that have a gamma, which kernel={kernel!r} has not: leave them "
            "out, or name another kernel."
        )
    return positive_numbers(gammas, "gammas")


def central_gamma(kernel: Kernel, X: Matrix) -> float:
    """Gamma at which the kernel of two rows at the median distance is exp(−½), or exp(−1) for Laplace's.

    Kernels that are no functions of a distance have 1/(d Var X).

    Parameters
    ----------
    kernel : Kernel
        Of the kind whose gamma is asked for.
    X : array of shape (n, d)
        Rows.
    """
    if not isinstance(kernel, Stationary):
        return resolve_gamma("scale", X)
    D = kernel.distances(X, X)[np.triu_indices(X.shape[0], 1)].astype(np.float64)
    apart = D[D > 0]
    median = float(np.median(apart)) if len(apart) else 1.0
    return 1 / median if isinstance(kernel, Laplacian) else 1 / (2 * median)
