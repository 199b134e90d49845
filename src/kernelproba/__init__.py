"""Classification with trustworthy probabilities from kernel methods, with the API of scikit-learn."""

from .estimators import (
    BasisExpansion,
    BasisLogisticRegression,
    KernelDensityClassifier,
    KernelLogisticRegression,
    LeastSquaresProbabilisticClassifier,
    MaximumContrastClassifier,
    MinimumRiskClassifier,
    PairwiseCouplingClassifier,
    PriorShiftClassifier,
    RecursiveFeatureAddition,
    RelevanceVectorClassifier,
    SparseKernelLogisticRegression,
)
from .solvers.separation import SeparationError
from .tuning import (
    LeastSquaresProbabilisticClassifierCV,
    MaximumContrastClassifierCV,
    SparseKernelLogisticRegressionCV,
)

__version__ = "0.1.0"

__all__ = [
    "BasisExpansion",
    "BasisLogisticRegression",
    "KernelDensityClassifier",
    "KernelLogisticRegression",
    "LeastSquaresProbabilisticClassifier",
    "LeastSquaresProbabilisticClassifierCV",
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
]
