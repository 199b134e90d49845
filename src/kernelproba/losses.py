"""Losses of a class index given scores: value, gradient, curvature, and the probabilities they imply.

A row has scores f ∈ ℝᵏ and a label y ∈ {0, …, c−1}.  Two models are here::

    Logistic   k = 1   log p = (log σ(−f), log σ(f))     ∂ℓ = σ(f) − y      ∂²ℓ = π(1 − π)
    Softmax    k = c   log p = f − log Σ exp f            ∂ℓ = p − e_y       ∂²ℓ = diag(p) − p pᵀ

The curvature of a row is kept as a compact *state* of shape (n, k) (π(1−π), or p) from which
products with the curvature are formed; the (k, k) matrices never are.
"""

from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import log_expit


class LossTerms(NamedTuple):
    """Σᵢ ωᵢ ℓᵢ, its gradient ω∂ℓ (n, k) in the scores, and the state (n, k) of its curvature."""

    value: float
    gradient: np.ndarray
    curvature: np.ndarray


class Loss(Protocol):
    """What an objective needs to know of a loss; arrays have one row per sample."""

    #: c with ∂²ℓ ⪯ c·I for all scores [Böhning 1992].
    curvature_bound: float

    def n_scores(self, n_classes: int) -> int:
        """Columns of the scores for that many classes."""

    def value_and_gradient(
        self, F: np.ndarray, y: np.ndarray, weights: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """Σᵢ ωᵢ ℓᵢ, and its gradient ω∂ℓ with respect to the scores (n, k)."""

    def terms(self, F: np.ndarray, y: np.ndarray, weights: np.ndarray) -> LossTerms:
        """Both, and the state of the curvature: one exponential serves all three."""

    def log_probabilities(self, F: np.ndarray) -> np.ndarray:
        """Log of the class probabilities, (n, c); never the log of a rounded zero."""

    def curvature(self, F: np.ndarray) -> np.ndarray:
        """State (n, k) from which the products below are formed."""

    def curvature_product(self, state: np.ndarray, V: np.ndarray) -> np.ndarray:
        """∂²ℓ V for each row."""

    def curvature_column(self, state: np.ndarray, V: np.ndarray, k: int) -> np.ndarray:
        """Column k of ∂²ℓ V, (n,)."""

    def curvature_weight(self, state: np.ndarray) -> np.ndarray:
        """The largest diagonal entry of ∂²ℓ for each row, (n,)."""

    def curvature_block(self, state: np.ndarray, j: int, k: int) -> np.ndarray:
        """Entry (j, k) of ∂²ℓ for each row, (n,)."""

    def curvature_sum(self, state: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Σᵢ ωᵢ ∂²ℓᵢ, (k, k)."""

    def curvature_terms(self, state: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows i (a,), vectors u (a, k) and numbers λ (a,) with ∂²ℓᵢ = Σ λ u uᵀ over the terms of row i."""


def logistic_terms(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """−log σ(z), its slope −σ(−z) and curvature σ(z)σ(−z), of one exponential; nothing cancels for large |z|.

    A quarter of the time of `scipy.special.expit` and `log_expit`, which use no vector instructions.
    """
    e = np.exp(-np.abs(Z))
    share = 1 / (1 + e)
    other = e * share
    # −log σ(z) = log(1 + e) + max(−z, 0), and σ(−z) is e/(1 + e) or 1/(1 + e)
    return np.log1p(e) + np.maximum(-Z, 0), -np.where(Z > 0, other, share), other * share


class Logistic:
    """Binary logistic loss on one score, ``f > 0`` for class 1."""

    curvature_bound = 0.25

    def n_scores(self, n_classes: int) -> int:
        if n_classes != 2:
            raise ValueError(f"The logistic loss is for 2 classes, got {n_classes}; use Softmax.")
        return 1

    def value_and_gradient(self, F, y, weights):
        return self.terms(F, y, weights)[:2]

    def terms(self, F, y, weights):
        sign = np.where(y == 1, 1.0, -1.0).astype(F.dtype, copy=False)
        loss, slope, curvature = logistic_terms(sign * F[:, 0])
        return LossTerms(float(weights @ loss), (weights * sign * slope)[:, None], curvature[:, None])

    def log_probabilities(self, F):
        return np.hstack([log_expit(-F), log_expit(F)])

    def curvature(self, F):
        e = np.exp(-np.abs(F))
        return e / (1 + e) ** 2

    def curvature_product(self, state, V):
        return state * V

    def curvature_column(self, state, V, k):  # noqa: ARG002 — there is one column
        return state[:, 0] * V[:, 0]

    def curvature_weight(self, state):
        return state[:, 0]

    def curvature_block(self, state, j, k):  # noqa: ARG002 — there is one block
        return state[:, 0]

    def curvature_sum(self, state, weights):
        return (weights @ state)[:, None]

    def curvature_terms(self, state):
        return np.arange(len(state)), np.ones_like(state), state[:, 0]


class Softmax:
    """Multinomial logistic loss on one score per class; scores matter up to a constant per row."""

    curvature_bound = 0.5

    def n_scores(self, n_classes: int) -> int:
        return n_classes

    def value_and_gradient(self, F, y, weights):
        value, P = self._value_and_probabilities(F, y, weights)
        return value, self._gradient(P, y, weights)

    def terms(self, F, y, weights):
        value, P = self._value_and_probabilities(F, y, weights)
        return LossTerms(value, self._gradient(P.copy(order="K"), y, weights), P)

    def _value_and_probabilities(self, F, y, weights):
        top = F.max(axis=1, keepdims=True)
        P = F - top
        np.exp(P, out=P)
        total = P.sum(axis=1, keepdims=True)
        P /= total
        return float(weights @ (np.log(total[:, 0]) + top[:, 0] - F[np.arange(len(y)), y])), P

    def _gradient(self, G, y, weights):
        """ω∂ℓ, in place of the probabilities G."""
        row = np.arange(len(y))
        # p_y − 1 = −Σ_{k≠y} p_k: the sum keeps its digits when p_y rounds to one
        G[row, y] = 0.0
        G[row, y] = -G.sum(axis=1)
        G *= weights[:, None]
        return G

    def log_probabilities(self, F):
        F = F - F.max(axis=1, keepdims=True)
        F -= np.log(np.exp(F).sum(axis=1, keepdims=True))
        return F

    def curvature(self, F):
        P = np.exp(F - F.max(axis=1, keepdims=True))
        P /= P.sum(axis=1, keepdims=True)
        return P

    def curvature_product(self, state, V):
        # (diag(p) − p pᵀ) v = p (v − pᵀv)
        product = V - np.einsum("ij,ij->i", state, V)[:, None]
        product *= state
        return product

    def curvature_column(self, state, V, k):
        return state[:, k] * (V[:, k] - np.einsum("ij,ij->i", state, V))

    def curvature_weight(self, state):
        return (state * (1 - state)).max(axis=1)

    def curvature_block(self, state, j, k):
        return state[:, j] * ((1.0 if j == k else 0.0) - state[:, k])

    def curvature_sum(self, state, weights):
        return np.diag(weights @ state) - (weights[:, None] * state).T @ state

    def curvature_terms(self, state):
        # With classes in falling order of p: is it this one, or one of those behind?
        # u = e_k − p_{>k}/Σp_{>k},  λ = p_k Σp_{>k}/Σp_{≥k}
        # A row that hesitates between two classes has one term of any size.
        order = np.argsort(-state, axis=1)
        P = np.take_along_axis(state, order, axis=1)
        behind = np.cumsum(P[:, ::-1], axis=1)[:, ::-1]
        after = np.append(behind[:, 1:], np.zeros((len(P), 1), dtype=P.dtype), axis=1)
        bend = P * after / np.maximum(behind, np.finfo(P.dtype).tiny)
        row, k = np.nonzero(bend > np.finfo(P.dtype).eps * bend.max(initial=0.0))
        here = np.arange(P.shape[1]) - k[:, None]
        share = P[row] / after[row, k][:, None]
        U = np.empty_like(share)
        np.put_along_axis(U, order[row], np.where(here > 0, -share, here == 0), axis=1)
        return row, U, bend[row, k]


def loss_for(n_classes: int) -> Loss:
    """Choose the loss as scikit-learn does: one logistic score for two classes, else softmax."""
    return Logistic() if n_classes == 2 else Softmax()
