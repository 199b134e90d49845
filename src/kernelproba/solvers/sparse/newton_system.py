"""The Newton system of a sparse model on its support, and the Gram matrices behind it.

Softmax leaves most scores alone: where a row is sure not to be of class k, or sure to be, slope and curvature
of its loss in score k all but vanish.  Systems therefore take a mask (n, k) of the scores that *matter*, and
sum over those rows only.  What is left of the Hessian is that of the loss with the other scores held fixed,
hence positive semi-definite.
"""

from itertools import pairwise

import numpy as np
from scipy.linalg import lapack

from kernelproba.linalg import jittered_cholesky
from kernelproba.objective import Objective
from kernelproba.solvers.sparse.objective import RestrictedObjective

#: Smallest curvature of a system relative to its mean diagonal.
DAMPING = 1e-7
#: Curvature of a row's loss, in units of the penalty's slope, that dense Hessians may leave out.
STRAIGHT = 1e-4


class NewtonSystem:
    """Hessian of J on the support, with its diagonal blocks (one per score) as a preconditioner.

    Parameters
    ----------
    objective : RestrictedObjective
        J.
    theta : array of shape (m + 1, k)
        Where.
    free : bool array of shape (m + 1, k)
        The entries that move.
    state : array of shape (n, k)
        Curvature of the loss there.
    matters : bool array of shape (n, k)
        The scores that count.
    """

    def __init__(
        self,
        objective: RestrictedObjective,
        theta: np.ndarray,
        free: np.ndarray,
        state: np.ndarray,
        matters: np.ndarray,
    ):
        self.smooth, self.penalty, self.state = objective.smooth, objective.penalty, state
        self.W = theta[: len(objective.index)]
        self.blocks = [
            Block(self.smooth, rows, scores, v, matters[:, scores]) for rows, scores, v in self._parts(free)
        ]
        trace = sum(np.trace(block.gram) for block in self.blocks)
        self.damping = damping(trace / sum(len(block.gram) for block in self.blocks))
        bend = np.append(self.penalty.curvature_bound(self.W), np.zeros(len(theta) - len(self.W)))
        for block in self.blocks:
            block.factorise(bend[block.rows] + self.damping)

    def _parts(self, free: np.ndarray) -> list[tuple[np.ndarray, slice, np.ndarray]]:
        """Rows of Θ, scores and weights of the data of each block; rows that serve all scores need one."""
        loss, weights = self.smooth.loss, self.smooth.weights
        if self.penalty.is_grouped:
            shared = weights * loss.curvature_weight(self.state)
            return [(np.flatnonzero(free[:, 0]), slice(None), shared)]
        return [
            (np.flatnonzero(free[:, k]), slice(k, k + 1), weights * loss.curvature_block(self.state, k, k))
            for k in range(free.shape[1])
        ]

    def product(self, V: np.ndarray) -> np.ndarray:
        """∇²J V for V that vanishes off the support."""
        F = np.zeros_like(self.state)
        for block in self.blocks:
            F[block.data, block.scores] = block.Phi @ V[block.rows, block.scores]
        F = self.smooth.weights[:, None] * self.smooth.loss.curvature_product(self.state, F)
        out = self.damping * V
        m = len(self.W)
        out[:m] += self.penalty.curvature_product(self.W, V[:m])
        for block in self.blocks:
            out[block.rows, block.scores] += block.Phi.T @ F[block.data, block.scores]
        return out

    def precondition(self, R: np.ndarray) -> np.ndarray:
        """Solve with the diagonal blocks."""
        out = np.zeros_like(R)
        for block in self.blocks:
            part = R[block.rows, block.scores]
            out[block.rows, block.scores] = lapack.dpotrs(block.factor, part, lower=1)[0]
        return out


