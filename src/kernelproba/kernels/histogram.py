"""Chi-squared kernels, for rows that are histograms: non-negative features."""

import numpy as np
from sklearn.metrics.pairwise import additive_chi2_kernel

from kernelproba.kernels.base import Kernel
from kernelproba.kernels.blocks import Fill
from kernelproba.kernels.operands import check_positive, check_rows
from kernelproba.linalg import densify


class AdditiveChiSquared(Kernel):
    """k(x, z) = −Σₖ (xₖ−zₖ)² / (xₖ+zₖ), terms 0/0 being 0; only conditionally definite.

    See Also
    --------
    ChiSquared : Its exponential.

    Examples
    --------
    >>> from kernelproba.kernels import AdditiveChiSquared
    >>> AdditiveChiSquared()([[0.2, 0.8]], [[0.3, 0.7], [0.6, 0.4]]).round(3)
    array([[-0.027, -0.333]])
    """

    def _against(self, Z) -> Fill:
        Z = _check_histograms(Z)

        def fill(X, out):
            values = additive_chi2_kernel(_check_histograms(X), Z)
            # (x−z)² may overflow where x + z does too: not a number, but far away.
            np.nan_to_num(values, copy=False, nan=-np.finfo(values.dtype).max)
            with np.errstate(over="ignore"):
                out[...] = values

        return fill

    def diag(self, X):
        X = check_rows(X)
        return np.zeros(X.shape[0], dtype=X.dtype)


class ChiSquared(AdditiveChiSquared):
    """k(x, z) = exp(−γ Σₖ (xₖ−zₖ)² / (xₖ+zₖ)).

    Parameters
    ----------
    gamma : float, default=1.0
        γ > 0.

    See Also
    --------
    AdditiveChiSquared : The sum without the exponential.

    Examples
    --------
    >>> from kernelproba.kernels import ChiSquared
    >>> ChiSquared(gamma=0.5)([[0.2, 0.8]], [[0.2, 0.8], [0.6, 0.4]]).round(3)
    array([[1.   , 0.846]])
    """

    _definite = True

    def __init__(self, gamma=1.0):
        self.gamma = gamma

    def _against(self, Z) -> Fill:
        additive, gamma = super()._against(Z), check_positive(self.gamma, "gamma")

        def fill(X, out):
            additive(X, out)
            with np.errstate(over="ignore"):
                out *= gamma
            np.exp(out, out=out)

        return fill

    def diag(self, X):
        return np.exp(super().diag(X))


def _check_histograms(A) -> np.ndarray:
    A = densify(A)
    if A.size and A.min() < 0:
        raise ValueError(
            "X contains negative values, which chi-squared kernels cannot compare: "
            "scale X to be non-negative, or choose another kernel"
        )
    return A
