"""WHICH functions span a model: centres, and the coordinates in which the RKHS norm is Euclidean."""

from kernelproba.basis.centers import RULES, centers_to_tolerance, choose_centers, span_centers
from kernelproba.basis.whitening import CholeskyBasis, KernelBasis, SpectralBasis, span_rows

__all__ = [
    "RULES",
    "CholeskyBasis",
    "KernelBasis",
    "SpectralBasis",
    "centers_to_tolerance",
    "choose_centers",
    "span_centers",
    "span_rows",
]
