"""Slopes of the divergence of coupled probabilities, along the scores of pairs.

With r = 1/(1 + exp(−f)) of all pairs, Wu, Lin and Weng's p = u/1ᵀu solves M u = 1, M = Q + 11ᵀ, with
Q_jj = Σᵢ rᵢⱼ² and Q_ij = −rᵢⱼ rⱼᵢ.  For V = −Σᵢ tᵢ log pᵢ and M v = ∂V/∂u = −t/u + 1/1ᵀu::

    ∂V/∂rᵢⱼ = −vᵀ (∂M/∂rᵢⱼ) u = 2 rⱼᵢ uᵢvᵢ − 2 rᵢⱼ uⱼvⱼ + (rⱼᵢ − rᵢⱼ)(uᵢvⱼ + uⱼvᵢ),    ∂rᵢⱼ/∂fᵢⱼ = rᵢⱼ rⱼᵢ
"""

import numpy as np
from scipy.special import expit

from kernelproba.coupling.pairs import class_pairs

#: Smaller probabilities are rounding in the linear system.
FAINTEST = 1e-9


def coupled_slopes(F: np.ndarray, T: np.ndarray) -> np.ndarray:
    """Slopes (n, pairs) of the mean divergence from probabilities T (n, c), along scores F (n, pairs)."""
    (i, j), R = class_pairs(T.shape[1]).T, expit(F.astype(np.float64))
    inverse = np.linalg.inv(_systems(R, T.shape[1]))
    u = np.maximum(inverse.sum(axis=2), FAINTEST)
    slope_u = 1 / u.sum(axis=1, keepdims=True) - T / u
    v = np.einsum("bij,bj->bi", inverse, slope_u)
    slopes = 2 * (1 - R) * (u * v)[:, i] - 2 * R * (u * v)[:, j]
    slopes += (1 - 2 * R) * (u[:, i] * v[:, j] + u[:, j] * v[:, i])
    return R * (1 - R) * slopes / len(F)


def _systems(R: np.ndarray, c: int) -> np.ndarray:
    """M (n, c, c) of the probabilities R (n, pairs)."""
    i, j = class_pairs(c).T
    square, diagonal = np.zeros((len(R), c, c)), np.arange(c)
    square[:, i, j], square[:, j, i] = R, 1 - R
    systems = 1 - square * square.transpose(0, 2, 1)
    systems[:, diagonal, diagonal] += np.square(square).sum(axis=1)
    return systems
