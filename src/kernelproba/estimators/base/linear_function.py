"""Coefficients of the features of models whose kernel is linear, as RFE and SelectFromModel read them."""

from typing import Protocol

import numpy as np

from kernelproba.estimators.base.kernel_expansion import KernelExpansion


class ExpandedScores(Protocol):
    """A model that writes its scores out."""

    def kernel_expansions(self) -> list[KernelExpansion]:
        """The scores of the fitted model as sums over centres."""


class LinearFunction:
    """Model with `kernel_expansions`: scores are ``X @ coef_.T + intercept_`` if its kernel is linear."""

    @property
    def coef_(self: ExpandedScores) -> np.ndarray:
        """Coefficients of the features (k, d), a row for each score; a linear kernel alone has them."""
        return np.vstack([linear_form(expansion)[0] for expansion in self.kernel_expansions()])


class TunedLinearFunction(LinearFunction):
    """The same around a model that was chosen, whose scores may be of scaled features."""

    @property
    def intercept_(self: ExpandedScores) -> np.ndarray:
        """Constants of the scores (k,) that go with `coef_`."""
        return np.concatenate([linear_form(expansion)[1] for expansion in self.kernel_expansions()])


def linear_form(expansion: KernelExpansion) -> tuple[np.ndarray, np.ndarray]:
    """Return (W, b) with scores XWᵀ + b, for W (k, d) and b (k,), or say that the kernel is not linear."""
    parts = expansion.kernel.affine(expansion.centers)
    if parts is None:
        raise AttributeError(
            f"coef_ exists for kernel='linear' alone; this model was fitted with {expansion.kernel!r}. For "
            "other kernels use sklearn.inspection.permutation_importance."
        )
    A, a = parts
    return expansion.coef @ A, expansion.intercept + expansion.coef @ a
