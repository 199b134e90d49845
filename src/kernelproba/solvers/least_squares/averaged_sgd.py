"""Averaged stochastic gradient steps for ridge regression on a stream without end.

Minimises ``½ E‖Aᵀφ − y‖² + ½ α‖A‖²`` from small batches of rows.  A batch costs O(b) per row where exact
sums cost O(b²), and the past is kept in two matrices (b, k).

Kernel features are so badly scaled that plain steps would take for ever; so the first n₀ rows of the
stream are counted exactly, and their curvature scales all later steps [1]_::

    P = H₀ + (α + tr H₀/n₀) I,        H₀ = G₀/S₀
    A ← A − η P⁻¹g,                   g = Φᵀ diag(s/s̄)(ΦA − Y)/n + αA

The multiple of I is what n₀ rows leave uncertain about H₀.  η = ½ n/(n + max φᵀP⁻¹φ) is stable for batches
of n rows like the first ones [2]_; for others η is held below the step that is best for the batch itself,
g·D/(‖ΦD‖²_s/n + α‖D‖²) with D = P⁻¹g, so that no batch is ever made worse.
The answer is not A but its average over all steps, the t-th weighted by t, which forgets the start and
whose noise falls as 1/t.

References
----------
.. [1] F. Roosta-Khorasani and M. Mahoney, "Sub-sampled Newton methods", Mathematical Programming 174, 2019.
.. [2] P. Jain, S. Kakade, R. Kidambi, P. Netrapalli and A. Sidford, "Parallelizing stochastic gradient
   descent for least squares regression", JMLR 18, 2018.
"""

from copy import copy

import numpy as np

from kernelproba.solvers.least_squares.normal_equations import (
    NormalEquations,
    cholesky_factor,
    solve_factored,
)

#: Rows per step.
BATCH_ROWS = 256


class AveragedSGD:
    """Descent from the solution of the first rows.

    Parameters
    ----------
    first : NormalEquations
        Sums over the first rows.
    total : float
        S₀, their weight.
    alpha : float
        α.
    sample : array of shape (n₀, b)
        Their features, without weights.

    Attributes
    ----------
    coef : ndarray of shape (b, k)
        The average of all steps: the solution.
    """

    def __init__(self, first: NormalEquations, total: float, alpha: float, sample: np.ndarray):
        self._alpha = alpha
        H = first.gram / total
        self._factor = cholesky_factor(H, alpha + float(np.trace(H)) / len(sample))
        self._leverage = _largest_leverage(self._factor, sample)
        self._iterate = solve_factored(self._factor, first.moment / total)
        self.coef = self._iterate.copy()
        self._n_steps = 0

    def copy(self) -> "AveragedSGD":
        """The same descent, to continue."""
        copied = copy(self)
        copied.coef = self.coef.copy()  # the one array that a step changes in place
        return copied

    def step(self, Phi: np.ndarray, Y: np.ndarray, weight: np.ndarray) -> None:
        """One step.

        Parameters
        ----------
        Phi : array of shape (n, b)
            Features of a batch.
        Y : array of shape (n, k)
            Targets.
        weight : array of shape (n,)
            Weights relative to the mean weight s̄ of the stream.
        """
        n, A, s = len(Phi), self._iterate, weight[:, None]
        gradient = Phi.T @ (s * (Phi @ A - Y)) / n + self._alpha * A
        D = solve_factored(self._factor, gradient)
        curvature = np.sum(s * np.square(Phi @ D)) / n + self._alpha * np.sum(np.square(D))
        best = np.sum(gradient * D) / curvature if curvature > 0 else 0.0
        self._iterate = A - min(0.5 * n / (n + self._leverage), best) * D
        self._n_steps += 1
        self.coef += 2 / (self._n_steps + 1) * (self._iterate - self.coef)

    def implied(self, first: NormalEquations, total: float, scale: float) -> NormalEquations:
        """Equations of the whole stream as the first rows foretell them, with `coef` as their solution."""
        gram = first.gram * scale
        return NormalEquations(gram, gram @ self.coef + self._alpha * total * self.coef)


def _largest_leverage(L: np.ndarray, Phi: np.ndarray) -> float:
    """Largest φᵀP⁻¹φ of the rows."""
    return float(np.einsum("ij,ji->i", Phi, solve_factored(L, np.asfortranarray(Phi.T))).max())
