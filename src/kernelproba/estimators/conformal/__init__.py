"""Prediction sets around any probabilistic classifier."""

from kernelproba.estimators.conformal.estimator import ConformalClassifier

__all__ = ["ConformalClassifier"]
