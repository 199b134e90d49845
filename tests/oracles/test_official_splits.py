"""Accuracy on a published split, and figures in the docs that are those of the results."""

import json
from pathlib import Path

import numpy as np
import pytest

from kernelproba import KernelLogisticRegression
from kernelproba.datasets import DatasetUnavailable, official_split
from kernelproba.inspection import probability_scores

ROOT = Path(__file__).parents[2]
SHOWN = {
    "KLR": "KernelLogisticRegression",
    "KLR pairwise": "…, pairwise",
    "SVC": "SVC",
    "SVC calibrated": "SVC, calibrated",
    "SVC(probability=True)": "SVC(probability=True)",
}


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


def test_the_readme_shows_the_measured_figures():
    rows = json.loads((ROOT / "docs/results/logistic_official.json").read_text(encoding="utf8"))["rows"]
    readme = (ROOT / "README.md").read_text(encoding="utf8")
    page = (ROOT / "docs/results/logistic_official.md").read_text(encoding="utf8")
    assert len(rows) > 0
    for row in rows:
        assert f"{row['error']:.4g}" in page
        assert f"| {row['data']} | {SHOWN[row['model']]} | {row['error']:.2%} |" in readme
        if row["model"] != "SVC":
            assert np.isfinite(row["log loss"])
