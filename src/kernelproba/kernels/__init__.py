"""What is similar: kernels k(X, Z) → one dense block, their algebra and their widths."""

from .adapters import CallableKernel, GaussianProcessKernel, Precomputed
from .bandwidth import GAMMA_RULES, median_distance, resolve_gamma
from .base import Kernel, Product, Scaled, Sum
from .comparison import Comparison
from .dot_product import Cosine, Linear, Polynomial, Sigmoid
from .histogram import AdditiveChiSquared, ChiSquared
from .matrix import kernel_matrix, rows_in
from .resolve import KERNEL_NAMES, resolve_kernel
from .stationary import RBF, Laplacian, Matern, RationalQuadratic, Stationary

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
    "median_distance",
    "resolve_gamma",
    "resolve_kernel",
    "rows_in",
]
