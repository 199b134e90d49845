"""Models that choose their own parameters: paths, leave-one-out, cross-validation."""

from kernelproba.tuning.grid.contrast_cv import MaximumContrastClassifierCV
from kernelproba.tuning.grid.linear_machine_cv import LinearProgrammingMachineCV
from kernelproba.tuning.grid.sparse_cv import SparseKernelLogisticRegressionCV
from kernelproba.tuning.kernel_logistic.cv import KernelLogisticRegressionCV
from kernelproba.tuning.least_squares.cv import LeastSquaresProbabilisticClassifierCV

__all__ = [
    "KernelLogisticRegressionCV",
    "LeastSquaresProbabilisticClassifierCV",
    "LinearProgrammingMachineCV",
    "MaximumContrastClassifierCV",
    "SparseKernelLogisticRegressionCV",
]
