"""The curvature of an objective, factorised once and used for many steps.

P = Σᵢ vᵢ φ̃ᵢφ̃ᵢᵀ + pen″ for one score, where v is the curvature of that score, or, shared by all scores, the
largest curvature of the row.  It ignores how scores interact, and may come from a sample of the rows: a
preconditioner need not be exact.

Whitened features of centres that pivoted Cholesky has chosen come in the order of what they explain.  Most of
P is then among the first of them: `precondition_leading` factorises that block, at n r² operations for r of p
features, and takes the diagonal for the rest.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from kernelproba.linalg import jittered_cholesky, relative_jitter
from kernelproba.losses import Loss
from kernelproba.objective import Objective

#: Leading features whose curvature is factorised, and rows of which it is summed at a time.
LEADING, BLOCK_ROWS = 500, 2048


@dataclass(frozen=True)
class Preconditioner:
    """P = LLᵀ for every score: one lower factor L (q, q) that all share, or one each."""

    factors: list[np.ndarray]

    def solve(self, G: np.ndarray) -> np.ndarray:
        """P⁻¹G for G (q, k).

        A softmax does not feel what all scores have in common, where P sees curvature that is not there; the
        minimum has nothing in common, so steps are kept free of it: ΠP⁻¹ΠG.
        """
        if len(self.factors) == 1:
            return _solve(self.factors[0], G)
        steps = [_solve(L, g) for L, g in zip(self.factors, _contrasts(G).T, strict=True)]
        return _contrasts(np.column_stack(steps))


def precondition(objective: Objective, theta: np.ndarray, *, per_score: bool) -> Preconditioner:
    """Factorise the curvature at Θ: one Gram matrix of n p² operations, or one per score."""
    loss, state = objective.loss, objective.curvature(theta)
    if per_score:
        curvatures = [loss.curvature_block(state, j, j) for j in range(objective.n_scores)]
    else:
        curvatures = [loss.curvature_weight(state)]
    return Preconditioner([_factor(_curvature(objective, v)) for v in curvatures])


@dataclass(frozen=True)
class LeadingPreconditioner:
    """P of the first r features and of the intercept, if there is one, and the diagonal of P for the others.

    Parameters
    ----------
    block : Preconditioner
        With a factor for each score.
    rest : array of shape (p − r, k)
        The diagonal.
    r : int
        Leading features.
    """

    block: Preconditioner
    rest: np.ndarray
    r: int

    def solve(self, G: np.ndarray) -> np.ndarray:
        """P⁻¹G for G (q, k)."""
        p = self.r + len(self.rest)
        inner = self.block.solve(np.vstack([G[: self.r], G[p:]]))
        others = G[self.r : p] if len(self.block.factors) == 1 else _contrasts(G[self.r : p])
        out = np.vstack([inner[: self.r], others / self.rest, inner[self.r :]])
        return out if len(self.block.factors) == 1 else _contrasts(out)


def precondition_leading(objective: Objective, state: np.ndarray) -> LeadingPreconditioner:
    """Curvature of every score at a state, with a ridge as penalty, among the leading features."""
    p = objective.features.width
    r = min(p, LEADING)
    blocks, rest = objective.features.in_blocks(BLOCK_ROWS).fold(
        LeadingCurvature(objective.loss, r, fit_intercept=objective.fit_intercept), state, objective.weights
    )
    ridge = objective.penalty.gradient(np.ones((p, 1)))
    blocks[:, range(r), range(r)] += ridge[:r, 0]
    if objective.fit_intercept:
        blocks[:, -1, -1] += float(objective.weights.mean())
    return LeadingPreconditioner(Preconditioner([_factor(P) for P in blocks]), rest + ridge[r:], r)


@dataclass(frozen=True)
class LeadingCurvature:
    """What one block of rows contributes: Σ v φ̃φ̃ᵀ of r features for every score, Σ v φ² of the others.

    In the precision of the features: they are whitened, so that rounding loses what the ridge outweighs.
    """

    loss: Loss
    r: int
    fit_intercept: bool

    def __call__(self, Phi: np.ndarray, state: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sums (k, r + 1, r + 1), or (k, r, r), and (p − r, k) over rows Φ (b, p) of weights w (b,)."""
        scores = range(state.shape[1])
        V = np.stack([w * self.loss.curvature_block(state, j, j) for j in scores], axis=1).astype(Phi.dtype)
        leading = Phi[:, : self.r]
        if self.fit_intercept:
            leading = np.hstack([leading, np.ones((len(Phi), 1), dtype=Phi.dtype)])
        scaled = (np.sqrt(V[:, [j]]) * leading for j in scores)
        blocks = np.stack([A.T @ A for A in scaled]).astype(np.float64)
        return blocks, (V.T @ np.square(Phi[:, self.r :])).T.astype(np.float64)


def _curvature(objective: Objective, v: np.ndarray) -> np.ndarray:
    """P for row curvatures v; a class that the sample lacks has no curvature of its own but this one row."""
    P = objective.gram(objective.weights * v)
    if objective.fit_intercept:
        P[-1, -1] += float(objective.weights.mean())
    return P


def _factor(P: np.ndarray) -> np.ndarray:
    """L with LLᵀ = P + jitter, the jitter at rounding level, grown if needed."""
    return jittered_cholesky(P, relative_jitter(P, np.finfo(P.dtype).eps))


def _contrasts(G: np.ndarray) -> np.ndarray:
    """ΠG: what the scores do not have in common."""
    return G - G.mean(axis=1, keepdims=True)


def _solve(L: np.ndarray, G: np.ndarray) -> np.ndarray:
    return lapack.dpotrs(L, G, lower=1)[0]
