"""ONE table of instances for scikit-learn's estimator checks: a new estimator adds a row."""

from sklearn.linear_model import LogisticRegression

from kernelproba import (
    BasisExpansion,
    BasisLogisticRegression,
    KernelLogisticRegression,
    MinimumRiskClassifier,
    PairwiseCouplingClassifier,
    PriorShiftClassifier,
)

INSTANCES = [
    KernelLogisticRegression(),
    KernelLogisticRegression(kernel="linear", solver="irls"),
    KernelLogisticRegression(kernel="precomputed"),
    KernelLogisticRegression(multi_class="pairwise"),
    KernelLogisticRegression(solver="newton-cg", fit_intercept=False),
    KernelLogisticRegression(solver="lbfgs", class_weight="balanced", tol=1e-8),
    BasisExpansion("gaussian"),
    BasisExpansion("sigmoid"),
    BasisExpansion("polynomial", degree=2),
    BasisLogisticRegression(),
    BasisLogisticRegression(expansion="passthrough"),
    PairwiseCouplingClassifier(LogisticRegression()),
    PairwiseCouplingClassifier(LogisticRegression(), "hastie-tibshirani"),
    MinimumRiskClassifier(LogisticRegression()),
    PriorShiftClassifier(LogisticRegression()),
]
