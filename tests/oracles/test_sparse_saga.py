"""Sparse kernel logistic regression against scikit-learn's lasso on the kernel matrix."""

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler
from sklearn.utils.fixes import parse_version

from kernelproba.estimators.sparse_kernel_logistic.estimator import SparseKernelLogisticRegression

#: How scikit-learn spells a lasso.
LASSO = {"penalty": "l1"} if parse_version(sklearn.__version__) < parse_version("1.8") else {"l1_ratio": 1.0}


@pytest.mark.parametrize("n_classes", [2, 3])
def test_saga_on_the_kernel_matrix_reaches_the_same_minimum(n_classes):
    X, y = load_iris(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[::2], np.minimum(y, n_classes - 1)[::2]
    ours = SparseKernelLogisticRegression(C=0.5, gamma=0.5, tol=1e-6).fit(X, y)
    saga = LogisticRegression(C=0.5, **LASSO, solver="saga", tol=1e-9, max_iter=100_000)
    saga.fit(rbf_kernel(X, gamma=0.5), y)
    np.testing.assert_allclose(ours.predict_proba(X), saga.predict_proba(rbf_kernel(X, gamma=0.5)), atol=1e-4)
    loss = -saga.predict_log_proba(rbf_kernel(X, gamma=0.5))[np.arange(len(y)), y].sum()
    assert ours.objective_ == pytest.approx(0.5 * loss + np.abs(saga.coef_).sum(), rel=1e-6)
    np.testing.assert_array_equal(ours.support_, np.flatnonzero((np.abs(saga.coef_) > 1e-6).any(axis=0)))
