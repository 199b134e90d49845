"""Sparse kernel models along the strength of their penalty."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kernelproba.kernels import Kernel
from kernelproba.losses import loss_for
from kernelproba.solvers import Solution
from kernelproba.solvers.sparse.objective import SparseObjective
from kernelproba.typing import Matrix

#: Largest strength of a default path relative to the one at which the first centre enters.
SPAN = 1e4


@dataclass(frozen=True)
class SparsePath:
    """Models for a sequence of strengths, on the union of their centres.

    Parameters
    ----------
    classes : array of shape (c,)
        Labels.
    Cs : array of shape (q,)
        Strengths, increasing: the penalty weakens along the path.
    kernel : Kernel
        The kernel, with numbers in place of rules.
    centers : array of shape (m, d)
        Rows that serve as centres anywhere on the path (column numbers if the kernel is precomputed).
    support : array of shape (m,)
        Where the centres stood in the training data.
    dual_coef : array of shape (q, k, m)
        Coefficients, k = 1 score for two classes and c otherwise.
    intercept : array of shape (q, k)
        Intercepts.
    objective, residual : arrays of shape (q,)
        Value and optimality residual of each fit.
    """

    classes: np.ndarray
    Cs: np.ndarray
    kernel: Kernel
    centers: Matrix
    support: np.ndarray
    dual_coef: np.ndarray
    intercept: np.ndarray
    objective: np.ndarray
    residual: np.ndarray

    @property
    def n_kernels(self) -> np.ndarray:
        """Centres that some class uses, for each strength, (q,)."""
        return (self.dual_coef != 0).any(axis=1).sum(axis=1)

    def log_probabilities(self, X: Matrix) -> np.ndarray:
        """Return the logarithm of the class probabilities of rows X (n, d) for each strength, (q, n, c)."""
        K = self.kernel(X, self.centers).astype(np.float64, copy=False)
        F = np.einsum("nm,qkm->qnk", K, self.dual_coef, optimize=True) + self.intercept[:, None, :]
        loss = loss_for(len(self.classes))
        return np.stack([loss.log_probabilities(scores) for scores in F])


def default_strengths(objective: SparseObjective, C: float, count: int) -> np.ndarray:
    """Geometric grid from the C at which the first centre enters; `objective` has weights C·s."""
    slope = objective.largest_slope()
    if not slope > 0:
        raise ValueError("The kernel of X is 0 throughout, and no C brings a centre in: give Cs as a list.")
    first = C / slope
    return np.geomspace(first, SPAN * first, count)


def solve_path(
    objective: SparseObjective, factors: np.ndarray, solve: Callable[..., Solution], **options: object
) -> list[Solution]:
    """Solutions for weights factor·ω, each from the one before; factors increase."""
    solutions: list[Solution] = []
    theta = objective.null_model()
    for factor in factors:
        scaled = replace(objective, weights=factor * objective.weights)
        solutions.append(solve(scaled, theta, **options))
        theta = solutions[-1].coef
    return solutions
