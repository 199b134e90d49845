"""scikit-learn faces: validate, assemble, store."""

from .kernel_logistic import KernelLogisticRegression

__all__ = ["KernelLogisticRegression"]
