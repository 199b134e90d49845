"""Every classifier of this package."""

from benchmarks.matrix.contestants.setting import CENTERS, GAMMA, C
from kernelproba import (
    BasisExpansion,
    BasisLogisticRegression,
    KernelDensityClassifier,
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifier,
    LinearProgrammingMachine,
    MaximumContrastClassifier,
    RelevanceVectorClassifier,
    SparseKernelLogisticRegression,
)

MODELS = {
    "KernelLogisticRegression": KernelLogisticRegression(C=C, gamma=GAMMA),
    "KernelLogisticRegression, pairwise": KernelLogisticRegression(C=C, gamma=GAMMA, multi_class="pairwise"),
    f"KernelLogisticRegression, {CENTERS} centres": KernelLogisticRegression(
        C=C, gamma=GAMMA, n_centers=CENTERS, random_state=0
    ),
    "KernelLogisticRegressionCV": KernelLogisticRegressionCV(random_state=0),
    "LeastSquaresProbabilisticClassifier": LeastSquaresProbabilisticClassifier(gamma=GAMMA),
    "SparseKernelLogisticRegression": SparseKernelLogisticRegression(gamma=GAMMA),
    "RelevanceVectorClassifier": RelevanceVectorClassifier(gamma=GAMMA),
    "MaximumContrastClassifier": MaximumContrastClassifier(gamma=GAMMA),
    "LinearProgrammingMachine": LinearProgrammingMachine(gamma=GAMMA),
    "KernelDensityClassifier": KernelDensityClassifier(),
    "BasisLogisticRegression": BasisLogisticRegression(
        C=C, expansion=BasisExpansion(n_centers=100, random_state=0)
    ),
}
