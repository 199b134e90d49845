"""The linear programmes of maximum contrast by column and row generation.

The optimum for a large α is known (equal weights).  A smaller α is reached through a few values between,
each programme starting from what the last one found to be full, 0, met or linear: then little is wrong,
and a programme for thousands of rows has a few hundred.
"""

import math
from dataclasses import replace

import numpy as np

from kernelproba.solvers.lp.column_generation import MET, ActiveSet, Expansion, RestrictedMaster
from kernelproba.solvers.lp.contrast_problem import ContrastProblem, Vertex
from kernelproba.solvers.lp.highs import FREE, Optimum

#: α falls by at most exp(STEP/√n) between programmes: the more rows, the more of them change.
STEP = 15.0
#: A master programme with more explicit weights and cuts than that is built afresh.
LARGEST = 200


class RestrictedContrast:
    """Maximises J_a by master programmes.

    Parameters
    ----------
    problem : ContrastProblem
        The problem.
    """

    def __init__(self, problem: ContrastProblem):
        self.problem, n = problem, len(problem.y)
        self._sums = problem.gram.product(problem.spread(problem.weight))
        margin, rival = problem.equal_margins
        guess = ActiveSet(np.ones(n, dtype=bool), np.where(margin >= 1, MET, rival), n * problem.importance)
        self._guess = guess
        self._slopes = problem.gram.product(guess.multipliers(problem.y, problem.n_classes))
        self._alpha = problem.largest_alpha
        self._master: ContrastMaster | None = None

    def solve(self, alpha: float, active: np.ndarray) -> Vertex:
        """Return the optimum of J_a.

        Parameters
        ----------
        alpha : float
            α > 0.
        active : bool array of shape (n,)
            a.
        """
        n = len(active)
        gain = n * self.problem.importance * active
        if not np.array_equal(gain, self._guess.gain):
            self._move(replace(self._guess, gain=gain))
        steps = max(1, math.ceil(math.log(self._alpha / alpha) * math.sqrt(n) / STEP))
        for between in np.geomspace(self._alpha, alpha, steps + 1)[1:]:
            master = self._ready_master(between)
            master.solve()
        self._alpha = alpha
        return Vertex(master.beta(), master.margin, master.multipliers() / n)

    def _ready_master(self, alpha: float) -> "ContrastMaster":
        """Return the master programme of the last solve with new prices, or a fresh one if that has grown."""
        if self._master is not None and self._master.size > LARGEST:
            self._move(replace(self._master.settled(), gain=self._guess.gain))
            self._master = None
        if self._master is None:
            self._master = ContrastMaster(self.problem, self._expansion(), self._guess, alpha)
        else:
            self._master.alpha = alpha * len(self.problem.y)
            self._master.reprice(self._guess.gain, self._expansion().slope)
        return self._master

    def _expansion(self) -> Expansion:
        problem = self.problem
        slope = problem.own(self._slopes) * problem.priors[problem.y]
        return Expansion(problem.gram, problem.y, problem.priors, self._sums * problem.priors, slope)

    def _move(self, guess: ActiveSet) -> None:
        """Adopt a guess; sums and slopes change by the kernel rows whose part in them has changed."""
        problem, old = self.problem, self._guess
        share = problem.spread(problem.weight * (guess.full * 1.0 - old.full))
        self._sums = self._sums + problem.gram.product(share)
        new, previous = (g.multipliers(problem.y, problem.n_classes) for g in (guess, old))
        self._slopes = self._slopes + problem.gram.product(new - previous)
        self._guess = guess


class ContrastMaster(RestrictedMaster):
    """Master programme for J_a at one α, times n.

    z_j is t_j, the largest β_i/w_i of class j.  Full weights are w_i t_j; one that has become explicit is
    w_i t_j − x_i, another x_i, both with 0 ≤ x_i ≤ w_i t_j.
    """

    def __init__(self, problem: ContrastProblem, expansion: Expansion, guess: ActiveSet, alpha: float):
        self.problem, self.alpha = problem, alpha * len(problem.y)
        super().__init__(expansion, guess)

    def _found(self) -> np.ndarray:
        problem, c = self.problem, self.problem.n_classes
        full = np.bincount(problem.y, weights=problem.weight * self.guess.full, minlength=c)
        # Without its cuts the programme may be unbounded: s is never larger than this.
        largest = problem.largest_scale(self.alpha / len(problem.y))
        self.programme.add_columns([self.alpha * problem.mass_cost], 1.0, largest)
        z_at = self.programme.add_columns(self._z_cost(), 0.0, FREE)
        # Σ_{i∈I_j} β_i − s = 0
        self.programme.add_rows(np.zeros(c), 0.0, np.column_stack([-np.ones(c), np.diag(full)]))
        return z_at

    def _z_cost(self) -> np.ndarray:
        share = self.problem.weight * self.guess.full * self.expansion.slope
        earned = np.bincount(self.problem.y, weights=share, minlength=self.problem.n_classes)
        return self.alpha * self.problem.height_cost - earned

    def reprice(self, gain: np.ndarray, slope: np.ndarray) -> None:
        """Change u (n,), the slopes and, through `alpha`, the costs of s and t."""
        super().reprice(gain, slope)
        scale_at, largest = np.zeros(1, dtype=int), self.problem.largest_scale(self.alpha / len(gain))
        self.programme.set_cost(scale_at, np.array([self.alpha * self.problem.mass_cost]))
        self.programme.set_bounds(scale_at, np.ones(1), np.full(1, largest))

    def _cost(self, index: np.ndarray, sign: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mass = (np.arange(self.problem.n_classes)[:, np.newaxis] == self.problem.y[index]) * sign
        return np.zeros(len(index)), mass

    def _limit(self, index: np.ndarray, at: np.ndarray) -> None:
        """w_i t_j − x_i ≥ 0."""
        matrix = np.zeros((len(index), self.programme.shape[1]))
        matrix[np.arange(len(index)), self._z_at[self.problem.y[index]]] = self.problem.weight[index]
        matrix[np.arange(len(index)), at] = -1.0
        self.programme.add_rows(np.zeros(len(index)), FREE, matrix)

    def _prices(self, optimum: Optimum) -> np.ndarray:
        """Mass is scarce: the dual of its row is the price."""
        self.scale = float(optimum.x[0])
        return -optimum.dual[: self.problem.n_classes][self.problem.y]

    def beta(self) -> np.ndarray:
        """Return the weights (n,)."""
        limit = self.problem.weight * self.z[self.problem.y]
        beta = np.where(self.guess.full, limit, 0.0) + self.change
        beta[beta < 1e-9 * limit] = 0.0  # the rounding of w t − x
        return beta

    def settled(self) -> ActiveSet:
        """Return what the optimum suggests to take for granted next."""
        half = self.beta() > 0.5 * self.problem.weight * self.z[self.problem.y]
        clear = np.abs(self.profit) > 1e-6
        return ActiveSet(np.where(clear, self.profit > 0, half), self.rivals(), self.guess.gain)
