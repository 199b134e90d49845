"""Fitted models with fewer centres, whose probabilities are nearly the same."""

from kernelproba.compression.compress import compress

__all__ = ["compress"]
