"""The solvers of sparse models: functions ``(objective, start, *, tol, max_iter) → Solution``."""

from kernelproba.solvers.sparse.bound_optimisation import bound_optimisation, exact_bound_optimisation
from kernelproba.solvers.sparse.working_set import working_set

SPARSE_SOLVERS = {
    "working-set": working_set,
    "bound": bound_optimisation,
    "bound-newton": exact_bound_optimisation,
}

__all__ = ["SPARSE_SOLVERS", "bound_optimisation", "exact_bound_optimisation", "working_set"]
