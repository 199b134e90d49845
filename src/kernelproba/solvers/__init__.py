"""HOW an objective is minimised: functions ``(objective, start, *, tol, max_iter) → Solution``."""

from kernelproba.solvers.smooth.irls import irls
from kernelproba.solvers.smooth.lbfgs import lbfgs
from kernelproba.solvers.smooth.newton_cg import newton_cg
from kernelproba.solvers.smooth.newton_cholesky import newton_cholesky
from kernelproba.solvers.solution import Solution

#: Solvers of an `Objective`; `irls` takes a `KernelObjective`.
SOLVERS = {
    "lbfgs": lbfgs,
    "newton-cg": newton_cg,
    "newton-cholesky": newton_cholesky,
}

__all__ = ["SOLVERS", "Solution", "irls", "lbfgs", "newton_cg", "newton_cholesky"]
