"""Sparse kernel models on few columns of the kernel matrix: the default solver.

A sparse solution needs few centres, so the problem is solved on a working set of them.  One product with
the whole kernel matrix then gives the slope of every candidate; those steeper than the penalty join, and
the solution is optimal on all candidates once none is.  Only the columns of the working set are held.

Most steps are spent on the way to about the right set.  With many rows that way is gone on a sample of them,
each with the weight of those it stands for, whose kernel matrix is small enough to be held; with groups of
many entries it sets out from a lasso (`group_interior`).
"""

from dataclasses import replace

import numpy as np

from kernelproba.basis.columns import HELD_ROWS, WorkingColumns
from kernelproba.penalties import Lasso
from kernelproba.solvers.solution import Solution
from kernelproba.solvers.sparse.group_accelerated import accelerated_start
from kernelproba.solvers.sparse.group_interior import InteriorPath
from kernelproba.solvers.sparse.group_smoothing import DENSE_SIZE, group_newton
from kernelproba.solvers.sparse.objective import SparseObjective
from kernelproba.solvers.sparse.pair_newton import pair_newton
from kernelproba.solvers.sparse.pair_problem import PairProblem
from kernelproba.solvers.sparse.proximal_newton import NEGLIGIBLE, Point, proximal_newton
from kernelproba.solvers.sparse.quadratic_model import JOINT_SIZE
from kernelproba.solvers.sparse.stall import Stall

#: Candidates that join at once, at least: so many, and so many per score; and at most.
SMALLEST_BATCH, BATCH_PER_SCORE, LARGEST_BATCH = 32, 8, 1500
#: Rows beyond which every score has centres of its own; pairs that join at once: at least, and per pair used.
PAIR_ROWS, LEAST_PAIRS, MORE_PAIRS = 1000, 30, 1.0
#: Slope of the null model up to which groups follow a path: with weaker penalties its beginning takes long.
MODERATE = 1e4
#: Weight of the loss in that lasso, since norms cost less than absolute values, and its residual.
LASSO_STRENGTH, LASSO_TOL = 1.5, 1.0
#: Accelerated steps from the null model on all candidates.
FIRST_STEPS = 75
#: A restricted problem is solved to this share of the residual outside.
GOAL = 0.2
#: And with groups: before that smoothing leaves most rows next to zero, and the working set would keep them.
GROUP_GOAL = 0.03
#: And with groups of so many entries that these are cleared away.
MANY_GOAL = 0.1
#: Most rounds; a well-posed problem takes about ten.
ROUNDS = 100
#: Rounds in a row without progress after which there will be none.
STALLED_ROUNDS = 3
#: Share of the objective, or of the residual, that a round without any new centre must gain: rounding let the
#: one before fall short of its goal, and may go on to do so for a thousand steps.
REPEATED_ROUNDS = 2
REPEATED_GAIN = {"value_gain": 0.1, "residual_gain": 0.7}
#: Residual to which a sample of the rows is worth being fitted.
SAMPLE_TOL = 10.0


def working_set(objective: SparseObjective, start: np.ndarray, *, tol: float, max_iter: int) -> Solution:
    """Minimise J over all candidates from Θ (n + 1, k); stop once the residual is ≤ tol on all of them.

    `max_iter` bounds the Newton steps in total.  Restricted problems are solved no more exactly than the
    slopes outside call for.
    """
    n_iter, least = 0, np.inf
    is_grouped = objective.penalty.is_grouped
    # Groups of a sample, whose penalty is the same, fit its rows all too well: the null model is nearer.
    if not (objective.columns.held or is_grouped or start[: len(objective.columns)].any()):
        start, n_iter = _fit_sample(objective, max_iter)
    state, stall = WorkingState(objective, start), Stall(STALLED_ROUNDS)
    if is_grouped and state.D.size > DENSE_SIZE and not len(state.index) and tol < state.residual <= MODERATE:
        state, n_iter = _follow_path(state, tol, max_iter)
    repeats = Stall(REPEATED_ROUNDS, **REPEATED_GAIN)
    for _ in range(ROUNDS):
        if state.residual <= tol or n_iter >= max_iter or stall.seen(state.value(), state.residual):
            break
        share = state.goal_share()
        # A round may end steeper than it began; a goal as coarse would be met in one step, and cost a round.
        least = min(least, state.residual)
        goal, left = max(0.5 * tol, share * least), max_iter - n_iter
        before = state.value(), state.residual
        n_iter += state.solve_pairs(goal, left) if state.in_pairs() else state.solve_rows(goal, left)
        now = state.value(), state.residual
        # Without a new centre a round that has not moved would not move again.
        if state.n_joined == 0 and (now == before or repeats.seen(*now)):
            break
    return Solution(state.theta(), state.value(), state.residual, n_iter, bool(state.residual <= tol))


def _follow_path(state: "WorkingState", tol: float, max_iter: int) -> tuple["WorkingState", int]:
    """Groups along a path, and the steps taken: from all candidates where they are few, else from a lasso."""
    objective, n_iter = state.objective, 0
    n = len(objective.columns)
    if n <= PAIR_ROWS:
        start = accelerated_start(objective.restrict(np.arange(n)), objective.null_model(), FIRST_STEPS)
    else:
        lasso = replace(objective, penalty=Lasso(), weights=LASSO_STRENGTH * objective.weights)
        solution = working_set(lasso, lasso.null_model(), tol=LASSO_TOL, max_iter=max_iter)
        start, n_iter = solution.coef, solution.n_iter
    begun = WorkingState(objective, start)
    # Few centres are fitted exactly in no time.
    if begun.coef.size > DENSE_SIZE:
        value = begun.value()
        n_iter += InteriorPath(begun).follow(tol, max_iter - n_iter)
        if not begun.value() <= value:
            begun = WorkingState(objective, start)
    return begun, n_iter


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


