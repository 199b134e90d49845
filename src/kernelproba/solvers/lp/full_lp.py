"""The linear programmes of maximum contrast, written out in full.

    max Σ_i a_i v_i ξ_i − α (m s + h Σ_j t_j)    over β ≥ 0, ξ ≤ 1, t, s ≥ 1

    Σ_{l∈I_y} P_y β_l κ(x_i, x_l) − Σ_{l∈I_k} P_k β_l κ(x_i, x_l) − ξ_i ≥ 0      every i, y = y_i, k ≠ y
    w_i t_j − β_i ≥ 0                                                        every i, j = y_i
    Σ_{i∈I_j} β_i − s = 0                                                    every j

with the costs m and h of Ω.  n(c−1) dense rows: the restricted programmes have the same optimum sooner.
"""

import numpy as np
import scipy.sparse as sp

from kernelproba.solvers.lp.contrast_problem import ContrastProblem, Vertex
from kernelproba.solvers.lp.highs import FREE, LinearProgramme


class DenseContrast:
    """Maximises J_a by one linear programme, whose costs change with α and a.

    Parameters
    ----------
    problem : ContrastProblem
        The problem.
    """

    def __init__(self, problem: ContrastProblem):
        n, c = len(problem.y), problem.n_classes
        self.problem, self._programme = problem, LinearProgramme("dual")
        self._beta = self._programme.add_columns(np.zeros(n), 0.0, FREE)
        self._xi = self._programme.add_columns(np.zeros(n), -FREE, 1.0)
        self._t = self._programme.add_columns(np.zeros(c), 0.0, FREE)
        self._s = self._programme.add_columns(np.zeros(1), 1.0, FREE)
        self._pairs = np.array([(i, k) for i in range(n) for k in range(c) if k != problem.y[i]])
        self._margins = self._programme.add_rows(np.zeros(len(self._pairs)), FREE, self._margin_rows())
        self._programme.add_rows(np.zeros(n + c), np.r_[np.full(n, FREE), np.zeros(c)], self._side_rows())

    def _margin_rows(self) -> sp.csr_array:
        problem, (row, rival) = self.problem, self._pairs.T
        y, K = problem.y, problem.gram.rows(row)
        own = (y[row][:, np.newaxis] == y) * 1.0 - (rival[:, np.newaxis] == y)
        slack = sp.csr_array((-np.ones(len(row)), (np.arange(len(row)), row)), shape=(len(row), len(y)))
        rest = sp.csr_array((len(row), problem.n_classes + 1))
        return sp.hstack([sp.csr_array(own * K * problem.priors[y]), slack, rest], format="csr")

    def _side_rows(self) -> sp.csr_array:
        problem, n, c = self.problem, len(self.problem.y), self.problem.n_classes
        members = sp.csr_array((np.ones(n), (np.arange(n), problem.y)), shape=(n, c))
        heights = members.multiply(problem.weight[:, np.newaxis])
        limits = sp.hstack([-sp.eye_array(n), sp.csr_array((n, n)), heights, sp.csr_array((n, 1))])
        masses = sp.hstack([members.T, sp.csr_array((c, n + c)), sp.csr_array(-np.ones((c, 1)))])
        return sp.csr_array(sp.vstack([limits, masses]))

    def solve(self, alpha: float, active: np.ndarray) -> Vertex:
        """Return the optimum of J_a.

        Parameters
        ----------
        alpha : float
            α > 0.
        active : bool array of shape (n,)
            a.
        """
        problem, n, c = self.problem, len(self.problem.y), self.problem.n_classes
        # Times n, so that HiGHS's absolute tolerances suit the costs.
        self._programme.set_cost(self._xi, -n * problem.importance * active)
        self._programme.set_cost(self._t, np.full(c, n * alpha * problem.height_cost))
        self._programme.set_cost(self._s, np.full(1, n * alpha * problem.mass_cost))
        optimum = self._programme.solve()
        beta = np.maximum(optimum.x[self._beta], 0.0)
        margin, _ = problem.margins(problem.fields(beta))
        row, rival = self._pairs.T
        dual, multipliers = optimum.dual[self._margins] / n, np.zeros((n, c))
        np.add.at(multipliers, (row, problem.y[row]), dual)
        np.add.at(multipliers, (row, rival), -dual)
        return Vertex(beta, margin, multipliers)
