"""Scores and pictures of probabilities: are they true, and what do they look like."""

from kernelproba.inspection.bootstrap import Interval, bootstrap_interval
from kernelproba.inspection.scores import (
    BrierDecomposition,
    brier_decomposition,
    brier_score,
    expected_calibration_error,
    probability_scores,
    squared_calibration_error,
)

__all__ = [
    "BrierDecomposition",
    "Interval",
    "bootstrap_interval",
    "brier_decomposition",
    "brier_score",
    "expected_calibration_error",
    "probability_scores",
    "squared_calibration_error",
]
