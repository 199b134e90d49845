"""Penalties on coefficients W (p, k); the intercept is never penalised."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from kernelproba.linalg import jittered_cholesky, relative_jitter


@dataclass(frozen=True)
class Ridge:
    """``½ strength ‖W‖²``: in whitened kernel features the squared RKHS norm of the function."""

    strength: float = 1.0

    def value(self, W: np.ndarray) -> float:
        return 0.5 * self.strength * float(np.vdot(W, W))

    def gradient(self, W: np.ndarray) -> np.ndarray:
        return self.strength * W

    def curvature(self, p: int) -> np.ndarray:
        """Second derivative with respect to one column of W, (p, p)."""
        return self.strength * np.eye(p)


@dataclass(frozen=True)
class FunctionNorm:
    """``½ tr WᵀKW``: the squared RKHS norm of the function with kernel coefficients W on centres.

    By way of LᵀW with K = LLᵀ: where K is nearly singular large coefficients cancel, and KW leaves a thousand
    times the error in the sum.

    Parameters
    ----------
    K : array of shape (m, m)
        Kernel matrix of the centres, positive definite.
    """

    K: np.ndarray

    @cached_property
    def _factor(self) -> np.ndarray:
        return jittered_cholesky(self.K, relative_jitter(self.K, np.finfo(float).eps))

    def value(self, W: np.ndarray) -> float:
        U = self._factor.T @ W
        return 0.5 * float(np.vdot(U, U))

    def gradient(self, W: np.ndarray) -> np.ndarray:
        return self._factor @ (self._factor.T @ W)

    def curvature(self, p: int) -> np.ndarray:  # noqa: ARG002 — K knows its size
        """Second derivative with respect to one column of W, (m, m)."""
        return self.K


class QuadraticPenalty(Protocol):
    """What a smooth objective needs to know of its penalty, a quadratic form of each column of W (p, k)."""

    def value(self, W: np.ndarray) -> float:
        """Return pen(W)."""

    def gradient(self, W: np.ndarray) -> np.ndarray:
        """Return ∇pen(W), linear in W: also the product of the curvature with W."""

    def curvature(self, p: int) -> np.ndarray:
        """Return pen″ of one column, (p, p)."""


class SparsePenalty(Protocol):
    """What solvers need to know of a penalty with a kink; W and the gradient D of the loss are (p, k).

    Row j of W belongs to one feature.  The penalty is smooth on the *support*: entries that are not zero
    for the lasso, rows that are not zero for the group lasso.
    """

    #: Whether the support consists of whole rows.
    is_grouped: bool

    def value(self, W: np.ndarray) -> float:
        """Return pen(W)."""

    def prox(self, V: np.ndarray, step: np.ndarray | float) -> np.ndarray:
        """Return argmin_W pen(W) + ‖W − V‖²/(2 step); step broadcasts over rows, (p, 1) or a number."""

    def subgradient(self, W: np.ndarray, D: np.ndarray) -> np.ndarray:
        """Return the shortest element of D + ∂pen(W): zero exactly at the minimum."""

    def dual_norm(self, D: np.ndarray) -> np.ndarray:
        """Return the dual norm of each row, (p,): zero is optimal for a row while it is ≤ 1."""

    def support(self, W: np.ndarray) -> np.ndarray:
        """Return where the penalty is smooth, (p, k)."""

    def clip_at_kink(self, W: np.ndarray, moved: np.ndarray) -> np.ndarray:
        """Return `moved` with zeros where it has passed the kink on its way from W."""

    def curvature_product(self, W: np.ndarray, V: np.ndarray) -> np.ndarray:
        """Return pen″(W) V for V on the support."""

    def curvature_bound(self, W: np.ndarray) -> np.ndarray:
        """Return numbers h (p,) with pen″(W) ⪯ diag(h) on the support."""


class Lasso:
    """``Σ |W_jk|``: the negative logarithm of a Laplacian prior."""

    is_grouped = False

    def value(self, W):
        return float(np.abs(W).sum())

    def prox(self, V, step):
        return np.sign(V) * np.maximum(np.abs(V) - step, 0.0)

    def subgradient(self, W, D):
        return np.where(W != 0, D + np.sign(W), self.prox(D, 1.0))

    def dual_norm(self, D):
        return np.abs(D).max(axis=1, initial=0.0)

    def support(self, W):
        return W != 0

    def clip_at_kink(self, W, moved):
        return np.where(W * moved > 0, moved, 0.0)

    def curvature_product(self, W, V):  # noqa: ARG002 — linear on each side of the kink
        return np.zeros_like(V)

    def curvature_bound(self, W):
        return np.zeros(len(W))


class GroupLasso:
    """``Σⱼ ‖W_j‖``, one Euclidean norm per row: a feature serves all classes or none."""

    is_grouped = True

    def value(self, W):
        return float(self.dual_norm(W).sum())

    def prox(self, V, step):
        norm = self.dual_norm(V)[:, None]
        return V * np.maximum(1.0 - step / np.maximum(norm, np.finfo(norm.dtype).tiny), 0.0)

    def subgradient(self, W, D):
        norm = self.dual_norm(W)[:, None]
        unit = np.divide(W, norm, out=np.zeros_like(W), where=norm > 0)
        return np.where(norm > 0, D + unit, self.prox(D, 1.0))

    def dual_norm(self, D):
        return np.sqrt(np.einsum("jk,jk->j", D, D))

    def support(self, W):
        return np.broadcast_to((W != 0).any(axis=1)[:, None], W.shape)

    def clip_at_kink(self, W, moved):
        # Behind the plane through zero across W_j the norm grows again: the kink was passed.
        return np.where(np.einsum("jk,jk->j", W, moved)[:, None] > 0, moved, 0.0)

    def curvature_product(self, W, V):
        # (I − u uᵀ) v / ‖W_j‖,  u = W_j/‖W_j‖
        inverse = self.curvature_bound(W)[:, None]
        U = W * inverse
        return (V - U * np.einsum("jk,jk->j", U, V)[:, None]) * inverse

    def curvature_bound(self, W):
        norm = self.dual_norm(W)
        return np.divide(1.0, norm, out=np.zeros_like(norm), where=norm > 0)