class WorkingState:
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

    @property
    def W(self) -> np.ndarray:
        """W on the working set."""
        return self.coef[: len(self.index)]

    def accept(self, coef: np.ndarray, scores: np.ndarray | None = None, *, level: bool = False) -> None:
        """Take over Θ on the working set, with better intercepts if wanted, and look at all candidates."""
        self.coef = coef
        self.restricted = self.objective.restrict(self.index, self.columns.matrix)
        self.F = self.restricted.scores(coef) if scores is None else scores
        if level and self.objective.fit_intercept:
            # Scores that were held fixed have drifted a little each, rough solutions too, and the intercepts
            # feel the sum.
            step = self.objective.intercept_step(self.F)
            self.coef[-1] += step
            self.F += step
        self.G = self.objective.score_gradient(self.F)
        self.D, self.at_intercept = self.objective.gradient(self.G)
        penalty, W = self.objective.penalty, np.zeros_like(self.D)
        W[self.index] = self.W
        self.subgradient = penalty.subgradient(W, self.D)
        self.slope = penalty.dual_norm(self.subgradient)
        self.residual = float(max(self.slope.max(initial=0.0), np.abs(self.at_intercept).max(initial=0.0)))

    def goal_share(self) -> float:
        """Share of the residual to which the next restricted problem is solved."""
        if not self.objective.penalty.is_grouped:
            return GOAL
        return GROUP_GOAL if self.coef.size <= DENSE_SIZE else MANY_GOAL

    def in_pairs(self) -> bool:
        """Whether each score should have a working set of its own."""
        objective, used = self.objective, int(np.count_nonzero(self.coef))
        entries = used + objective.n_scores * LEAST_PAIRS
        return (
            len(objective.columns) > PAIR_ROWS and not objective.penalty.is_grouped and entries > JOINT_SIZE
        )

    def solve_rows(self, tol: float, max_iter: int) -> int:
        """Solve the problem on the steepest centres, for all scores; return the steps taken."""
        self._extend(self._steepest())
        solve = group_newton if self.objective.penalty.is_grouped else proximal_newton
        solution = solve(self.restricted, self.coef, tol=tol, max_iter=max_iter)
        many = self.objective.penalty.is_grouped and solution.coef.size > DENSE_SIZE
        self.accept(solution.coef, level=many)
        return solution.n_iter

    def solve_pairs(self, tol: float, max_iter: int) -> int:
        """Solve the problem on the steepest pairs of centres and scores; return the steps taken."""
        steepest = self._steepest_pairs()
        self._extend(np.flatnonzero(steepest.any(axis=1)))
        objective, m = self.objective, len(self.index)
        wanted = steepest[self.index] | (self.coef[:m] != 0)
        problem = PairProblem(
            objective.loss,
            objective.y,
            objective.weights,
            self.columns.matrix.T,
            [np.flatnonzero(wanted[:, k]) for k in range(objective.n_scores)],
            self.coef,
            self.F,
            self.G,
            np.concatenate([self.D[self.index], self.at_intercept.reshape(-1, objective.n_scores)]),
            NEGLIGIBLE * min(1.0, self.residual**0.5),
        )
        taken = pair_newton(problem, tol=tol, max_iter=max_iter)
        self.accept(problem.theta, level=True)
        return taken

    def point(self) -> Point:
        """Θ on the working set."""
        return Point(self.restricted, self.coef, self.F)

    def slopes_outside(self) -> np.ndarray:
        """Norms of the slopes of all candidates, zero in the working set, (n,)."""
        outside = self.objective.penalty.dual_norm(self.D)
        outside[self.index] = 0.0
        return outside

    def join(self, values: np.ndarray, count: int) -> None:
        """Keep the centres in use and add those of the largest values > 0, at most so many."""
        self._extend(_largest(values, count))

    def _steepest(self) -> np.ndarray:
        """The steepest of the centres not in use."""
        used = self.coef[: len(self.index)].any(axis=1)
        outside = self.slope.copy()
        outside[self.index[used]] = 0.0
        batch = max(SMALLEST_BATCH, BATCH_PER_SCORE * self.objective.n_scores, int(0.7 * used.sum()))
        batch = min(batch, LARGEST_BATCH)
        return _largest(outside, batch)

    def _steepest_pairs(self) -> np.ndarray:
        """The steepest of the pairs that are not in use, as a mask (n, k)."""
        used = np.zeros(self.D.shape, dtype=bool)
        used[self.index] = self.coef[: len(self.index)] != 0
        outside, steepest = np.where(used, 0.0, np.abs(self.subgradient)), np.zeros_like(used)
        for k, count in enumerate(used.sum(axis=0)):
            steepest[_largest(outside[:, k], max(LEAST_PAIRS, int(MORE_PAIRS * count))), k] = True
        return steepest

    def _extend(self, joined: np.ndarray) -> None:
        """Keep the centres in use and add others, whether they were in before or not."""
        m, used = len(self.index), self.coef[: len(self.index)].any(axis=1)
        at_hand = np.isin(self.index, joined) | used
        fresh = np.setdiff1d(joined, self.index[at_hand])
        before = self.theta()
        self.columns.change(at_hand, fresh)
        self.coef = np.concatenate([before[self.index], self.coef[m:]])
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


def _largest(values: np.ndarray, count: int) -> np.ndarray:
    """Positions of the largest values > 0, at most so many."""
    first = np.argsort(-values, kind="stable")[:count]
    return first[values[first] > 0]
