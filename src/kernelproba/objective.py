"""THE formula, its derivatives, and its scaling, each by one fold over the rows.

    J(Θ) = Σᵢ ωᵢ ℓ(yᵢ, φ(xᵢ)ᵀW + b) + pen(W),      ωᵢ = C sᵢ,      Θ = [W; b]  (p + 1, k)

s are the sample weights, φ(x) ∈ ℝᵖ the features, k the number of scores of the loss.  Without an
intercept Θ = W.  With whitened kernel features the penalty ½‖W‖² is half the squared RKHS norm, so J is
``C Σ loss + ½‖f‖²``, as in SVC.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.linalg import get_blas_funcs

from kernelproba.kernels.blocks import for_each_block
from kernelproba.kernels.thin_product import (
    SMALL_PRODUCT,
    multiplies_in_place,
    thin_product,
    transpose_product,
)
from kernelproba.losses import Loss, LossTerms
from kernelproba.penalties import QuadraticPenalty
from kernelproba.rows.protocol import Rows

#: Scores up to which rows are taken in parts so small that BLAS copies none for either product, and the least
#: rows of a part: losses of fewer cost as much as the copies.
FEW_SCORES, LEAST_ROWS = 8, 60


@dataclass(frozen=True)
class LinearScores:
    """What one block of rows contributes, with features Φ (b, p), weights w (b,) and scores F = ΦW + b.

    Θ reaches the blocks as it is: on a cluster it is sent once per pass.
    """

    loss: Loss
    fit_intercept: bool

    def split(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Θ → (W, b)."""
        if self.fit_intercept:
            return theta[:-1], theta[-1]
        return theta, np.zeros(theta.shape[1])

    def scores(self, Phi, theta):
        """F, in double precision."""
        W, b = self.split(theta)
        return _thin(Phi, W.astype(Phi.dtype, copy=False)) + b

    def _transpose_product(self, Phi, G):
        """Φ̃ᵀG, where Φ̃ has a column of ones for the intercept."""
        slopes = G.astype(Phi.dtype, copy=False)
        pulled = transpose_product(Phi, slopes) if isinstance(Phi, np.ndarray) else Phi.T @ slopes
        pulled = pulled.astype(np.float64, copy=False)
        return np.vstack([pulled, G.sum(axis=0)]) if self.fit_intercept else pulled

    def _pulled(self, Phi, theta, slopes):
        """Σ of values and Φ̃ᵀG, where `slopes` has values and G of rows and their scores at Θ."""
        (n, m), k = Phi.shape, theta.shape[1]
        step = SMALL_PRODUCT // (m * k + 1)
        in_place = isinstance(Phi, np.ndarray) and multiplies_in_place()
        if not (in_place and 1 < k <= FEW_SCORES and LEAST_ROWS <= step < n):
            value, G = slopes(slice(None), self.scores(Phi, theta))
            return np.float64(value), self._transpose_product(Phi, G)
        parts = {}

        def work(rows: slice) -> None:
            value, G = slopes(rows, self.scores(Phi[rows], theta))
            parts[rows.start] = value, self._transpose_product(Phi[rows], G)

        for_each_block(work, n, m, step)
        values, pulled = zip(*(parts[start] for start in sorted(parts)), strict=True)
        return np.float64(sum(values)), np.sum(pulled, axis=0)

    def value_and_gradient(self, Phi, y, w, theta):
        """Σ wℓ and its gradient."""
        return self._pulled(Phi, theta, lambda rows, F: self.loss.value_and_gradient(F, y[rows], w[rows]))

    def curvature(self, Phi, theta):
        """State of the curvature of each row."""
        return self.loss.curvature(self.scores(Phi, theta))

    def hessian_product(self, Phi, state, w, V):
        """Σ w φ̃ ∂²ℓ φ̃ᵀV."""

        def slopes(rows, F):
            return 0.0, w[rows, None] * self.loss.curvature_product(state[rows], F)

        return self._pulled(Phi, V, slopes)[1]

    def gram(self, Phi, v):
        """Σ v φ̃φ̃ᵀ; where no v is negative as AᵀA, of which BLAS computes one triangle.

        In double precision: the condition of kernel features is squared here, and single precision would lose
        every direction that is a thousand times weaker than the strongest.
        """
        root = np.sqrt(np.abs(v))[:, None]
        A = np.empty((len(v), Phi.shape[1] + self.fit_intercept))
        np.multiply(root, Phi, out=A[:, : Phi.shape[1]])
        A[:, Phi.shape[1] :] = root
        return A.T @ A if v.min(initial=0.0) >= 0 else A.T @ (np.sign(v)[:, None] * A)

    def gradient_noise(self, Phi, y, w, theta):
        """Rounding errors of the gradient."""
        _, G = self.loss.value_and_gradient(self.scores(Phi, theta), y, w)
        size = np.sqrt(np.einsum("ij,ij->i", Phi, Phi) + self.fit_intercept)
        return np.float64(size @ np.linalg.norm(G, axis=1)) * np.finfo(Phi.dtype).eps


