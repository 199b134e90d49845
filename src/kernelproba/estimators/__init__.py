"""scikit-learn faces: validate, assemble, store."""

from .basis_expansion import BasisExpansion
from .basis_logistic import BasisLogisticRegression
from .feature_addition import RecursiveFeatureAddition
from .kernel_density import KernelDensityClassifier
from .kernel_logistic import KernelLogisticRegression
from .least_squares import LeastSquaresProbabilisticClassifier
from .linear_programming_machine import LinearProgrammingMachine
from .maximum_contrast import MaximumContrastClassifier
from .minimum_risk import MinimumRiskClassifier
from .pairwise import PairwiseCouplingClassifier
from .prior_shift import PriorShiftClassifier
from .relevance_vector import RelevanceVectorClassifier
from .sparse_kernel_logistic import SparseKernelLogisticRegression

__all__ = [
    "BasisExpansion",
    "BasisLogisticRegression",
    "KernelDensityClassifier",
    "KernelLogisticRegression",
    "LeastSquaresProbabilisticClassifier",
    "LinearProgrammingMachine",
    "MaximumContrastClassifier",
    "MinimumRiskClassifier",
    "PairwiseCouplingClassifier",
    "PriorShiftClassifier",
    "RecursiveFeatureAddition",
    "RelevanceVectorClassifier",
    "SparseKernelLogisticRegression",
]
