"""Calibration on a published split."""

import pytest

from kernelproba import LeastSquaresProbabilisticClassifier
from kernelproba.datasets import DatasetUnavailable, official_split
from kernelproba.inspection import probability_scores


def test_satimage_is_calibrated_as_promised():
    try:
        X, y, X_test, y_test = official_split("satimage")
    except DatasetUnavailable as reason:
        pytest.skip(str(reason))
    low, high = X.min(axis=0), X.max(axis=0)
    X, X_test = (2 * (A - low) / (high - low) - 1 for A in (X, X_test))
    model = LeastSquaresProbabilisticClassifier(1e-5, gamma=2.0).fit(X, y)
    scores = probability_scores(y_test, model.predict_proba(X_test), classes=model.classes_)
    assert scores["ece"] <= 0.03
    assert scores["log_loss"] <= 0.30
