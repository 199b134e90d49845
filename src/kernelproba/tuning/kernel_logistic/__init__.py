"""Self-tuning kernel logistic regression."""

from kernelproba.tuning.kernel_logistic.cv import KernelLogisticRegressionCV

__all__ = ["KernelLogisticRegressionCV"]
