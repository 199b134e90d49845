"""Observations at one location: of rows with the same features, one is left out and the others stay.

A fit without all observations at a location has the scores z₀ there (the cavity), and moves by Σ for each
unit of force: leave-one-out knows both from its Newton system.  The observations that stay, of total weight
rₐ in class a, are put back with their loss as it is, not with its curvature at the fit to all:

    min_z  ½ (z − z₀)ᵀ Σ⁻¹ (z − z₀) + Σₐ rₐ ℓₐ(z)

That matters in surveys, counts and codes.  Of nine equal rows one has a label of its own; without it the
eight others agree, their curvature vanishes, and a step that takes it for granted stops far too early.

Scores are in an orthonormal basis Q of their differences, z = Qᵀf, which is all that softmax looks at.
"""

from dataclasses import dataclass

import numpy as np

from kernelproba.losses import Softmax
from kernelproba.rows.duplicates import first_occurrences
from kernelproba.rows.row_hash import row_keys
from kernelproba.typing import Matrix

#: Newton steps at most, halvings of one, and the length of a step at which they end: the next one would be
#: about the square of it.
MAX_STEPS, MAX_HALVINGS, STEP_TOL = 50, 40, 1e-5
#: Weight that stays, relative to all at the location, below which none does.
NOTHING = 1e-12


@dataclass(frozen=True)
class Locations:
    """Which of n rows have the same features.

    Parameters
    ----------
    first : array of shape (m,)
        The first row at each location, ascending.
    which : array of shape (n,)
        The location of each row.
    """

    first: np.ndarray
    which: np.ndarray

    @classmethod
    def of(cls, X: Matrix) -> "Locations":
        """Find equal rows of X (n, d), whatever their labels."""
        keys = row_keys(X, np.zeros(X.shape[0], dtype=np.int64))
        return cls(*first_occurrences(keys))

    @classmethod
    def distinct(cls, n: int) -> "Locations":
        """Every row at a location of its own."""
        return cls(np.arange(n), np.arange(n))

    def totals(self, values: np.ndarray) -> np.ndarray:
        """Sums (m, …) over the rows at each location of values (n, …)."""
        if len(self.first) == len(self.which):
            return values
        totals = np.zeros((len(self.first), *values.shape[1:]))
        np.add.at(totals, self.which, values)
        return totals

    def class_weights(self, y: np.ndarray, weights: np.ndarray, n_classes: int) -> np.ndarray:
        """Total weight of each class at each location, (m, c)."""
        return self.totals(np.eye(n_classes)[y] * weights[:, None])

    def remaining(self, y: np.ndarray, weights: np.ndarray, share: np.ndarray, n_classes: int) -> np.ndarray:
        """Weights (n, c) that stay at the location of each row without a share (n,) of that row's own."""
        totals = self.class_weights(y, weights, n_classes)[self.which]  # a copy
        floor = NOTHING * totals.sum(axis=1, keepdims=True)
        totals[np.arange(len(y)), y] -= share * weights
        return np.where(totals > floor, totals, 0.0)


