"""WHICH functions span a model: centres, and the coordinates in which the RKHS norm is Euclidean."""

from .whitening import CholeskyBasis, KernelBasis, SpectralBasis, span_rows

__all__ = ["CholeskyBasis", "KernelBasis", "SpectralBasis", "span_rows"]
