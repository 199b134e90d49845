"""Linear programmes through HiGHS: built in bulk, grown by columns and rows, solved from the last basis.

    min cᵀx    subject to    l ≤ x ≤ u,    L ≤ A x ≤ U

A programme keeps its simplex basis: after new costs, columns or rows the next `solve` starts from it.
"""

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
import scipy.sparse as sp

FREE = highspy.kHighsInf
#: By how much a bound, or the sign of a dual, may be violated.
FEASIBILITY = 1e-9


class ProgrammeFailed(RuntimeError):
    """HiGHS ended without an optimum."""


@dataclass(frozen=True)
class Optimum:
    """An optimal vertex, its duals, and how far they are from being a proof.

    Parameters
    ----------
    x, reduced_cost : arrays of shape (columns,)
        The vertex and the reduced costs z = c − Aᵀy.
    activity, dual : arrays of shape (rows,)
        A x, and the duals y of the rows, positive where the lower bound holds x back.
    value : float
        cᵀx.
    gap : float
        cᵀx minus the dual objective, ≥ 0 up to rounding.
    infeasibility : float
        Largest violation of a bound by x or A x, or by a dual of the wrong sign.
    n_pivots : int
        Simplex iterations of this solve.
    """

    x: np.ndarray
    reduced_cost: np.ndarray
    activity: np.ndarray
    dual: np.ndarray
    value: float
    gap: float
    infeasibility: float
    n_pivots: int


class LinearProgramme:
    """A growing linear programme.

    Parameters
    ----------
    method : {"primal", "dual", "ipm"}, default="dual"
        The simplex methods restart from the last basis; the interior-point method is followed by a
        crossover, so that all end at a vertex.
    presolve : bool, default=False
        Whether to reduce the programme first, which pays for large ones that are solved once.
    """

    def __init__(self, method: str = "dual", *, presolve: bool = False):
        self._highs: Any = highspy.Highs()
        options = {
            "output_flag": False,
            "threads": 1,
            "solver": "ipm" if method == "ipm" else "simplex",
            "simplex_strategy": 4 if method == "primal" else 1,
            "presolve": "on" if presolve else "off",
            "small_matrix_value": 1e-12,  # entries below are dropped
            "simplex_scale_strategy": 0,  # kernel values are on one scale; tolerances then mean what they say
            "primal_feasibility_tolerance": FEASIBILITY,
            "dual_feasibility_tolerance": FEASIBILITY,
        }
        for name, value in options.items():
            self._highs.setOptionValue(name, value)
        self._cost, self._bounds = np.empty(0), np.empty((2, 0))
        self._row_bounds = np.empty((2, 0))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._row_bounds.shape[1], len(self._cost)

    def add_columns(self, cost: Any, lower: Any, upper: Any, matrix: Any = None) -> np.ndarray:
        """Append columns and return their positions.

        Parameters
        ----------
        cost, lower, upper : arrays of shape (m,)
            c, l and u.
        matrix : sparse or dense array of shape (rows, m), optional
            Entries in the rows that are there already; none if not given.
        """
        cost = np.asarray(cost, dtype=np.float64)
        bounds = np.stack([np.broadcast_to(b, cost.shape) for b in (lower, upper)])
        entries = np.zeros((len(cost), 0)) if matrix is None else matrix.T
        self._highs.addCols(len(cost), cost, *bounds, *_compressed(entries))
        self._cost = np.append(self._cost, cost)
        self._bounds = np.append(self._bounds, bounds, axis=1)
        return np.arange(len(self._cost) - len(cost), len(self._cost))

    def add_rows(self, lower: Any, upper: Any, matrix: Any) -> np.ndarray:
        """Append rows ``lower ≤ matrix x ≤ upper`` and return their positions.

        Parameters
        ----------
        lower, upper : arrays of shape (m,)
            L and U.
        matrix : sparse or dense array of shape (m, columns)
            Entries in the columns that are there already.
        """
        m = matrix.shape[0]
        bounds = np.stack([np.broadcast_to(np.asarray(b, dtype=np.float64), m) for b in (lower, upper)])
        self._highs.addRows(m, *bounds, *_compressed(matrix))
        self._row_bounds = np.append(self._row_bounds, bounds, axis=1)
        return np.arange(self.shape[0] - m, self.shape[0])

    def set_cost(self, columns: np.ndarray, cost: np.ndarray) -> None:
        """Replace the costs of some columns; the basis stays."""
        self._cost[columns] = cost
        self._highs.changeColsCost(len(columns), np.asarray(columns, dtype=np.int32), self._cost[columns])

    def set_bounds(self, columns: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
        """Replace l and u of some columns; the basis stays."""
        self._bounds[:, columns] = lower, upper
        self._highs.changeColsBounds(len(columns), np.asarray(columns, dtype=np.int32), lower, upper)

    def solve(self) -> Optimum:
        """Return the optimum, starting from the basis of the last one.

        Raises
        ------
        ProgrammeFailed
            The programme is infeasible or unbounded, or HiGHS gave up.
        """
        self._run()
        solution = self._highs.getSolution()
        x, reduced_cost = np.array(solution.col_value), np.array(solution.col_dual)
        activity, dual = np.array(solution.row_value), np.array(solution.row_dual)
        value = float(self._cost @ x)
        columns, rows = (
            _bound_terms(x, reduced_cost, self._bounds),
            _bound_terms(activity, dual, self._row_bounds),
        )
        return Optimum(
            x=x,
            reduced_cost=reduced_cost,
            activity=activity,
            dual=dual,
            value=value,
            gap=value - columns[0] - rows[0],
            infeasibility=max(columns[1], rows[1]),
            n_pivots=self._highs.getInfo().simplex_iteration_count,
        )

    def _run(self) -> None:
        """Run HiGHS; if a basis has gone bad, once more without it, by the other simplex method."""
        self._highs.run()
        if self._optimal():
            return
        _, strategy = self._highs.getOptionValue("simplex_strategy")
        self._highs.setOptionValue("simplex_strategy", 1 if strategy == 4 else 4)
        self._highs.clearSolver()
        self._highs.run()
        self._highs.setOptionValue("simplex_strategy", strategy)
        if not self._optimal():
            status = self._highs.modelStatusToString(self._highs.getModelStatus())
            raise ProgrammeFailed(f"HiGHS ended with {status!r}")

    def _optimal(self) -> bool:
        return self._highs.getModelStatus() == highspy.HighsModelStatus.kOptimal


def _compressed(matrix: Any) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Return number of entries, starts, indices and values of the rows of a matrix, as HiGHS takes them."""
    if sp.issparse(matrix):
        matrix = sp.csr_array(matrix)
        starts, index, values = matrix.indptr[:-1], matrix.indices, matrix.data
    else:
        rows, index = np.nonzero(matrix)
        starts, values = np.searchsorted(rows, np.arange(matrix.shape[0])), matrix[rows, index]
    return len(values), starts.astype(np.int32), index.astype(np.int32), values.astype(np.float64)


def _bound_terms(values: np.ndarray, duals: np.ndarray, bounds: np.ndarray) -> tuple[float, float]:
    """Return Σ dual·bound, the part of the dual objective, and the largest infeasibility."""
    lower, upper = bounds
    active = np.where(duals > 0, lower, upper)
    barred = ~np.isfinite(active)  # a dual where there is no bound to hold x back
    objective = duals[~barred] @ active[~barred]
    wrong = np.abs(duals[barred]).max(initial=0.0)
    outside = np.maximum(lower - values, values - upper).max(initial=0.0)
    return float(objective), float(max(wrong, outside))
