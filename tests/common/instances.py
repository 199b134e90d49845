"""ONE table of instances for scikit-learn's estimator checks: a new estimator adds a row."""

from sklearn.linear_model import LogisticRegression

from kernelproba import (
    BasisExpansion,
    BasisLogisticRegression,
    KernelDensityClassifier,
    KernelLogisticRegression,
    LeastSquaresProbabilisticClassifier,
    LeastSquaresProbabilisticClassifierCV,
    MaximumContrastClassifier,
    MinimumRiskClassifier,
    PairwiseCouplingClassifier,
    PriorShiftClassifier,
    RecursiveFeatureAddition,
    RelevanceVectorClassifier,
    SparseKernelLogisticRegression,
    SparseKernelLogisticRegressionCV,
)

INSTANCES = [
    KernelLogisticRegression(),
    KernelLogisticRegression(kernel="linear", solver="irls"),
    KernelLogisticRegression(kernel="precomputed"),
    KernelLogisticRegression(multi_class="pairwise"),
    KernelLogisticRegression(n_centers=10, centers="uniform"),
    KernelLogisticRegression(solver="newton-cg", fit_intercept=False),
    KernelLogisticRegression(solver="lbfgs", class_weight="balanced", tol=1e-8),
    BasisExpansion("gaussian"),
    BasisExpansion("sigmoid"),
    BasisExpansion("polynomial", degree=2),
    BasisLogisticRegression(),
    BasisLogisticRegression(expansion="passthrough"),
    KernelDensityClassifier(),
    LeastSquaresProbabilisticClassifier(),
    LeastSquaresProbabilisticClassifierCV(),
    MaximumContrastClassifier(),
    RecursiveFeatureAddition(),
    RelevanceVectorClassifier(),
    RelevanceVectorClassifier(multi_class="pairwise"),
    SparseKernelLogisticRegression(tol=1e-9),
    SparseKernelLogisticRegression(penalty="group", tol=1e-9),
    SparseKernelLogisticRegressionCV(Cs=3, cv=3, tol=1e-9),
    PairwiseCouplingClassifier(LogisticRegression()),
    PairwiseCouplingClassifier(LogisticRegression(), "hastie-tibshirani"),
    MinimumRiskClassifier(LogisticRegression()),
    PriorShiftClassifier(LogisticRegression()),
]
