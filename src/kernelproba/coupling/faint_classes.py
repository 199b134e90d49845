"""Probabilities of classes that a row hardly belongs to, each to its own last digits.

Row i of Wu, Lin and Weng's Q p = λ1 says, with dᵢ = Σₛ nₛᵢ rₛᵢ² and tᵢⱼ = nᵢⱼ rᵢⱼ rⱼᵢ::

    dᵢ pᵢ = λ + Σ_{j≠i} tᵢⱼ pⱼ,       λ = Σ_{i<j} nᵢⱼ (rⱼᵢ pᵢ − rᵢⱼ pⱼ)²

a sum without differences.  If classes are eliminated from the faintest on, all that is ever subtracted is
from dᵢ, and it is less than dᵢ by far, as a class is beaten by some that come after it: no digits are lost.
λ, which is 0 if all rᵢⱼ agree with one p, is that of the probabilities before, until it is theirs.

The elimination runs in units qᵢ of pᵢ, without which numbers underflow: the largest of all chains of factors
t/d that lead to class i from a class that is not faint, or from λ.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from scipy.special import log_softmax

from kernelproba.coupling.pairs import class_pairs, pair_ends, pair_probabilities, symmetric_square
from kernelproba.number_range import log_probabilities

#: Probabilities below this are found anew: in the linear system they are rounding.
FAINT = 1e-6
#: Most passes, each with a new λ, and the relative change of a probability by λ that needs another.
PASSES, TOL = 8, 1e-12
#: λ above which it has enough digits although p has those of the linear system.
SURE = 1e-18
#: Log-odds beyond which sums of them would lose what is said of other classes to rounding.
LARGEST_LOG_ODDS = 1e9


def faint_rows(P: np.ndarray) -> np.ndarray:
    """Numbers of the rows of P (n, c) that have faint classes, those with few of them first."""
    n_faint = np.count_nonzero(P < FAINT, axis=1)
    return np.argsort(n_faint, kind="stable")[np.count_nonzero(n_faint == 0) :]


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
    rows = FaintRows.of(P, F, weights, P < FAINT)
    log_P = _settled(rows, rows.log_level(log_probabilities(P)))
    # λ is least at the optimum, where errors of 1e-16 in p leave one of 1e-32: all it is where pairs agree.
    # Classes that this could lift are found anew, with all others but the likeliest to their own digits.
    low = np.flatnonzero((rows.losses * np.exp(log_P)).min(axis=1) < SURE)
    low = low[np.exp(rows.at(low).log_level(log_P[low]))[:, 0] < SURE]
    if len(low):
        P, top = np.exp(log_P[low]), log_P[low].max(axis=1, keepdims=True)
        rows = FaintRows.of(P, F[low], weights, log_P[low] < top)
        log_P[low] = _settled(rows, np.full_like(top, -np.inf))
    return log_P


def _settled(rows: FaintRows, level: np.ndarray) -> np.ndarray:
    """Log p (n, c), from log λ (n, 1) on until λ is that of p."""
    log_P, left = np.empty_like(rows.known), np.arange(len(level))
    for _ in range(PASSES):
        solved = log_softmax(rows.solved(level), axis=1)
        before, level = level, rows.log_level(solved)
        log_P[left] = solved
        # λ adds λ/(dᵢ pᵢ) to pᵢ, relative to it.
        change = np.abs(np.exp(level) - np.exp(before))[:, 0]
        unsettled = change > TOL * (rows.losses * np.exp(solved)).min(axis=1)
        if not unsettled.any():
            break
        left, level, rows = left[unsettled], level[unsettled], rows.at(unsettled)
    return log_P


@dataclass(frozen=True)
class FaintRows:
    """What the equations of faint classes are made of; classes come in an order of their own in each row.

    Attributes
    ----------
    known : array of shape (n, c)
        log p where it is known, −∞ where a class is faint.
    losses : array of shape (n, c)
        d.
    won, lost, log_odds : array of shape (n, c(c−1)/2)
        √nᵢⱼ rᵢⱼ, √nᵢⱼ rⱼᵢ and |fᵢⱼ| of the pairs i < j.
    order : array of shape (n, c)
        Classes by their probabilities, the least first.
    ties : array of shape (n, f, c)
        log t of the first f of them, among which all are that are faint, with all classes.
    """

    known: np.ndarray
    losses: np.ndarray
    won: np.ndarray
    lost: np.ndarray
    log_odds: np.ndarray
    order: np.ndarray
    ties: np.ndarray

    @classmethod
    def of(cls, P: np.ndarray, F: np.ndarray, weights: np.ndarray, faint: np.ndarray) -> FaintRows:
        """Those of probabilities and log-odds, as in `with_faint_classes`, where classes (n, c) are faint."""
        i, j = class_pairs(len(weights)).T
        (first, second), root = pair_ends(len(weights)), np.sqrt(weights[i, j])
        won, lost = (root * part for part in pair_probabilities(F))
        order, n_faint = np.argsort(P, axis=1), faint.sum(axis=1).max()
        log_t = np.log(np.maximum(won, lost) ** 2) - np.abs(F)
        ties = np.take_along_axis(symmetric_square(log_t, -np.inf), order[:, :n_faint, np.newaxis], axis=1)
        known = np.where(faint, -np.inf, log_probabilities(P))
        return cls(known, lost**2 @ first + won**2 @ second, won, lost, np.abs(F), order, ties)

    def at(self, rows: np.ndarray) -> FaintRows:
        """Some of the rows."""
        return FaintRows(*(getattr(self, each.name)[rows] for each in fields(self)))

    def log_level(self, log_P: np.ndarray) -> np.ndarray:
        """Log λ (n, 1) of log p (n, c), −∞ where λ is nothing but rounding."""
        i, j = class_pairs(log_P.shape[1]).T
        P, size = np.exp(log_P), np.abs(log_P)
        one, other = self.lost * P.take(i, axis=1), self.won * P.take(j, axis=1)
        # exp(a) is off by ε |a|, relatively.
        noise = 2 * np.finfo(float).eps * (8 + self.log_odds + size.take(i, axis=1) + size.take(j, axis=1))
        gaps = one - other
        gaps[np.abs(gaps) <= noise * (one + other)] = 0.0
        with np.errstate(divide="ignore"):
            return np.log(np.einsum("bp,bp->b", gaps, gaps))[:, np.newaxis]

    def units(self, level: np.ndarray) -> np.ndarray:
        """Log q (n, c): what is known of log p, and the largest chains to where that is −∞."""
        faint = np.isneginf(self.known)
        log_losses = np.log(self.losses, where=self.losses > 0, out=np.zeros_like(self.losses))
        units = np.where(faint, level - log_losses, self.known)
        row, first = np.arange(len(units))[:, np.newaxis], self.order[:, : self.ties.shape[1]]
        for _ in range(units.shape[1]):
            reached = np.full_like(units, -np.inf)
            reached[row, first] = (self.ties + units[:, np.newaxis, :]).max(axis=2)
            larger = np.where(faint, np.maximum(units, reached - log_losses), self.known)
            if np.array_equal(larger, units):
                break
            units = larger
        return units

    def solved(self, level: np.ndarray) -> np.ndarray:
        """Log p (n, c), by elimination of what is not known, from the smallest unit to the largest."""
        (n, f, _), row = self.ties.shape, np.arange(len(level))[:, np.newaxis]
        units = self.units(level)
        place = np.argsort(np.take_along_axis(units, self.order[:, :f], axis=1), axis=1)
        order = np.hstack([np.take_along_axis(self.order, place, axis=1), self.order[:, f:]])
        q = np.take_along_axis(units, order, axis=1)
        ties = self.ties[row[:, :, np.newaxis], place[:, :, np.newaxis], order[:, np.newaxis, :]]
        T = np.exp(ties + q[:, np.newaxis, :] - q[:, :f, np.newaxis])
        d, faint = self.losses[row, order[:, :f]], np.isneginf(self.known[row, order[:, :f]])
        # Classes that are not faint have what they have: y = 1.
        g = np.where(faint, np.exp(level - q[:, :f]) + T[:, :, f:].sum(axis=2), d)
        T = np.where(faint[:, :, np.newaxis], T[:, :, :f], 0.0)
        # Classes first, rows last: each operation below is one over long stretches of memory.
        T, g, d = np.ascontiguousarray(T.transpose(1, 2, 0)), g.T.copy(), d.T.copy()
        for k in range(f):
            # y_k = g_k + Σ_{j>k} T_kj y_j, put into the equations of all later classes.
            pivot, after = d[k] - T[k, k], slice(k + 1, f)
            T[k, after] /= pivot
            g[k] /= pivot
            T[after, after] += T[after, k, np.newaxis] * T[k, after]
            g[after] += T[after, k] * g[k]
        y = np.empty((f, n))
        for k in reversed(range(f)):
            y[k] = g[k] + np.einsum("jb,jb->b", T[k, k + 1 :], y[k + 1 :])
        log_P = units.copy()
        log_P[row, order[:, :f]] = q[:, :f] + log_probabilities(y).T
        return log_P