def _thin(Phi, W):
    """ΦW; one column is a product of a matrix and a vector, which BLAS does in place."""
    return thin_product(Phi, W) if W.shape[1] > 1 and isinstance(Phi, np.ndarray) else Phi @ W


@dataclass(frozen=True)
class Objective:
    """Penalised empirical risk of scores that are linear in the features.

    Parameters
    ----------
    features : Rows of shape (n, p)
        φ(x) of every row.
    y : array of shape (n,)
        Class indices, aligned with the rows.
    weights : array of shape (n,)
        ω = C·sample_weight, aligned with the rows.
    loss : Loss
        ℓ.
    penalty : Ridge or FunctionNorm
        pen.
    n_scores : int
        k.
    fit_intercept : bool
        Whether Θ has a last row b.
    """

    features: Rows
    y: np.ndarray
    weights: np.ndarray
    loss: Loss
    penalty: QuadraticPenalty
    n_scores: int
    fit_intercept: bool = True

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of Θ."""
        return self.features.width + self.fit_intercept, self.n_scores

    @property
    def _block(self) -> LinearScores:
        return LinearScores(self.loss, self.fit_intercept)

    def start(self) -> np.ndarray:
        """Θ of the constant zero function."""
        return np.zeros(self.shape)

    def split(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Θ → (W, b)."""
        return self._block.split(theta)

    def _penalise(self, out: np.ndarray, term: np.ndarray) -> np.ndarray:
        out[: self.features.width] += term
        return out

    def scores(self, theta: np.ndarray) -> np.ndarray:
        """F = Φ W + b, aligned with the rows."""
        return self.features.map(self._block.scores, shared=(theta,))

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """J(Θ) and ∇J(Θ), of the shape of Θ."""
        value, gradient = self.features.fold(
            self._block.value_and_gradient, self.y, self.weights, shared=(theta,)
        )
        W, _ = self.split(theta)
        return float(value) + self.penalty.value(W), self._penalise(gradient, self.penalty.gradient(W))

    def curvature(self, theta: np.ndarray) -> np.ndarray:
        """State of the curvature at Θ, aligned with the rows."""
        return self.features.map(self._block.curvature, shared=(theta,))

    def hessian_product(self, state: np.ndarray, V: np.ndarray) -> np.ndarray:
        """∇²J V for V of the shape of Θ."""
        W, _ = self.split(V)
        product = self.features.fold(self._block.hessian_product, state, self.weights, shared=(V,))
        return self._penalise(product, self.penalty.gradient(W))

    def gram(self, row_weights: np.ndarray) -> np.ndarray:
        """``Σᵢ vᵢ φ̃ᵢφ̃ᵢᵀ + pen″`` (p + 1, p + 1), in float64: the Hessian if the curvature were vᵢ/ωᵢ · I."""
        gram = self.features.fold(self._block.gram, row_weights)
        p = self.features.width
        gram[:p, :p] += self.penalty.curvature(p)
        return gram

    def hessian(self, state: np.ndarray) -> np.ndarray:
        """∇²J as a matrix (q k, q k), q = rows of Θ, in the order of ``Θ.T.ravel()``."""
        q, k = self.shape
        p = self.features.width
        H = np.empty((k, q, k, q))
        for i in range(k):
            for j in range(i, k):
                weights = self.weights * self.loss.curvature_block(state, i, j)
                block = self.features.fold(self._block.gram, weights)
                if i == j:
                    block[:p, :p] += self.penalty.curvature(p)
                H[i, :, j] = H[j, :, i] = block
        return H.reshape(k * q, k * q)

    def gradient_noise(self, theta: np.ndarray) -> float:
        """Size of the rounding errors in ∇J(Θ): no solver can bring the gradient below it."""
        W, _ = self.split(theta)
        noise = self.features.fold(self._block.gradient_noise, self.y, self.weights, shared=(theta,))
        return float(noise) + np.finfo(np.float64).eps * float(np.linalg.norm(self.penalty.gradient(W)))


