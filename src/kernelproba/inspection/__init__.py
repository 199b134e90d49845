"""Scores and pictures of probabilities: are they true, and what do they look like."""

from kernelproba.inspection.bootstrap import Interval, bootstrap_interval
from kernelproba.inspection.posterior import PosteriorDisplay
from kernelproba.inspection.reliability import ReliabilityDisplay, reliability_tables
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
    "PosteriorDisplay",
    "ReliabilityDisplay",
    "bootstrap_interval",
    "brier_decomposition",
    "brier_score",
    "expected_calibration_error",
    "probability_scores",
    "reliability_tables",
    "squared_calibration_error",
]
