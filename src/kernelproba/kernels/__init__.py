"""What is similar: kernels k(X, Z) → one dense block, their algebra and their widths."""

from kernelproba.kernels.adapters import CallableKernel, GaussianProcessKernel, Precomputed
from kernelproba.kernels.bandwidth import GAMMA_RULES, median_distance, resolve_gamma
from kernelproba.kernels.base import Kernel, Product, Scaled, Sum
from kernelproba.kernels.comparison import Comparison
from kernelproba.kernels.dot_product import Cosine, Linear, Polynomial, Sigmoid
from kernelproba.kernels.histogram import AdditiveChiSquared, ChiSquared
from kernelproba.kernels.matrix import kernel_matrix, kernel_panels, rows_in
from kernelproba.kernels.resolve import KERNEL_NAMES, resolve_kernel
from kernelproba.kernels.stationary import RBF, Laplacian, Matern, RationalQuadratic, Stationary

__all__ = [
    "GAMMA_RULES",
    "KERNEL_NAMES",
    "RBF",
    "AdditiveChiSquared",
    "CallableKernel",
    "ChiSquared",
    "Comparison",
    "Cosine",
    "GaussianProcessKernel",
    "Kernel",
    "Laplacian",
    "Linear",
    "Matern",
    "Polynomial",
    "Precomputed",
    "Product",
    "RationalQuadratic",
    "Scaled",
    "Sigmoid",
    "Stationary",
    "Sum",
    "kernel_matrix",
    "kernel_panels",
    "median_distance",
    "resolve_gamma",
    "resolve_kernel",
    "rows_in",
]
