"""Kernel machines that bring features to one scale by themselves: the parameter `scale`."""

from dataclasses import replace

import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import StrOptions

from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.estimators.base.kernel_machine import KernelMachine
from kernelproba.estimators.base.training import Training
from kernelproba.kernels import AdditiveChiSquared
from kernelproba.tuning.scaling import DENSE_RULES, AfterScaling, FeatureScaling
from kernelproba.typing import ClassWeight, Matrix, MatrixLike

#: What the parameter may be.
SCALE_CONSTRAINTS: list = [
    StrOptions({"auto", "standard", "robust", "squashed", "mixed", "squashed-mixed"}),
    None,
]


class ScaledFeatures(KernelMachine):
    """Kernel machine that compares rows after bringing their features to one scale.

    Subclasses have the constructor parameter `scale`; their `fit` stores `scaler_`, None for features that
    are taken as they are.
    """

    scale: str | None
    scaler_: FeatureScaling | None

    def _check_fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None, class_weight: ClassWeight
    ) -> Training:
        if self.scale in DENSE_RULES and sp.issparse(X):
            raise ValueError(f"scale={self.scale!r} needs dense rows; use scale='standard' for sparse ones.")
        return super()._check_fit(X, y, sample_weight, class_weight)

    def _rules(self) -> list[str | None]:
        """Scales to try, the likelier first."""
        if self._is_precomputed():
            return [None]
        if self.scale != "auto":
            return [self.scale]
        # Standardised features are negative now and then, which histograms must not be.
        histograms = isinstance(self.kernel, AdditiveChiSquared) or self.kernel in ("chi2", "additive_chi2")
        return [None] if histograms else ["standard", None]

    def _on_scale(self, X: Matrix) -> Matrix:
        """Checked rows as they are compared."""
        return X if self.scaler_ is None else self.scaler_.transform(X)

    def _before_scaling(self, expansion: KernelExpansion) -> KernelExpansion:
        """Scores of scaled rows as scores of rows as `predict` takes them."""
        if self.scaler_ is None:
            return expansion
        return replace(expansion, kernel=AfterScaling(expansion.kernel, self.scaler_))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse &= self.scale not in DENSE_RULES  # taking off medians fills a sparse matrix
        return tags