def readmitted(cavity: np.ndarray, start: np.ndarray, remaining: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Scores (n, q) once the observations that stay are put back, by Newton's method for all rows at once.

    Parameters
    ----------
    cavity : array of shape (n, q, q)
        Σ of each row's location.
    start : array of shape (n, q)
        z₀.
    remaining : array of shape (n, k)
        r, the weight that stays in each class.
    Q : array of shape (k, q)
        Orthonormal basis of the differences of scores.
    """
    z = start.copy()
    finite = np.isfinite(start).all(axis=1) & np.isfinite(cavity).all(axis=(1, 2))
    kept = np.flatnonzero(remaining.any(axis=1) & finite)
    if kept.size:
        with np.errstate(over="ignore", invalid="ignore"):  # weights beyond what squares can hold
            found = _Readmission(_square_roots(cavity[kept]), start[kept], remaining[kept], Q).solve()
        z[kept] = np.where(np.isfinite(found), found, start[kept])
    return z


def _square_roots(cavity: np.ndarray) -> np.ndarray:
    """R (n, q, q) with Σ = RRᵀ; what rounding leaves below zero is zero."""
    values, vectors = np.linalg.eigh((cavity + cavity.transpose(0, 2, 1)) / 2)
    return vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]


@dataclass(frozen=True)
class _Readmission:
    """The problem above, row by row, in coordinates v with z = z₀ + Rv, Σ = RRᵀ: ½vᵀv + Σₐ rₐ ℓₐ(z₀ + Rv)."""

    root: np.ndarray
    start: np.ndarray
    remaining: np.ndarray
    Q: np.ndarray

    def solve(self) -> np.ndarray:
        """Z at the minimum, (n, q)."""
        v, active = np.zeros_like(self.start), np.arange(len(self.start))
        problem, at = self, v
        for _ in range(MAX_STEPS):
            value, gradient, step = problem._newton_step(at)
            at = at + problem._damping(at, value, gradient, step)[:, None] * step
            v[active] = at
            moving = np.abs(step).max(axis=1) > STEP_TOL * (1 + np.abs(at).max(axis=1))
            active = active[moving]
            if not active.size:
                break
            if len(active) < len(at):
                problem, at = problem._at(moving), at[moving]
        return self._scores(v)

    def _at(self, rows: np.ndarray) -> "_Readmission":
        return _Readmission(self.root[rows], self.start[rows], self.remaining[rows], self.Q)

    def _scores(self, v: np.ndarray) -> np.ndarray:
        return self.start + (self.root @ v[:, :, None])[:, :, 0]

    def _log_probabilities(self, v: np.ndarray) -> np.ndarray:
        return Softmax().log_probabilities(self._scores(v) @ self.Q.T)

    def _newton_step(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Value, gradient v − RᵀQᵀ(r − (Σₐrₐ)p), and the step −(I + RᵀHR)⁻¹ of it."""
        log_P, total = self._log_probabilities(v), self.remaining.sum(axis=1)
        P = np.exp(log_P)
        force = (self.remaining - total[:, None] * P) @ self.Q
        gradient = v - (force[:, None, :] @ self.root)[:, 0]
        half = np.sqrt(total[:, None, None]) * (self.Q @ self.root)  # D^½ of Σₐrₐ (diag p − ppᵀ) in its rows
        mean = P[:, None, :] @ half
        centred = np.sqrt(P)[:, :, None] * (half - mean)
        hessian = np.eye(v.shape[1]) + centred.transpose(0, 2, 1) @ centred
        # Weights far apart leave it regular only up to rounding.
        jitter = v.shape[1] * np.finfo(float).eps * np.einsum("nii->n", hessian)
        hessian += jitter[:, None, None] * np.eye(v.shape[1])
        step = -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        return self._value(v, log_P), gradient, step

    def _damping(
        self, v: np.ndarray, value: np.ndarray, gradient: np.ndarray, step: np.ndarray
    ) -> np.ndarray:
        """Length (n,) of each row's step, halved until the objective falls or only rounding moves it."""
        length = np.ones(len(v))
        slope, slack = np.einsum("ni,ni->n", gradient, step), 1e-12 * (1 + np.abs(value))
        for _ in range(MAX_HALVINGS):
            ahead = v + length[:, None] * step
            rising = (
                self._value(ahead, self._log_probabilities(ahead)) > value + 1e-4 * length * slope + slack
            )
            if not rising.any():
                break
            length[rising] /= 2
        return length

    def _value(self, v: np.ndarray, log_P: np.ndarray) -> np.ndarray:
        """½vᵀv + Σₐ rₐ ℓₐ(z), (n,), where log p is known."""
        return np.einsum("ni,ni->n", v, v) / 2 - np.einsum("nk,nk->n", self.remaining, log_P)
