"""HOW an objective is minimised: functions ``(objective, start, *, tol, max_iter) → Solution``."""

from .irls import irls
from .lbfgs import lbfgs
from .newton_cg import newton_cg
from .newton_cholesky import newton_cholesky
from .solution import Solution

#: Solvers of an `Objective`; `irls` takes a `KernelObjective`.
SOLVERS = {
    "lbfgs": lbfgs,
    "newton-cg": newton_cg,
    "newton-cholesky": newton_cholesky,
}

__all__ = ["SOLVERS", "Solution", "irls", "lbfgs", "newton_cg", "newton_cholesky"]
