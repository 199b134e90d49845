"""How the solver of a fit has fared: kept with the model, and told where it has not converged."""

from collections.abc import Sequence

from sklearn.exceptions import ConvergenceWarning

from kernelproba.caller_warning import warn_caller
from kernelproba.solvers import Solution


class SolverReport:
    """Attributes of a model that a solver has fitted to a tolerance `tol`."""

    tol: float
    n_iter_: int
    objective_: float
    residual_: float

    def _report(self, solutions: Sequence[Solution]) -> None:
        """Keep how the solver fared, and warn where it did not converge."""
        self.n_iter_ = max(solution.n_iter for solution in solutions)
        self.objective_ = sum(solution.value for solution in solutions)
        self.residual_ = max(solution.residual for solution in solutions)
        failed = [solution for solution in solutions if not solution.converged]
        if failed:
            where = f" in {len(failed)} of {len(solutions)} pairs" if len(solutions) > 1 else ""
            warn_caller(
                f"The solver stopped{where} after {self.n_iter_} iterations with a residual of "
                f"{self.residual_:.1e}, above tol={self.tol:g}. Raise max_iter or tol, lower C, or scale "
                "the features.",
                ConvergenceWarning,
            )
