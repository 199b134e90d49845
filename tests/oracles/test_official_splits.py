"""Accuracy on a published split."""

import pytest

from kernelproba import KernelLogisticRegression
from kernelproba.datasets import DatasetUnavailable, official_split
from kernelproba.inspection import probability_scores


def test_satimage_has_the_error_and_log_loss_of_exact_kernel_logistic_regression():
    try:
        X, y, X_test, y_test = official_split("satimage")
    except DatasetUnavailable as reason:
        pytest.skip(str(reason))
    low, high = X.min(axis=0), X.max(axis=0)
    X, X_test = (2 * (A - low) / (high - low) - 1 for A in (X, X_test))
    model = KernelLogisticRegression(C=10, gamma=1.0).fit(X, y)
    scores = probability_scores(y_test, model.predict_proba(X_test), classes=model.classes_)
    assert scores["error"] <= 0.087
    assert scores["log_loss"] <= 0.230
