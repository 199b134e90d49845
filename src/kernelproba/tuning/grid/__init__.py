"""Searches over a grid of widths and penalties: contrast, linear programming machine, sparse models."""

from kernelproba.tuning.grid.contrast_cv import MaximumContrastClassifierCV
from kernelproba.tuning.grid.linear_machine_cv import LinearProgrammingMachineCV
from kernelproba.tuning.grid.sparse_cv import SparseKernelLogisticRegressionCV

__all__ = ["LinearProgrammingMachineCV", "MaximumContrastClassifierCV", "SparseKernelLogisticRegressionCV"]
