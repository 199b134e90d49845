"""Models that choose their own parameters: paths, leave-one-out, cross-validation."""

from .contrast_cv import MaximumContrastClassifierCV
from .kernel_logistic_cv import KernelLogisticRegressionCV
from .least_squares_cv import LeastSquaresProbabilisticClassifierCV
from .linear_machine_cv import LinearProgrammingMachineCV
from .sparse_cv import SparseKernelLogisticRegressionCV

__all__ = [
    "KernelLogisticRegressionCV",
    "LeastSquaresProbabilisticClassifierCV",
    "LinearProgrammingMachineCV",
    "MaximumContrastClassifierCV",
    "SparseKernelLogisticRegressionCV",
]
