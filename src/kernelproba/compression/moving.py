"""Centres that move: positions and coefficients of Gaussian kernels, found together.

With rows and centres in widths of the kernel, K = exp(−½‖x − z‖²), the scores F = K A + b + (what does not
move) and V the divergence of the probabilities from those of the model before::

    min over z, A, b  of  V(F)         G = ∂V/∂F,   E = (G Aᵀ) ∘ K
    ∂V/∂A = KᵀG,   ∂V/∂zⱼ = Σᵢ Eᵢⱼ (xᵢ − zⱼ)

The problem is not convex, and so many numbers agree with the larger model on few rows all too soon: they
start from centres that are rows, with their best coefficients, and go down slopes on samples of very many
rows, by Adam [1]_ with steps that shrink to 0.  Centres that have moved are no longer training rows.

.. [1] Kingma & Ba. Adam: a method for stochastic optimization. ICLR 2015.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from kernelproba.kernels import RBF, Kernel
from kernelproba.typing import Matrix

#: Rows of a sample.
BATCH = 500
#: Fewest and most steps, and what they may cost in all: steps × centres × (features and functions).
STEPS, WORK = (5_000, 15_000), 200_000_000
#: First step of a centre, in widths of the kernel, and of a coefficient, in root mean squares of all.
FIRST_STEP, FIRST_CHANGE = 0.12, 0.015
#: Memory of the slopes and of their squares.
SLOPES, SQUARES = 0.9, 0.999
#: Most rows to draw samples from, their most entries, and how many there are for each row of a table.
MAX_ROWS, ENTRIES, FOR_EACH = 250_000, 20_000_000, 100
#: Extent of the rows, in widths, beyond which single precision does not tell neighbours apart.
FARTHEST = 3000.0

#: Scores F (n, k) of rows with the numbers (n,) → ∂V/∂F (n, k).
Slopes = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class GaussianSum:
    """Scores Σⱼ aⱼ exp(−½‖x − zⱼ‖²) + b.

    Attributes
    ----------
    centers : array of shape (m, d)
        z.
    coef : array of shape (m, k)
        A.
    intercept : array of shape (k,)
        b.
    """

    centers: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray

    def kernel(self, X: np.ndarray) -> np.ndarray:
        """Return K (n, m) of rows X (n, d)."""
        Z = self.centers
        K = X @ Z.T
        K -= 0.5 * np.einsum("ij,ij->i", X, X)[:, None]
        K -= 0.5 * np.einsum("ij,ij->i", Z, Z)
        return np.exp(K, out=K)

    def scores(self, K: np.ndarray) -> np.ndarray:
        """Return F (n, k) of rows with the kernel values K (n, m)."""
        return K @ self.coef + self.intercept

    def slopes(self, X: np.ndarray, K: np.ndarray, G: np.ndarray) -> GaussianSum:
        """Slopes along centres, coefficients and intercepts, of those along the scores G (n, k)."""
        E = G @ self.coef.T
        E *= K
        slope_Z = E.T @ X - E.sum(axis=0)[:, None] * self.centers
        return GaussianSum(slope_Z, K.T @ G, G.sum(axis=0))

    def flat(self) -> np.ndarray:
        """All numbers in a row."""
        return np.concatenate([self.centers.ravel(), self.coef.ravel(), self.intercept])

    def at(self, theta: np.ndarray) -> GaussianSum:
        """Other numbers in the same places."""
        Z, A, b = np.split(theta, np.cumsum([self.centers.size, self.coef.size]))
        return GaussianSum(Z.reshape(self.centers.shape), A.reshape(self.coef.shape), b)


def can_move(kernel: Kernel, rows: Matrix) -> bool:
    """Whether centres of a kernel can be moved: that of a Gaussian, among dense rows not too far apart."""
    if type(kernel) is not RBF or not isinstance(rows, np.ndarray):
        return False
    with np.errstate(over="ignore"):
        return bool(np.linalg.norm(np.ptp(rows / kernel.length_scale, axis=0)) < FARTHEST)


def enough_rows(n: int, d: int) -> int:
    """Rows to learn from where n rows (n, d) are known."""
    return max(n, min(FOR_EACH * n, MAX_ROWS, ENTRIES // d))


def moved_centers(
    X: np.ndarray, start: GaussianSum, slopes: Slopes, *, fit_intercept: bool = True
) -> GaussianSum:
    """Go down the slopes of the divergence at the head of this module.

    Parameters
    ----------
    X : array of shape (n, d)
        Rows in widths of the kernel.
    start : GaussianSum
        Where to begin.
    slopes : callable
        ∂V/∂F of some of the rows.
    fit_intercept : bool, default=True
        Whether b changes.
    """
    # Single precision takes a third of the time, and leads where double does once rows are centred.
    centre = np.median(X, axis=0)
    rows = (X - centre).astype(np.float32)
    begin = replace(start, centers=start.centers - centre)
    theta, rates = begin.flat().astype(np.float32), _rates(begin, fit_intercept)
    mean, square = np.zeros_like(theta), np.zeros_like(theta)
    steps = _n_steps(begin)
    for t, batch in enumerate(_batches(len(rows), steps), start=1):
        own = begin.at(theta)
        K = own.kernel(rows[batch])
        G = slopes(own.scores(K), batch).astype(np.float32)
        slope = own.slopes(rows[batch], K, G).flat()
        mean += (1 - SLOPES) * (slope - mean)
        square += (1 - SQUARES) * (slope**2 - square)
        size = 0.5 * (1 + np.cos(np.pi * t / steps)) * np.sqrt(1 - SQUARES**t) / (1 - SLOPES**t)
        theta -= np.float32(size) * rates * mean / (np.sqrt(square) + np.float32(1e-10))
    found = begin.at(theta.astype(np.float64))
    return replace(found, centers=found.centers + centre)


def _rates(start: GaussianSum, fit_intercept: bool) -> np.ndarray:
    """First step of every number."""
    change = FIRST_CHANGE * np.sqrt(np.square(start.coef).mean())
    first = FIRST_STEP / np.sqrt(start.centers.shape[1])
    parts = (
        np.full(start.centers.size, first),
        np.full(start.coef.size, change),
        np.full(start.intercept.size, change * fit_intercept),
    )
    return np.concatenate(parts).astype(np.float32)


def _n_steps(start: GaussianSum) -> int:
    fewest, most = STEPS
    return int(np.clip(WORK // (start.centers.size + start.coef.size), fewest, most))


def _batches(n: int, steps: int) -> Iterator[np.ndarray]:
    """Numbers of rows, so many times: all in a new order, and again."""
    rng, size = np.random.RandomState(0), min(BATCH, n)
    order, place = rng.permutation(n), 0
    for _ in range(steps):
        if place + size > n:
            order, place = rng.permutation(n), 0
        yield order[place : place + size]
        place += size
