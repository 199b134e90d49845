"""The least-squares probabilistic classifier and its streams."""

from kernelproba.estimators.least_squares.estimator import LeastSquaresProbabilisticClassifier

__all__ = ["LeastSquaresProbabilisticClassifier"]
