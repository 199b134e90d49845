"""Wu, Lin and Weng's second coupling: least squares on the simplex.

T.-F. Wu, C.-J. Lin, R. C. Weng, "Probability estimates for multi-class classification by pairwise
coupling", JMLR 5 (2004), section 4.2, with pair weights n_ij added:

    min_p  ½ Σ_i Σ_{j≠i} n_ij (r_ji p_i − r_ij p_j)²   subject to  Σ_i p_i = 1.

| on paper                       | in code            |
|--------------------------------|--------------------|
| Q_ii = Σ_{s≠i} n_si r_si²      | ``losses``         |
| Q_ij = −n_ij r_ij r_ji         | ``-coupled``       |
| Q p = λ1, 1ᵀp = 1              | ``(Q + 11ᵀ) p ∝ 1``|
"""

import numpy as np
from scipy.special import log_softmax, logsumexp

from kernelproba.number_range import log_probabilities

#: Probabilities below this are computed anew from logarithms: in the linear system they are rounding.
FAINT = 1e-6
#: How often; each sweep tells faint classes what the others have become.
SWEEPS = 10


def wu_lin_weng(R: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Minimise the weighted squares exactly, by one c × c system per row.

    The optimum solves Q p = λ1, hence (Q + 11ᵀ) p = (λ + 1) 1: solve for the right-hand side 1 and
    normalise.  Q itself is singular when the r_ij agree with one p, or when one class wins every
    pair outright; Q + 11ᵀ never is.  A null vector v of Q has r_ji v_i = r_ij v_j for every pair.
    As r_ij + r_ji = 1 its entries share one sign and it is unique up to scale, so 1ᵀv ≠ 0.  The set
    of all R is compact, so the condition number is bounded for each c, r in {0, 1} and ties included.

    Parameters
    ----------
    R : ndarray of shape (n, c, c)
        r_ij with r_ij + r_ji = 1; the diagonal is ignored.
    weights : ndarray of shape (c, c)
        n_ij, symmetric, with a zero diagonal.

    Returns
    -------
    ndarray of shape (n, c)
        The minimiser.  It is non-negative (Q is an M-matrix); what rounding leaves below 0 is clipped.
    """
    c = R.shape[1]
    weighted = weights * R
    coupled = weighted * R.transpose(0, 2, 1)
    losses = np.einsum("bsi,bsi->bi", weighted, R)
    system = 1.0 - coupled
    diagonal = np.arange(c)
    system[:, diagonal, diagonal] += losses
    p = np.linalg.solve(system, np.ones((1, c, 1)))[:, :, 0]
    np.maximum(p, 0.0, out=p)
    return p / p.sum(axis=1, keepdims=True)


def log_wu_lin_weng(log_R: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Do the same in logarithms, so that faint classes keep their digits.

    Row i of Q p = λ1 says  p_i Σ_s n_si r_si² = λ + Σ_{j≠i} n_ij r_ij r_ji p_j,  a sum without differences,
    where λ = Σ_{i<j} n_ij (r_ji p_i − r_ij p_j)² is 0 if all r_ij agree with one p.

    Parameters
    ----------
    log_R : ndarray of shape (n, c, c)
        log r_ij; the diagonal is ignored.
    weights : ndarray of shape (c, c)
        n_ij, symmetric, with a zero diagonal.

    Returns
    -------
    ndarray of shape (n, c)
        log p.
    """
    R = np.exp(log_R)
    P = wu_lin_weng(R, weights)
    log_P = log_probabilities(P)
    rows = np.flatnonzero((P < FAINT).any(axis=1))
    if len(rows):
        log_P[rows] = _refined(log_P[rows], log_R[rows], R[rows], weights)
    return log_softmax(log_P, axis=1)


def _refined(log_P: np.ndarray, log_R: np.ndarray, R: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Faint entries of log p (n, c) by fixed-point sweeps over their own equations."""
    faint, log_P = log_P < np.log(FAINT), log_P.copy()
    with np.errstate(divide="ignore"):
        log_weights = np.log(weights)  # −∞ on the diagonal
        losses = np.log(np.einsum("si,bsi->bi", weights, R**2))
    ties = log_weights + log_R + log_R.transpose(0, 2, 1)
    for _ in range(SWEEPS):
        level = _log_level(np.exp(log_P), R, weights)
        inflow = np.logaddexp(logsumexp(ties + log_P[:, np.newaxis, :], axis=2), level[:, np.newaxis])
        log_P[faint] = (inflow - losses)[faint]
    return log_P


def _log_level(P: np.ndarray, R: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Log λ (n,), −∞ where λ is nothing but rounding."""
    beaten = R.transpose(0, 2, 1) * P[:, :, np.newaxis]  # r_ji p_i
    squares = 0.5 * np.einsum("ij,bij->b", weights, (beaten - beaten.transpose(0, 2, 1)) ** 2)
    rounding = np.einsum("ij,bij->b", weights, (16 * np.finfo(float).eps * beaten) ** 2)
    with np.errstate(divide="ignore"):
        return np.log(np.where(squares > rounding, squares, 0.0))
