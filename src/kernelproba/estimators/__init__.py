"""scikit-learn faces: validate, assemble, store."""

from .basis_expansion import BasisExpansion
from .basis_logistic import BasisLogisticRegression
from .kernel_logistic import KernelLogisticRegression
from .minimum_risk import MinimumRiskClassifier
from .pairwise import PairwiseCouplingClassifier
from .prior_shift import PriorShiftClassifier

__all__ = [
    "BasisExpansion",
    "BasisLogisticRegression",
    "KernelLogisticRegression",
    "MinimumRiskClassifier",
    "PairwiseCouplingClassifier",
    "PriorShiftClassifier",
]
