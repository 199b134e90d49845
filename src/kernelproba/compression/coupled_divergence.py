"""Slopes of the divergence of coupled probabilities, along the scores of pairs.

With r = 1/(1 + exp(−f)) of all pairs, Wu, Lin and Weng's p = u/1ᵀu solves M u = 1, M = Q + 11ᵀ, with
Q_jj = Σᵢ rᵢⱼ² and Q_ij = −rᵢⱼ rⱼᵢ.  For V = −Σᵢ tᵢ log pᵢ and M v = ∂V/∂u = −t/u + 1/1ᵀu::

    ∂V/∂rᵢⱼ = −vᵀ (∂M/∂rᵢⱼ) u = 2 rⱼᵢ uᵢvᵢ − 2 rᵢⱼ uⱼvⱼ + (rⱼᵢ − rᵢⱼ)(uᵢvⱼ + uⱼvᵢ),    ∂rᵢⱼ/∂fᵢⱼ = rᵢⱼ rⱼᵢ
"""

import numpy as np
from scipy.special import expit

from kernelproba.coupling.pairs import check_pair_weights, class_pairs, square_from_log_odds, square_slices
from kernelproba.coupling.wu_lin_weng import coupling_systems

#: Smaller probabilities are rounding in the linear system.
FAINTEST = 1e-9


def coupled_slopes(F: np.ndarray, T: np.ndarray) -> np.ndarray:
    """Slopes (n, pairs) of the mean divergence from probabilities T (n, c), along scores F (n, pairs)."""
    slopes = np.empty(F.shape)
    for rows in square_slices(*T.shape):
        slopes[rows] = _slopes(F[rows].astype(np.float64), T[rows])
    return slopes / len(F)


def _slopes(F: np.ndarray, T: np.ndarray) -> np.ndarray:
    c = T.shape[1]
    (i, j), R = class_pairs(c).T, expit(F)
    M = coupling_systems(square_from_log_odds(F), check_pair_weights(None, c))
    u = np.maximum(np.linalg.solve(M, np.ones((1, c, 1)))[:, :, 0], FAINTEST)
    slope_u = 1 / u.sum(axis=1, keepdims=True) - T / u
    v = np.linalg.solve(M, slope_u[:, :, np.newaxis])[:, :, 0]
    uv, (u_i, u_j), (v_i, v_j) = u * v, (u[:, i], u[:, j]), (v[:, i], v[:, j])
    slopes = 2 * (1 - R) * uv[:, i] - 2 * R * uv[:, j] + (1 - 2 * R) * (u_i * v_j + u_j * v_i)
    return R * (1 - R) * slopes