#: Rows of a kernel matrix in single precision that the cache holds.
CACHED_ROWS = 2500


class KernelMatrix(Protocol):
    """A symmetric positive semi-definite matrix of which products are known."""

    dtype: np.dtype

    @property
    def mean_diagonal(self) -> float:
        """Mean of k(x, x)."""

    def product(self, A: np.ndarray) -> np.ndarray:
        """K A for A (n, k), in double precision, column by column, computed in the precision of K."""


class DenseMatrix:
    """K (n, n) itself; single precision doubles the speed of everything."""

    def __init__(self, K: np.ndarray):
        self.K, self.dtype = K, K.dtype
        self._symv = get_blas_funcs("symv", (K,))

    @cached_property
    def mean_diagonal(self) -> float:
        return float(np.mean(self.K.diagonal(), dtype=np.float64))

    def product(self, A):
        A, k = A.astype(self.dtype, copy=False), A.shape[1]
        if k <= _columns_apart(len(self.K)):
            # One column is bound by memory: reading one triangle halves the time.
            out = np.empty((k, len(self.K)))
            for a, sums in zip(A.T, out, strict=True):
                sums[:] = self._symv(1.0, self.K.T, a)
            return out.T
        if self.K.size * k <= SMALL_PRODUCT or not multiplies_in_place():
            return (A.T @ self.K).T.astype(np.float64, copy=False)
        return np.asfortranarray(thin_product(self.K, A), dtype=np.float64)


def _columns_apart(n: int) -> int:
    """Columns up to which n rows are faster multiplied with each by itself: more where BLAS would copy K."""
    if n < 150 or multiplies_in_place():
        return 1
    return 10 if 400 <= n <= CACHED_ROWS else 3


class FactoredMatrix:
    """K = ΦΦᵀ of rank r, by its factor Φ (n, r)."""

    def __init__(self, Phi: np.ndarray):
        self.Phi, self.dtype = Phi, Phi.dtype

    @cached_property
    def mean_diagonal(self) -> float:
        return float(np.einsum("ij,ij->", self.Phi, self.Phi, dtype=np.float64) / max(len(self.Phi), 1))

    def product(self, A):
        inner = self.Phi.T @ A.astype(self.dtype, copy=False)
        return np.asfortranarray(self.Phi @ inner, dtype=np.float64)


@dataclass(frozen=True)
class KernelObjective:
    """The same J for f = Σⱼ αⱼ k(·, xⱼ) and the kernel matrix, no coordinates in between.

        J(α, b) = Σᵢ ωᵢ ℓ(yᵢ, (Kα)ᵢ + b) + ½ tr αᵀKα

    Its gradient in the function space is α + ω∂ℓ, a vector of kernel coefficients like α itself, and
    lengths are measured by K: ‖α‖² = tr αᵀKα.

    Parameters
    ----------
    K : KernelMatrix of n rows
        Kernel matrix, dense or by its factor.
    y, weights, loss, n_scores, fit_intercept
        As in `Objective`.
    """

    K: KernelMatrix
    y: np.ndarray
    weights: np.ndarray
    loss: Loss
    n_scores: int
    fit_intercept: bool = True

    def terms(self, F: np.ndarray) -> LossTerms:
        """Σωℓ at scores F (n, k), its gradient and its curvature."""
        return self.loss.terms(F, self.y, self.weights)
