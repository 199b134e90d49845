"""The self-tuning least-squares probabilistic classifier."""

from kernelproba.tuning.least_squares.cv import LeastSquaresProbabilisticClassifierCV

__all__ = ["LeastSquaresProbabilisticClassifierCV"]
