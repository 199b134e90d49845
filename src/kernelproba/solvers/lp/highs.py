"""Linear programmes through HiGHS: built in bulk, grown by columns and rows, solved from the last basis.

    min cᵀx    subject to    l ≤ x ≤ u,    L ≤ A x ≤ U

A programme keeps its simplex basis: after new costs, columns or rows the next `solve` starts from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from kernelproba.typing import Matrix

if TYPE_CHECKING:
    import highspy

FREE = np.inf
#: By how much a bound, or the sign of a dual, may be violated.
FEASIBILITY = 1e-9
#: Most simplex iterations of one solve: a well-posed programme takes about as many as it has rows.
MOST_PIVOTS = 100_000
#: Most steps of the interior-point method, which takes a few dozen or none of them leads on.
MOST_STEPS = 500
#: What is tried, each without a basis, where the usual way finds no optimum.
ATTEMPTS: tuple[dict[str, int | float | str], ...] = (
    {"simplex_strategy": 1},
    {"simplex_strategy": 4},
    {"simplex_strategy": 1, "simplex_scale_strategy": 2, "presolve": "on"},
    {"solver": "ipm"},
    {"primal_feasibility_tolerance": 1e-7, "dual_feasibility_tolerance": 1e-7, "simplex_scale_strategy": 2},
)


class ProgrammeFailed(ValueError):
    """HiGHS ended without an optimum, whichever way it was tried."""


@dataclass(frozen=True)
class Optimum:
    """An optimal vertex and its duals.

    Parameters
    ----------
    x : array of shape (columns,)
        The vertex.
    dual : array of shape (rows,)
        Duals of the rows, positive where the lower bound holds x back.
    n_pivots : int
        Simplex iterations of this solve.
    """

    x: np.ndarray
    dual: np.ndarray
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
        import highspy  # a tenth of a second that only linear programmes should wait for

        self._highs = highspy.Highs()
        options = {
            "output_flag": False,
            "threads": 1,
            "solver": "ipm" if method == "ipm" else "simplex",
            "simplex_strategy": 4 if method == "primal" else 1,
            "presolve": "on" if presolve else "off",
            "small_matrix_value": 1e-12,  # entries below are dropped
            "simplex_scale_strategy": 0,  # kernel values are on one scale; tolerances then mean what they say
            "simplex_iteration_limit": MOST_PIVOTS,
            "ipm_iteration_limit": MOST_STEPS,
            "primal_feasibility_tolerance": FEASIBILITY,
            "dual_feasibility_tolerance": FEASIBILITY,
        }
        self._set(options)
        self._n_rows, self._n_columns = 0, 0

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._n_rows, self._n_columns

    def add_columns(
        self, cost: ArrayLike, lower: ArrayLike, upper: ArrayLike, matrix: Matrix | None = None
    ) -> np.ndarray:
        """Append columns and return their positions.

        Parameters
        ----------
        cost, lower, upper : arrays of shape (m,)
            c, l and u.
        matrix : sparse or dense array of shape (rows, m), optional
            Entries in the rows that are there already; none if not given.
        """
        cost = np.asarray(cost, dtype=np.float64)
        low, high = np.stack([np.broadcast_to(b, cost.shape) for b in (lower, upper)])
        entries = np.zeros((len(cost), 0)) if matrix is None else matrix.T
        self._demand(self._highs.addCols(len(cost), cost, low, high, *_compressed(entries)))
        self._n_columns += len(cost)
        return np.arange(self._n_columns - len(cost), self._n_columns)

    def add_rows(self, lower: ArrayLike, upper: ArrayLike, matrix: Matrix) -> np.ndarray:
        """Append rows ``lower ≤ matrix x ≤ upper`` and return their positions.

        Parameters
        ----------
        lower, upper : arrays of shape (m,)
            L and U.
        matrix : sparse or dense array of shape (m, columns)
            Entries in the columns that are there already.
        """
        m = matrix.shape[0]
        low, high = np.stack([np.broadcast_to(np.asarray(b, dtype=np.float64), m) for b in (lower, upper)])
        self._demand(self._highs.addRows(m, low, high, *_compressed(matrix)))
        self._n_rows += m
        return np.arange(self._n_rows - m, self._n_rows)

    def set_cost(self, columns: np.ndarray, cost: np.ndarray) -> None:
        """Replace the costs of some columns; the basis stays."""
        self._highs.changeColsCost(len(columns), np.asarray(columns, dtype=np.int32), cost)

    def set_bounds(self, columns: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
        """Replace l and u of some columns; the basis stays."""
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
        n_pivots = self._highs.getInfo().simplex_iteration_count
        return Optimum(np.array(solution.col_value), np.array(solution.row_dual), n_pivots)

    def _run(self) -> None:
        """Run HiGHS; if that fails, without the basis, by other methods, scaled, less exactly."""
        self._highs.run()
        if self._optimal():
            return
        usual = {name: self._highs.getOptionValue(name)[1] for attempt in ATTEMPTS for name in attempt}
        for attempt in ATTEMPTS:
            self._set({**usual, **attempt})
            self._highs.clearSolver()
            self._highs.run()
            if self._optimal():
                break
        else:
            status = self._highs.modelStatusToString(self._highs.getModelStatus())
            raise ProgrammeFailed(self._complaint(status))
        self._set(usual)

    def _set(self, options: Mapping[str, int | float | str]) -> None:
        for name, value in options.items():
            self._highs.setOptionValue(name, value)

    def _demand(self, status: "highspy.HighsStatus") -> None:
        """Refuse entries that HiGHS does not take."""
        import highspy

        if status == highspy.HighsStatus.kError:
            raise ProgrammeFailed(self._complaint("entries beyond 1e15"))

    def _complaint(self, status: str) -> str:
        return (
            f"A linear programme of {self.shape[0]} rows and {self.shape[1]} columns has no optimum that "
            f"HiGHS can find ({status}): kernel values, weights or penalties are too far apart. Scale X, "
            "choose another gamma, or bring sample_weight, class_weight and C or alpha nearer to 1."
        )

    def _optimal(self) -> bool:
        import highspy

        return self._highs.getModelStatus() == highspy.HighsModelStatus.kOptimal


def _compressed(matrix: Matrix) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Return number of entries, starts, indices and values of the rows of a matrix, as HiGHS takes them."""
    if sp.issparse(matrix):
        matrix = sp.csr_array(matrix)
        starts, index, values = matrix.indptr[:-1], matrix.indices, matrix.data
    else:
        rows, index = np.nonzero(matrix)
        starts, values = np.searchsorted(rows, np.arange(matrix.shape[0])), matrix[rows, index]
    return len(values), starts.astype(np.int32), index.astype(np.int32), values.astype(np.float64)
