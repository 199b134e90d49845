"""Sparse kernel models on few columns of the kernel matrix: the default solver.

A sparse solution needs few centres, so the problem is solved on a working set of them.  One product with
the whole kernel matrix then gives the slope of every candidate; those steeper than the penalty join, and
the solution is optimal on all candidates once none is.  Only the columns of the working set are held.

Most steps are spent on the way to about the right set.  With many rows that way is gone on a sample of them,
each with the weight of those it stands for, whose kernel matrix is small enough to be held.
"""

from dataclasses import replace

import numpy as np

from kernelproba.basis.columns import HELD_ROWS, WorkingColumns
from kernelproba.solvers.solution import Solution
from kernelproba.solvers.sparse.objective import SparseObjective
from kernelproba.solvers.sparse.proximal_newton import proximal_newton
from kernelproba.solvers.sparse.stall import Stall

#: Candidates that join at once, at least: so many, and so many per score.
SMALLEST_BATCH, BATCH_PER_SCORE = 32, 8
#: A restricted problem is solved to this share of the residual outside.
GOAL = 0.2
#: Most rounds; a well-posed problem takes about ten.
ROUNDS = 100
#: Rounds in a row without progress after which there will be none.
STALLED_ROUNDS = 3
#: Residual to which a sample of the rows is worth being fitted.
SAMPLE_TOL = 0.3


def working_set(objective: SparseObjective, start: np.ndarray, *, tol: float, max_iter: int) -> Solution:
    """Minimise J over all candidates from Θ (n + 1, k); stop once the residual is ≤ tol on all of them.

    `max_iter` bounds the Newton steps in total.  Restricted problems are solved no more exactly than the
    slopes outside call for.
    """
    n_iter = 0
    if not objective.columns.held and not start[: len(objective.columns)].any():
        start, n_iter = _fit_sample(objective, max_iter)
    state, stall = _State(objective, start), Stall(STALLED_ROUNDS)
    for _ in range(ROUNDS):
        if state.residual <= tol or n_iter >= max_iter or stall.seen(state.value(), state.residual):
            break
        state.extend()
        goal = max(0.5 * tol, GOAL * state.residual)
        solution = proximal_newton(state.restricted, state.coef, tol=goal, max_iter=max_iter - n_iter)
        stuck = solution.n_iter == 0 and state.n_joined == 0
        state.accept(solution.coef)
        n_iter += solution.n_iter
        if stuck:
            break
    return Solution(state.theta(), state.value(), state.residual, n_iter, bool(state.residual <= tol))


def _fit_sample(objective: SparseObjective, max_iter: int) -> tuple[np.ndarray, int]:
    """Θ on all candidates of a fit to every so-manyth row of each class, and the steps it took."""
    by_class = np.argsort(objective.y, kind="stable")
    firsts = np.searchsorted(objective.y[by_class], np.arange(objective.y.max() + 1))
    rows = np.union1d(by_class[:: -(-len(by_class) // HELD_ROWS)], by_class[firsts])
    weights = objective.weights[rows]
    sample = replace(
        objective,
        columns=objective.columns.sample(rows),
        y=objective.y[rows],
        weights=weights * (objective.weights.sum() / weights.sum()),
    )
    solution = working_set(sample, sample.null_model(), tol=SAMPLE_TOL, max_iter=max_iter)
    theta = np.zeros(objective.shape)
    theta[rows], theta[len(by_class) :] = solution.coef[: len(rows)], solution.coef[len(rows) :]
    return theta, solution.n_iter


class _State:
    """Working set, its kernel columns, Θ on it, and the slopes of all candidates there."""

    def __init__(self, objective: SparseObjective, theta: np.ndarray):
        n = len(objective.columns)
        self.objective, self.n_joined = objective, 0
        self.columns = WorkingColumns(objective.columns, np.flatnonzero(theta[:n].any(axis=1)))
        self.accept(np.concatenate([theta[self.index], theta[n:]]))

    @property
    def index(self) -> np.ndarray:
        """The working set."""
        return self.columns.index

    def accept(self, coef: np.ndarray) -> None:
        """Take over Θ on the working set and look at all candidates."""
        self.coef = coef
        self.restricted = self.objective.restrict(self.index, self.columns.matrix)
        self.F = self.restricted.scores(coef)
        self.D, at_intercept = self.objective.gradient(self.F)
        penalty, W = self.objective.penalty, np.zeros_like(self.D)
        W[self.index] = coef[: len(self.index)]
        self.slope = penalty.dual_norm(penalty.subgradient(W, self.D))
        self.residual = float(max(self.slope.max(initial=0.0), np.abs(at_intercept).max(initial=0.0)))

    def extend(self) -> None:
        """Keep the centres in use and add the steepest of all others, whether they were in before or not."""
        m, used = len(self.index), self.coef[: len(self.index)].any(axis=1)
        outside = self.slope.copy()
        outside[self.index[used]] = 0.0
        batch = max(SMALLEST_BATCH, BATCH_PER_SCORE * self.objective.n_scores, int(0.7 * used.sum()))
        joined = np.argsort(-outside, kind="stable")[:batch]
        joined = joined[outside[joined] > 0]
        at_hand = np.isin(self.index, joined) | used
        fresh = np.setdiff1d(joined, self.index[at_hand])
        new = np.zeros((len(fresh), self.coef.shape[1]))
        self.columns.change(at_hand, fresh)
        self.coef = np.concatenate([self.coef[:m][at_hand], new, self.coef[m:]])
        self.restricted = self.objective.restrict(self.index, self.columns.matrix)
        self.n_joined = len(fresh)

    def theta(self) -> np.ndarray:
        """Θ on all candidates."""
        theta, m = np.zeros(self.objective.shape), len(self.index)
        theta[self.index], theta[len(self.objective.columns) :] = self.coef[:m], self.coef[m:]
        return theta

    def value(self) -> float:
        """J(Θ)."""
        return self.restricted.value(self.coef, self.F)[0]