class Block:
    """Features Φ of some rows of Θ for some scores, and their Gram matrix on the data that matter.

    Parameters
    ----------
    smooth : Objective
        The loss.
    rows : array of shape (p,)
        Rows of Θ.
    scores : slice
        Columns of Θ.
    weights : array of shape (n,)
        v ≥ 0 of the Gram matrix ``Σᵢ vᵢ φ̃ᵢφ̃ᵢᵀ``.
    matters : bool array of shape (n, number of scores), optional
        The scores that count; all by default.
    """

    def __init__(
        self,
        smooth: Objective,
        rows: np.ndarray,
        scores: slice,
        weights: np.ndarray,
        matters: np.ndarray | None = None,
    ):
        self.data: slice | np.ndarray = slice(None)
        if matters is not None and not matters.all():
            self.data = np.flatnonzero(matters.any(axis=1))
        self.rows, self.scores, self.Phi = rows, scores, features_of(smooth, rows, self.data)
        scaled = self.Phi * np.sqrt(weights[self.data])[:, None]
        self.gram = scaled.T @ scaled

    def factorise(self, diagonal: np.ndarray) -> None:
        """Lower factor of the Gram matrix plus a diagonal, and more of it if rounding calls for that."""
        self.factor = jittered_cholesky(self.gram, diagonal)


def weighted_gram(smooth: Objective, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``Σᵢ vᵢ φ̃ᵢφ̃ᵢᵀ``, v ≥ 0, of the features (and the constant) at the given rows of Θ."""
    return Block(smooth, rows, slice(None), weights).gram


def hessian_block(smooth: Objective, state: np.ndarray, parts: list[tuple[int, np.ndarray]]) -> np.ndarray:
    """Hessian of the loss for entries of Θ given as (score, rows) one after the other."""
    features = [features_of(smooth, rows) for _, rows in parts]
    edges = np.cumsum([0, *(len(rows) for _, rows in parts)])
    at = [slice(*pair) for pair in pairwise(edges.tolist())]
    H = np.empty((edges[-1], edges[-1]))
    for i, (score, _) in enumerate(parts):
        for j, (other, _) in enumerate(parts[: i + 1]):
            weights = smooth.weights * smooth.loss.curvature_block(state, score, other)
            H[at[i], at[j]] = features[i].T @ (weights[:, None] * features[j])
            H[at[j], at[i]] = H[at[i], at[j]].T
    return H


def shared_hessian(smooth: Objective, state: np.ndarray) -> np.ndarray:
    """Hessian of the loss for all of Θ, one score after the other: the scores share the features.

    Rows of next to no curvature between two scores are left out there.  What is left of diag(p) − p pᵀ still
    has the larger diagonal in every row: it stays positive semi-definite.
    """
    k, p = state.shape[1], smooth.features.width + smooth.fit_intercept
    Phi = np.ascontiguousarray(features_of(smooth, np.arange(p)))
    straight = STRAIGHT * min(1.0, float(smooth.weights.max()))
    H = np.empty((k, p, k, p))
    for i in range(k):
        for j in range(i + 1):
            bend = smooth.weights * smooth.loss.curvature_block(state, i, j)
            rows = np.flatnonzero(np.abs(bend) > straight)
            scaled = Phi[rows] * np.sqrt(np.abs(bend[rows]))[:, None]
            # BLAS takes half of the time for a matrix by its own transpose.
            gram = scaled.T @ scaled
            H[i, :, j] = H[j, :, i] = gram if i == j else -gram
    return H.reshape(k * p, k * p)


def features_of(smooth: Objective, rows: np.ndarray, data: slice | np.ndarray = slice(None)) -> np.ndarray:
    """Columns of Φ̃ at rows of Θ, for rows of the data; behind the last feature is the intercept's."""
    chosen, K = rows[rows < smooth.features.width], smooth.features.whole().T
    K = K[chosen] if isinstance(data, slice) else K[np.ix_(chosen, data)]
    return (K if len(K) == len(rows) else np.concatenate([K, np.ones((1, K.shape[1]))])).T


def damping(mean_diagonal: float) -> float:
    """Curvature to add to a system so that flat directions, and rounding in them, stay bounded."""
    return DAMPING * mean_diagonal + float(np.finfo(float).tiny)


def damped(H: np.ndarray) -> np.ndarray:
    """Add it to the diagonal of H, in place."""
    H[np.diag_indices_from(H)] += damping(np.trace(H) / max(len(H), 1))
    return H
