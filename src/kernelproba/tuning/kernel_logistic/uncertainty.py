"""Intervals and novelty of a pool of kernel logistic functions.

Scores Σₖ vₖ fₖ with Σₖ vₖ = 1 have the covariance Σₖ vₖ² Sₖ if the functions err independently, and Σₖ vₖ Sₖ
at most, however they depend on one another.  They share the rows, but not what a rough kernel adds between
rows: the mean of the two is taken, Σₖ ½vₖ(1 + vₖ) Sₖ.  Away from the rows, where nothing decides between the
functions, what they differ by is added (`pooled_moments`).
"""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelproba.estimators import KernelLogisticRegression
from kernelproba.estimators.kernel_logistic.uncertainty import Member, UncertainProbabilities
from kernelproba.tuning.scaling import FeatureScaling


class UncertainPool(UncertainProbabilities):
    """Self-tuning classifier with models, scalers, weights and a temperature."""

    estimators_: list[KernelLogisticRegression]
    scalers_: list[FeatureScaling | None]
    weights_: np.ndarray
    temperature_: float

    def _members(self) -> list[Member]:
        check_is_fitted(self)
        parts = zip(self.weights_, self.estimators_, self.scalers_, strict=True)
        return [Member(float(weight), model, scaler) for weight, model, scaler in parts]

    def _score_scale(self) -> float:
        return self.temperature_
