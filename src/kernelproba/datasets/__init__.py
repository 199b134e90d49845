"""Benchmark data sets by name, and toy problems whose class probabilities are known."""

from kernelproba.datasets.loader import (
    DATA_VARIABLE,
    Dataset,
    DatasetCorrupt,
    DatasetUnavailable,
    load,
    names,
    official_split,
)
from kernelproba.datasets.mixture import Gaussian, Mixture
from kernelproba.datasets.toys import (
    chessboard_problem,
    three_gaussians,
    three_gaussians_problem,
    two_gaussians_problem,
)

__all__ = [
    "DATA_VARIABLE",
    "Dataset",
    "DatasetCorrupt",
    "DatasetUnavailable",
    "Gaussian",
    "Mixture",
    "chessboard_problem",
    "load",
    "names",
    "official_split",
    "three_gaussians",
    "three_gaussians_problem",
    "two_gaussians_problem",
]
