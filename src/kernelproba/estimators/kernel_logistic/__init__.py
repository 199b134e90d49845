"""Kernel logistic regression: exact, with chosen centres, or one model per pair of classes."""

from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression

__all__ = ["KernelLogisticRegression"]
