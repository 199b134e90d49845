"""Classification with trustworthy probabilities from kernel methods, with the API of scikit-learn."""

from .estimators import (
    BasisExpansion,
    BasisLogisticRegression,
    KernelLogisticRegression,
    MinimumRiskClassifier,
    PairwiseCouplingClassifier,
    PriorShiftClassifier,
)
from .solvers.separation import SeparationError

__version__ = "0.1.0"

__all__ = [
    "BasisExpansion",
    "BasisLogisticRegression",
    "KernelLogisticRegression",
    "MinimumRiskClassifier",
    "PairwiseCouplingClassifier",
    "PriorShiftClassifier",
    "SeparationError",
]
