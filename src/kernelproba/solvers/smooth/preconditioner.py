"""The curvature of an objective, factorised once and used for many steps.

P = Σᵢ vᵢ φ̃ᵢφ̃ᵢᵀ + pen″ for one score, where v is the curvature of that score, or, shared by all scores, the
largest curvature of the row.  It ignores how scores interact, and may come from a sample of the rows: a
preconditioner need not be exact.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from kernelproba.linalg import jittered_cholesky, relative_jitter
from kernelproba.objective import Objective


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
