"""Contributions of columns against shap's KernelExplainer, which values all sets of few columns."""

import warnings

import numpy as np
import pytest

from kernelproba import KernelLogisticRegression
from kernelproba.inspection import column_contributions

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    shap = pytest.importorskip("shap", reason="pip install 'kernelproba[bench]'")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_contributions_of_six_columns_are_those_of_shap(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int) + (n_classes - 2) * (X[:, 3] > 0.5)
    model = KernelLogisticRegression(C=3, gamma=0.2).fit(X, y)

    def log_odds(rows):
        p = model.predict_proba(rows)[:, 1]
        return np.log(p) - np.log1p(-p)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = shap.KernelExplainer(log_odds, X[30:]).shap_values(X[:3], silent=True, l1_reg=False)
    lines = column_contributions(model, X[:3], X[30:], label=1).dropna(subset="column")
    found = lines.pivot(index="explained", columns="column", values="contribution").to_numpy(float)
    np.testing.assert_allclose(found, expected, atol=1e-8)
