"""Sparse multinomial kernel logistic regression and its path."""

from kernelproba.estimators.sparse_kernel_logistic.estimator import SparseKernelLogisticRegression

__all__ = ["SparseKernelLogisticRegression"]
