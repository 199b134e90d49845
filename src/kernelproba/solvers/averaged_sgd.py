"""Averaged stochastic gradient steps for ridge regression on a stream without end.

Minimises ``½ E‖Aᵀφ − y‖² + ½ α‖A‖²`` from small batches of rows.  A batch costs O(b) per row where exact
sums cost O(b²), and the past is kept in two matrices (b, k).

Kernel features are so badly scaled that plain steps would take for ever; so the first rows of the stream
are counted exactly, and their curvature P = G₀/S₀ + αI scales all later steps::

    A ← A − η P⁻¹ (Φᵀ diag(s/s̄)(ΦA − Y)/n + αA),        η = ½ n/(n + max φᵀP⁻¹φ)

Where P is the true curvature this is a damped Newton step on a batch of n rows, and η keeps it stable
however few they are [1]_.  The answer is not A but its average over all steps, the t-th weighted by t,
which forgets the start and whose noise falls as 1/t.

References
----------
.. [1] P. Jain, S. Kakade, R. Kidambi, P. Netrapalli and A. Sidford, "Parallelizing stochastic gradient
   descent for least squares regression", JMLR 18, 2018.
"""

import numpy as np

from .normal_equations import NormalEquations, cholesky_factor, solve_factored

#: Rows per step.
BATCH_ROWS = 256


class AveragedSGD:
    """Descent from the exact solution of the first rows.

    Parameters
    ----------
    first : NormalEquations
        Sums over the first rows.
    total : float
        S₀, their weight.
    alpha : float
        α.
    sample : array of shape (r, b)
        Features of some of them, to bound φᵀP⁻¹φ.

    Attributes
    ----------
    coef : ndarray of shape (b, k)
        The average of all steps: the solution.
    """

    def __init__(self, first: NormalEquations, total: float, alpha: float, sample: np.ndarray):
        self._alpha = alpha
        self._factor = cholesky_factor(first.gram / total, alpha)
        self._leverage = _largest_leverage(self._factor, sample)
        self._iterate = solve_factored(self._factor, first.moment / total)
        self.coef = self._iterate.copy()
        self._n_steps = 0

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
        n, A = len(Phi), self._iterate
        error = Phi @ A
        error -= Y
        error *= weight[:, None]
        gradient = Phi.T @ error / n + self._alpha * A
        rate = 0.5 * n / (n + self._leverage * weight.max())
        self._iterate = A - rate * solve_factored(self._factor, gradient)
        self._n_steps += 1
        self.coef += 2 / (self._n_steps + 1) * (self._iterate - self.coef)

    def implied(self, first: NormalEquations, total: float, scale: float) -> NormalEquations:
        """Equations of the whole stream as the first rows foretell them, with `coef` as their solution."""
        gram = first.gram * scale
        return NormalEquations(gram, gram @ self.coef + self._alpha * total * self.coef)


def _largest_leverage(L: np.ndarray, Phi: np.ndarray) -> float:
    """Largest φᵀP⁻¹φ of a sample of rows."""
    return float(np.einsum("ij,ji->i", Phi, solve_factored(L, np.asfortranarray(Phi.T))).max())
