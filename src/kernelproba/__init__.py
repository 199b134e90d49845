"""Classification with trustworthy probabilities from kernel methods, with the API of scikit-learn."""

from kernelproba.estimators import (
    BasisExpansion,
    BasisLogisticRegression,
    ConformalClassifier,
    KernelDensityClassifier,
    KernelLogisticRegression,
    LeastSquaresProbabilisticClassifier,
    LinearProgrammingMachine,
    MaximumContrastClassifier,
    MinimumRiskClassifier,
    PairwiseCouplingClassifier,
    PriorShiftClassifier,
    RecursiveFeatureAddition,
    RelevanceVectorClassifier,
    SparseKernelLogisticRegression,
)
from kernelproba.solvers.smooth.separation import SeparationError
from kernelproba.tables import TableClassifier, TableEncoder
from kernelproba.tuning import (
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifierCV,
    LinearProgrammingMachineCV,
    MaximumContrastClassifierCV,
    SparseKernelLogisticRegressionCV,
)

__version__ = "0.1.0"

__all__ = [
    "BasisExpansion",
    "BasisLogisticRegression",
    "ConformalClassifier",
    "KernelDensityClassifier",
    "KernelLogisticRegression",
    "KernelLogisticRegressionCV",
    "LeastSquaresProbabilisticClassifier",
    "LeastSquaresProbabilisticClassifierCV",
    "LinearProgrammingMachine",
    "LinearProgrammingMachineCV",
    "MaximumContrastClassifier",
    "MaximumContrastClassifierCV",
    "MinimumRiskClassifier",
    "PairwiseCouplingClassifier",
    "PriorShiftClassifier",
    "RecursiveFeatureAddition",
    "RelevanceVectorClassifier",
    "SeparationError",
    "SparseKernelLogisticRegression",
    "SparseKernelLogisticRegressionCV",
    "TableClassifier",
    "TableEncoder",
]
