"""Chi-squared kernels, for rows that are histograms: non-negative features."""

import numpy as np

from .base import Kernel
from .blocks import Fill
from .operands import check_positive, check_rows, densify


class AdditiveChiSquared(Kernel):
    """k(x, z) = −Σₖ (xₖ−zₖ)² / (xₖ+zₖ), terms 0/0 being 0; only conditionally definite."""

    def _against(self, Z) -> Fill:
        columns = np.ascontiguousarray(_check_histograms(Z).T)
        tiny = np.finfo(columns.dtype).tiny

        def fill(X, out):
            X = _check_histograms(X)
            gap, total = np.empty_like(out), np.empty_like(out)
            out[...] = 0
            for k, column in enumerate(columns):
                np.subtract(X[:, k, None], column, out=gap)
                np.add(X[:, k, None], column, out=total)
                gap *= gap
                gap /= np.maximum(total, tiny, out=total)
                out -= gap

        return fill

    def diag(self, X):
        X = check_rows(X)
        return np.zeros(X.shape[0], dtype=X.dtype)


class ChiSquared(AdditiveChiSquared):
    """
    k(x, z) = exp(−γ Σₖ (xₖ−zₖ)² / (xₖ+zₖ)).

    Parameters
    ----------
    gamma : float, default=1.0
        γ > 0.
    """

    _definite = True

    def __init__(self, gamma=1.0):
        self.gamma = gamma

    def _against(self, Z) -> Fill:
        additive, gamma = super()._against(Z), check_positive(self.gamma, "gamma")

        def fill(X, out):
            additive(X, out)
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
