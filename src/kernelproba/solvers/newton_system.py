"""The Newton system of a sparse model on its support, and the Gram matrices behind it."""

from itertools import pairwise

import numpy as np
from scipy.linalg import cho_solve, lapack

from ..objective import Objective
from .sparse_objective import RestrictedObjective

#: Smallest curvature of a system relative to its mean diagonal, and in units of the rounding of features.
DAMPING, DAMPING_ROUNDING = 1e-7, 300


class NewtonSystem:
    """Hessian of J on the support, with its diagonal blocks (one per score) as a preconditioner.

    Parameters
    ----------
    objective : RestrictedObjective
        J.
    theta : array of shape (m + 1, k)
        Where.
    free : boolean array of shape (m + 1, k)
        The entries that move.
    """

    def __init__(self, objective: RestrictedObjective, theta: np.ndarray, free: np.ndarray):
        self.smooth, self.penalty, self.free = objective.smooth, objective.penalty, free
        self.W = theta[: len(objective.index)]
        self.state = self.smooth.curvature(theta)
        blocks = [weighted_gram(self.smooth, rows, v) for rows, v in self._blocks()]
        self.damping = damping(self.smooth, sum(map(np.trace, blocks)) / sum(map(len, blocks)))
        bend = np.append(self.penalty.curvature_bound(self.W), np.zeros(len(theta) - len(self.W)))
        self._factors = [
            (rows, cholesky(block + np.diag(bend[rows]), self.damping))
            for (rows, _), block in zip(self._blocks(), blocks, strict=True)
        ]

    def _blocks(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Rows of Θ and weights of the data for each factor; rows that serve all scores need one."""
        loss, weights = self.smooth.loss, self.smooth.weights
        if self.penalty.by_rows:
            return [(np.flatnonzero(self.free[:, 0]), weights * loss.curvature_weight(self.state))]
        return [
            (np.flatnonzero(self.free[:, k]), weights * loss.curvature_block(self.state, k, k))
            for k in range(self.free.shape[1])
        ]

    def product(self, V: np.ndarray) -> np.ndarray:
        """∇²J V for V that vanishes off the support."""
        out = self.smooth.hessian_product(self.state, V)
        m = len(self.W)
        out[:m] += self.penalty.curvature_product(self.W, V[:m])
        out += self.damping * V
        return np.where(self.free, out, 0.0)

    def precondition(self, R: np.ndarray) -> np.ndarray:
        """Solve with the diagonal blocks."""
        out = np.zeros_like(R)
        for k, (rows, factor) in enumerate(self._factors):
            columns = slice(None) if self.penalty.by_rows else slice(k, k + 1)
            out[rows, columns] = cho_solve((factor, True), R[rows, columns], check_finite=False)
        return out


def weighted_gram(smooth: Objective, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``Σᵢ vᵢ φ̃ᵢφ̃ᵢᵀ``, v ≥ 0, of the features (and the constant) at the given rows of Θ, in float64."""
    scaled = _features(smooth, rows) * np.sqrt(weights).astype(smooth.features.data.dtype)[:, None]
    return (scaled.T @ scaled).astype(np.float64, copy=False)


def hessian_block(smooth: Objective, state: np.ndarray, parts: list[tuple[int, np.ndarray]]) -> np.ndarray:
    """Damped Hessian of the loss for entries of Θ given as (score, rows) one after the other, in float64."""
    features = [_features(smooth, rows) for _, rows in parts]
    edges = np.cumsum([0, *(len(rows) for _, rows in parts)])
    at = [slice(*pair) for pair in pairwise(edges.tolist())]
    H = np.empty((edges[-1], edges[-1]))
    for i, (score, _) in enumerate(parts):
        for j, (other, _) in enumerate(parts[: i + 1]):
            weights = smooth.weights * smooth.loss.curvature_block(state, score, other)
            H[at[i], at[j]] = features[i].T @ (weights[:, None].astype(features[j].dtype) * features[j])
            H[at[j], at[i]] = H[at[i], at[j]].T
    H[np.diag_indices_from(H)] += damping(smooth, np.trace(H) / max(len(H), 1))
    return H


def _features(smooth: Objective, rows: np.ndarray) -> np.ndarray:
    """Columns of Φ̃ at rows of Θ; the row behind the last feature is the intercept's."""
    K = smooth.features.data[:, rows[rows < smooth.features.width]]
    return K if K.shape[1] == len(rows) else np.hstack([K, np.ones((len(K), 1), dtype=K.dtype)])


def damping(smooth: Objective, mean_diagonal: float) -> float:
    """Curvature to add to a system so that flat directions, and rounding in them, stay bounded."""
    share = max(DAMPING, DAMPING_ROUNDING * float(np.finfo(smooth.features.data.dtype).eps))
    return share * mean_diagonal + float(np.finfo(float).tiny)


def cholesky(gram: np.ndarray, damping: float) -> np.ndarray:
    """Lower factor of gram + damping·I, with as much more damping as rounding may call for."""
    while True:
        factor, info = lapack.dpotrf(gram + damping * np.eye(len(gram)), lower=1, clean=1)
        if info == 0:
            return factor
        damping *= 10
