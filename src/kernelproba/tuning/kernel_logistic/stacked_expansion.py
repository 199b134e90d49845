"""The expansions of a pool's models as one: its scores are a sum over the centres of all of them."""

from collections.abc import Sequence

import numpy as np

from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.kernels import Kernel


def stacked_expansion(parts: Sequence[KernelExpansion]) -> KernelExpansion:
    """Sum of expansions of the same scores as one."""
    if len(parts) == 1:
        return parts[0]
    return KernelExpansion(
        StackedKernels([part.kernel for part in parts]),
        [part.centers for part in parts],
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.coef for part in parts], axis=1),
        np.sum([part.intercept for part in parts], axis=0),
        parts[0].sides,
    )


class StackedKernels(Kernel):
    """[k₁(x, z₁), k₂(x, z₂), …] for lists of centres.

    Parameters
    ----------
    kernels : list of Kernel
        One for each list of centres.
    """

    def __init__(self, kernels):
        self.kernels = kernels

    def __call__(self, X, Z):
        return np.hstack([kernel(X, centers) for kernel, centers in zip(self.kernels, Z, strict=True)])
