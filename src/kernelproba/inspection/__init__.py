"""Scores and pictures of probabilities: are they true, what do they look like, what are their reasons."""

from kernelproba.inspection.displays.contrast import ContrastDisplay
from kernelproba.inspection.displays.coverage import CoverageDisplay
from kernelproba.inspection.displays.explanation import ExplanationDisplay
from kernelproba.inspection.displays.path import PathDisplay
from kernelproba.inspection.displays.posterior import PosteriorDisplay, posterior_map
from kernelproba.inspection.displays.reliability import ReliabilityDisplay, reliability_tables
from kernelproba.inspection.displays.risk import RiskCoverageDisplay
from kernelproba.inspection.displays.search import SearchDisplay
from kernelproba.inspection.reasons.changes import smallest_change
from kernelproba.inspection.reasons.columns import column_contributions
from kernelproba.inspection.reasons.dependence import partial_dependence
from kernelproba.inspection.reasons.explanation import explain
from kernelproba.inspection.reasons.importance import permutation_importance
from kernelproba.inspection.reasons.influence import row_influence
from kernelproba.inspection.reasons.suspects import SuspectsDisplay, suspects
from kernelproba.inspection.scores.bootstrap import Interval, bootstrap_interval
from kernelproba.inspection.scores.differences import score_differences
from kernelproba.inspection.scores.headline import probability_scores, score_intervals
from kernelproba.inspection.scores.posterior_scores import (
    BrierDecomposition,
    brier_decomposition,
    brier_score,
    expected_calibration_error,
    squared_calibration_error,
)
from kernelproba.inspection.scores.slices import error_slices

__all__ = [
    "BrierDecomposition",
    "ContrastDisplay",
    "CoverageDisplay",
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
    "column_contributions",
    "error_slices",
    "expected_calibration_error",
    "explain",
    "partial_dependence",
    "permutation_importance",
    "posterior_map",
    "probability_scores",
    "reliability_tables",
    "row_influence",
    "score_differences",
    "score_intervals",
    "smallest_change",
    "squared_calibration_error",
    "suspects",
]
