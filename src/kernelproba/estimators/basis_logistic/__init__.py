"""Logistic regression on fixed basis functions."""

from kernelproba.estimators.basis_logistic.estimator import BasisLogisticRegression
from kernelproba.estimators.basis_logistic.expansion import BasisExpansion

__all__ = ["BasisExpansion", "BasisLogisticRegression"]
