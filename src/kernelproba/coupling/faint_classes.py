"""Probabilities of classes that a row hardly belongs to, each to its own last digits.

Row i of Wu, Lin and Weng's Q p = λ1 says, with dᵢ = Σₛ nₛᵢ rₛᵢ² and tᵢⱼ = nᵢⱼ rᵢⱼ rⱼᵢ::

    dᵢ pᵢ = λ + Σ_{j≠i} tᵢⱼ pⱼ,       λ = Σ_{i<j} nᵢⱼ (rⱼᵢ pᵢ − rᵢⱼ pⱼ)²

a sum without differences.  If classes are eliminated from the faintest on, all that is ever subtracted is
from dᵢ, and it is less than dᵢ by far, as a class is beaten by some that come after it: no digits are lost.
λ, which is 0 if all rᵢⱼ agree with one p, is that of the probabilities before, until it is theirs.

The elimination runs in units qᵢ of pᵢ, without which numbers underflow: the largest of all chains of factors
t/d that lead to class i from a class that is not faint, or from λ.
"""

import numpy as np
from scipy.special import log_softmax

from kernelproba.coupling.pairs import class_pairs, square_from_log_odds
from kernelproba.number_range import log_probabilities

#: Probabilities below this are found anew: in the linear system they are rounding.
FAINT = 1e-6
#: Most passes, each with a new λ, and the relative change of a probability by λ that needs another.
PASSES, TOL = 4, 1e-12
#: Log-odds beyond which sums of them would lose what is said of other classes to rounding.
LARGEST_LOG_ODDS = 1e9


def faint_rows(P: np.ndarray) -> np.ndarray:
    """Numbers of the rows of P (n, c) that have faint classes."""
    return np.flatnonzero(P.min(axis=1, initial=1.0) < FAINT)


def with_faint_classes(P: np.ndarray, F: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Solve the equations at the head of this module for classes that are faint.

    Parameters
    ----------
    P : ndarray of shape (n, c)
        Probabilities, right where they are not faint.
    F : ndarray of shape (n, c(c−1)/2)
        Log-odds of the pairs i < j.
    weights : ndarray of shape (c, c)
        n_ij, symmetric, with a zero diagonal.

    Returns
    -------
    ndarray of shape (n, c)
        log p.
    """
    F = np.clip(F, -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS)
    R, ties = square_from_log_odds(F), _log_ties(F, weights)
    losses = np.einsum("si,bsi->bi", weights, R**2)
    level, left = _log_level(P, R, weights), np.arange(len(P))
    known = np.where(P < FAINT, -np.inf, log_probabilities(P))
    log_P = np.empty_like(known)
    for _ in range(PASSES):
        solved = log_softmax(_solved(known[left], level, ties[left], losses[left]), axis=1)
        before, level = level, _log_level(np.exp(solved), R[left], weights)
        log_P[left] = solved
        # λ adds λ/(dᵢ pᵢ) to pᵢ, relative to it.
        change = np.abs(np.exp(level) - np.exp(before))[:, 0]
        unsettled = change > TOL * (losses[left] * np.exp(solved)).min(axis=1)
        if not unsettled.any():
            break
        left, level = left[unsettled], level[unsettled]
    return log_P


def _log_ties(F: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Log t (n, c, c), −∞ on the diagonal."""
    c = len(weights)
    i, j = class_pairs(c).T
    ties = np.full((len(F), c, c), -np.inf)
    ties[:, i, j] = np.log(weights[i, j]) - np.abs(F) - 2 * np.log1p(np.exp(-np.abs(F)))
    ties[:, j, i] = ties[:, i, j]
    return ties


def _log_level(P: np.ndarray, R: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Log λ (n, 1), −∞ where λ is nothing but rounding."""
    beaten = R.transpose(0, 2, 1) * P[:, :, np.newaxis]  # r_ji p_i
    squares = 0.5 * np.einsum("ij,bij->b", weights, (beaten - beaten.transpose(0, 2, 1)) ** 2)
    rounding = np.einsum("ij,bij->b", weights, (16 * np.finfo(float).eps * beaten) ** 2)
    with np.errstate(divide="ignore"):
        return np.log(np.where(squares > rounding, squares, 0.0))[:, np.newaxis]


def _units(known: np.ndarray, level: np.ndarray, ties: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Log q (n, c): what is known of log p, and the largest chains to where that is −∞."""
    faint, log_losses = np.isneginf(known), np.log(losses, where=losses > 0, out=np.zeros_like(losses))
    units = np.where(faint, level - log_losses, known)
    for _ in range(units.shape[1]):
        reached = (ties + units[:, np.newaxis, :]).max(axis=2) - log_losses
        larger = np.where(faint, np.maximum(units, reached), known)
        if np.array_equal(larger, units):
            break
        units = larger
    return units


def _solved(known: np.ndarray, level: np.ndarray, ties: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Log p (n, c), by elimination of what is not known, from the smallest unit to the largest."""
    (n, c), units = known.shape, _units(known, level, ties, losses)
    order = np.argsort(units, axis=1)
    row, q = np.arange(n)[:, np.newaxis], np.take_along_axis(units, order, axis=1)
    ties = ties[row[:, :, np.newaxis], order[:, :, np.newaxis], order[:, np.newaxis, :]]
    # Classes first, rows last: each operation below is one over long stretches of memory.
    T = np.ascontiguousarray(np.exp(ties + q[:, np.newaxis, :] - q[:, :, np.newaxis]).transpose(1, 2, 0))
    g, d = np.exp(level - q).T.copy(), losses[row, order].T
    n_faint = int(np.isneginf(known).sum(axis=1).max())
    for k in range(n_faint):
        # y_k = g_k + Σ_{j>k} T_kj y_j, put into the equations of all later classes.
        pivot, after, faint = d[k] - T[k, k], slice(k + 1, c), slice(k + 1, n_faint)
        T[k, after] /= pivot
        g[k] /= pivot
        T[faint, after] += T[faint, k, np.newaxis] * T[k, after]
        g[faint] += T[faint, k] * g[k]
    y = np.ones((c, n))
    for k in reversed(range(n_faint)):
        y[k] = g[k] + np.einsum("jb,jb->b", T[k, k + 1 :], y[k + 1 :])
    log_P = np.empty_like(units)
    log_P[row, order] = q + log_probabilities(y).T
    return log_P
