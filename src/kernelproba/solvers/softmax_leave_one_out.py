"""Approximate leave-one-out of a kernel logistic fit, binary or softmax, from its last Newton system.

Without row i the objective loses ωᵢℓᵢ.  One Newton step from the optimum f, with the curvature of the other
rows unchanged, moves the scores (k,) of that row to [Cawley & Talbot 2008, for one score]

    f₋ᵢ = fᵢ − S₋ᵢ αᵢ,      αᵢ = −ωᵢ∂ℓᵢ,      S₋ᵢ = (I − SᵢDᵢ)⁻¹ Sᵢ,      Dᵢ = ωᵢ∂²ℓᵢ

where Sᵢ (k, k) is the block of row i of the inverse Hessian in the space of scores, (K⁻¹ ⊗ I + D)⁻¹.  It
ignores that the other rows' curvature would change: the error is of second order in the influence of one row.

With K = ΦΦᵀ + Λ (`basis.low_rank`), what row i has for itself, Λᵢ, softens its curvature and is lost with the
row:

    D̂ᵢ = Dᵢ (I + ΛᵢDᵢ)⁻¹,      H = I + Σᵢ D̂ᵢ ⊗ φᵢφᵢᵀ,      Ŝᵢ = (I ⊗ φᵢ)ᵀ H⁻¹ (I ⊗ φᵢ)
    f₋ᵢ = fᵢ − (ΛᵢI + (I − ŜᵢD̂ᵢ)⁻¹ Ŝᵢ) αᵢ

An intercept is one more feature, 1, that is hardly penalised.  H has (rk)² entries.  Where that is too much,
the classes are *decoupled*: each has its own r × r matrix H_a, with a curvature vₐ that stands for its row of
D:

    vₐ = κₐ ω pₐ(1 − pₐ),      κₐ = 1 + Σ_{b≠a} (p_b / (1 − pₐ))²

which is exact where all rows waver between the same two classes (κ = 2), and where all classes are equally
probable (κ = k/(k − 1)).
"""

import numpy as np
from scipy.linalg import lapack

from ..basis.low_rank import LowRank
from ..losses import loss_for

#: Largest side r·k of the matrix H; beyond it the classes are decoupled.
COUPLED_SIZE = 1000
#: Penalty of an intercept relative to the weight of all rows.
INTERCEPT_PENALTY = 1e-6


def leave_one_out_scores(
    K: LowRank, F: np.ndarray, y: np.ndarray, weights: np.ndarray, *, fit_intercept: bool
) -> np.ndarray:
    """Scores (n, k) of each row by the fit without it.

    Parameters
    ----------
    K : LowRank
        Kernel matrix.
    F : array of shape (n, k)
        Scores of the rows by the fit to all: one for two classes, else one per class.
    y, weights : arrays of shape (n,)
        Class indices, and ω = C·weight.
    fit_intercept : bool
        Whether the intercepts were free.
    """
    loss = loss_for(2 if F.shape[1] == 1 else F.shape[1])
    _, gradient = loss.value_and_gradient(F, y)
    alpha = -weights[:, None] * gradient
    Phi, ridge = K.Phi, np.ones(K.Phi.shape[1])
    if fit_intercept:
        Phi = np.column_stack([Phi, np.ones(len(y))])
        ridge = np.append(ridge, INTERCEPT_PENALTY * weights.sum())
    if F.shape[1] == 1 or Phi.shape[1] * F.shape[1] <= COUPLED_SIZE:
        D = weights[:, None, None] * _curvature_matrices(loss, F)
        change = _coupled_change(Phi, ridge, _softened(D, K.rest), alpha)
    else:
        v = weights[:, None] * _decoupled_curvature(loss.curvature(F))
        change = _decoupled_change(Phi, ridge, v / (1 + K.rest[:, None] * v), alpha)
    return F - K.rest[:, None] * alpha - change


def _curvature_matrices(loss, F: np.ndarray) -> np.ndarray:
    """∂²ℓ of every row, (n, k, k)."""
    state, k = loss.curvature(F), F.shape[1]
    blocks = [[loss.curvature_block(state, a, b) for b in range(k)] for a in range(k)]
    return np.moveaxis(np.array(blocks), 2, 0)


def _softened(D: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """D (I + ΛD)⁻¹, row by row; symmetric as D is."""
    return np.linalg.solve(np.eye(D.shape[1]) + rest[:, None, None] * D, D)


def _coupled_change(Phi: np.ndarray, ridge: np.ndarray, D: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """(I − ŜD̂)⁻¹ Ŝ α, row by row, (n, k)."""
    S = _covariance_blocks(Phi, ridge, D)
    rest = np.eye(D.shape[1]) - S @ D
    return np.linalg.solve(rest, S @ alpha[:, :, None])[:, :, 0]


def _covariance_blocks(Phi: np.ndarray, ridge: np.ndarray, D: np.ndarray) -> np.ndarray:
    """Ŝᵢ = (I ⊗ φᵢ)ᵀ H⁻¹ (I ⊗ φᵢ), (n, k, k)."""
    (n, r), k = Phi.shape, D.shape[1]
    H = np.empty((k, r, k, r))
    for a, b in zip(*np.tril_indices(k), strict=True):
        H[a, :, b] = Phi.T @ (D[:, a, b, None] * Phi)
    H[np.arange(k)[:, None], np.arange(r), np.arange(k)[:, None], np.arange(r)] += ridge
    root = _inverse_factor(H.reshape(k * r, k * r))
    # Class a meets columns a of L⁻¹, which are zero above block a.
    parts = [Phi @ root[a * r :, a * r : (a + 1) * r].T for a in range(k)]
    S = np.empty((n, k, k))
    for a, b in zip(*np.tril_indices(k), strict=True):
        S[:, a, b] = S[:, b, a] = np.einsum("ij,ij->i", parts[a], parts[b][:, (a - b) * r :])
    return S


def _decoupled_curvature(P: np.ndarray) -> np.ndarray:
    """κₐ pₐ(1 − pₐ), (n, k)."""
    others = np.maximum(1 - P, 1e-12)
    # Σ_{b≠a} p_b² = Σ p² − pₐ²
    squares = np.maximum(np.square(P).sum(axis=1, keepdims=True) - P**2, 0.0)
    return P * others * (1 + np.minimum(squares / others**2, 1.0))


def _decoupled_change(Phi: np.ndarray, ridge: np.ndarray, V: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """αₐ Ŝₐ / (1 − vₐŜₐ), class by class, (n, k)."""
    change = np.empty_like(alpha)
    for a in range(alpha.shape[1]):
        root = _inverse_factor(Phi.T @ (V[:, a, None] * Phi) + np.diag(ridge))
        spread = np.square(Phi @ root.T).sum(axis=1)
        change[:, a] = alpha[:, a] * spread / np.maximum(1 - V[:, a] * spread, 1e-12)
    return change


def _inverse_factor(H: np.ndarray) -> np.ndarray:
    """L⁻¹ of H = LLᵀ, of which only the lower triangle is read."""
    factor, info = lapack.dpotrf(H, lower=1, clean=1)
    if info != 0:
        raise np.linalg.LinAlgError("The Newton system is not positive definite.")
    return lapack.dtrtri(factor, lower=1, overwrite_c=1)[0]
