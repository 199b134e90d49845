"""scikit-learn faces: validate, assemble, store."""

from kernelproba.estimators.basis_logistic.estimator import BasisLogisticRegression
from kernelproba.estimators.basis_logistic.expansion import BasisExpansion
from kernelproba.estimators.conformal.estimator import ConformalClassifier
from kernelproba.estimators.feature_addition import RecursiveFeatureAddition
from kernelproba.estimators.kernel_density import KernelDensityClassifier
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.estimators.least_squares.estimator import LeastSquaresProbabilisticClassifier
from kernelproba.estimators.linear_programming_machine import LinearProgrammingMachine
from kernelproba.estimators.maximum_contrast import MaximumContrastClassifier
from kernelproba.estimators.minimum_risk import MinimumRiskClassifier
from kernelproba.estimators.pairwise_coupling import PairwiseCouplingClassifier
from kernelproba.estimators.prior_shift import PriorShiftClassifier
from kernelproba.estimators.relevance_vector import RelevanceVectorClassifier
from kernelproba.estimators.sparse_kernel_logistic.estimator import SparseKernelLogisticRegression

__all__ = [
    "BasisExpansion",
    "BasisLogisticRegression",
    "ConformalClassifier",
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
