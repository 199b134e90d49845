"""What the rows of a class leave unexplained of a new row, in the function space of a kernel.

    u(x) = k(x, x) − k(x)ᵀ (K + N)⁻¹ k(x),      N = diag(1/(C sᵢ))

is the squared distance of k(x, ·) from the span of the rows, where leaning on row i costs 1/(C sᵢ): small
beside rows of the class, k(x, x) far from all.  With features, K = ΦΦᵀ + Λ, N̂ = Λ + N and
Φᵀ N̂⁻¹ Φ = V diag(λ) Vᵀ

    u(x) = k(x, x) − ‖diag(√(λ/(1 + λ))) Vᵀ φ(x)‖²

at r² operations.  For a row of the class itself, without that row, with s = ‖φᵢ‖² minus the norm above::

    u₋ᵢ = Λᵢ + s / (1 − s/N̂ᵢ)
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from kernelproba.basis.features import CenterFeatures
from kernelproba.kernels import Kernel
from kernelproba.typing import Matrix


@dataclass(frozen=True)
class ExplainedRows:
    """The rows of one class: their `features` φ, and the `map` diag(√(λ/(1 + λ))) Vᵀ, (r, r)."""

    features: CenterFeatures
    map: np.ndarray

    def unexplained(self, X: Matrix) -> np.ndarray:
        """U (n,) of new rows."""
        Phi, rest = self.features(X)
        return rest + _unexplained(Phi, self.map)


def explained_rows(
    kernel: Kernel, X: Matrix, precision: np.ndarray, max_rank: int
) -> tuple[ExplainedRows, np.ndarray]:
    """Return what the rows X (n, d) of a class explain, and u₋ᵢ (n,) of each by the others.

    Parameters
    ----------
    kernel, X
        Kernel and rows.
    precision : array of shape (n,)
        C·s.
    max_rank : int
        Bound on the number of features.
    """
    features = CenterFeatures.among(kernel, X, max_rank)
    Phi, rest = features(X)
    noise = rest + 1 / precision
    half = Phi / np.sqrt(noise)[:, None]
    information, V = eigh(half.T @ half, check_finite=False)
    information = np.maximum(information, 0.0)
    explained = ExplainedRows(features, np.sqrt(information / (1 + information))[:, None] * V.T)
    s = _unexplained(Phi, explained.map)
    return explained, rest + s / np.maximum(1 - s / noise, np.finfo(float).eps)


def _unexplained(Phi: np.ndarray, map: np.ndarray) -> np.ndarray:
    """‖φ‖² − ‖Mφ‖² of every row, not negative."""
    explained = Phi @ map.T
    return np.maximum(np.einsum("ij,ij->i", Phi, Phi) - np.einsum("ij,ij->i", explained, explained), 0.0)
