"""Scores and pictures of probabilities: are they true, what do they look like, what are their reasons."""

from kernelproba.inspection.bootstrap import Interval, bootstrap_interval
from kernelproba.inspection.contrast import ContrastDisplay
from kernelproba.inspection.explain import explain
from kernelproba.inspection.explanation import ExplanationDisplay
from kernelproba.inspection.headline import probability_scores, score_intervals
from kernelproba.inspection.path import PathDisplay
from kernelproba.inspection.posterior import PosteriorDisplay, posterior_map
from kernelproba.inspection.reliability import ReliabilityDisplay, reliability_tables
from kernelproba.inspection.risk import RiskCoverageDisplay
from kernelproba.inspection.scores import (
    BrierDecomposition,
    brier_decomposition,
    brier_score,
    expected_calibration_error,
    squared_calibration_error,
)
from kernelproba.inspection.search import SearchDisplay
from kernelproba.inspection.suspects import SuspectsDisplay, suspects

__all__ = [
    "BrierDecomposition",
    "ContrastDisplay",
    "ExplanationDisplay",
    "Interval",
    "PathDisplay",
    "PosteriorDisplay",
    "ReliabilityDisplay",
    "RiskCoverageDisplay",
    "SearchDisplay",
    "SuspectsDisplay",
    "bootstrap_interval",
    "brier_decomposition",
    "brier_score",
    "expected_calibration_error",
    "explain",
    "posterior_map",
    "probability_scores",
    "reliability_tables",
    "score_intervals",
    "squared_calibration_error",
    "suspects",
]
