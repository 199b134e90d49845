"""Scores of pools."""

import numpy as np
from sklearn.datasets import load_wine

from kernelproba import KernelLogisticRegressionCV


def test_far_rows_in_single_precision_have_the_scores_of_double_where_a_kernel_has_no_bound():
    X, y = load_wine(return_X_y=True)
    model = KernelLogisticRegressionCV([1.0], kernel="linear").fit(X, y)
    rows = (1e3 * X + np.random.default_rng(0).normal(size=X.shape)).astype(np.float32)
    assert model.scalers_[0] is not None
    expected = model.decision_function(rows.astype(np.float64))
    np.testing.assert_allclose(model.decision_function(rows), expected, rtol=0, atol=1e-6)
