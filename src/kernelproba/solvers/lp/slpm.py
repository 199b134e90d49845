"""Maximum contrast by sequential linear programming (SLPM) [1]_.

With the notation of `contrast_problem`: start from a = 1; maximise J_a, a linear programme; set a_i = 1
where d_i > −1, else 0; repeat while the contrast J rises.  It never falls, since each of the two steps
maximises the same J_a(β), once over β and once over a.

.. [1] P. Meinicke, T. Twellmann, H. Ritter, "Discriminative densities from maximum contrast estimation",
   NIPS 2002.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from kernelproba.solvers.lp.contrast_problem import ContrastProblem, Vertex

#: Margins so close below 1 are 1.
MET_MARGIN = 1e-9
#: Least cost of a penalty in units of the gain of a row, and largest α in units of that from which on equal
#: weights are optimal for a = 1: beyond these no programme can tell the difference.
LEAST_COST, MOST_ALPHA = 1e-6, 1e6


class Programme(Protocol):
    """A way to maximise J_a that remembers its last optimum."""

    def __init__(self, problem: ContrastProblem): ...

    def solve(self, alpha: float, active: np.ndarray) -> Vertex:
        """Return the optimum of J_a."""
        ...


@dataclass(frozen=True)
class ContrastFit:
    """What SLPM ended with.

    Parameters
    ----------
    alpha : float
        α.
    beta, margin : arrays of shape (n,)
        Weights, and d.
    active : bool array of shape (n,)
        a; rows that are False were switched off.
    history : array of shape (n_iter,)
        J after each linear programme.
    gap : float
        Bound on how far the last J_a is below its maximum.
    converged : bool
        Whether J had stopped rising.
    """

    alpha: float
    beta: np.ndarray
    margin: np.ndarray
    active: np.ndarray
    history: np.ndarray
    gap: float
    converged: bool


def contrast_path(
    problem: ContrastProblem,
    alphas: Iterable[float],
    programme: type[Programme],
    *,
    tol: float,
    max_iter: int,
) -> Iterator[ContrastFit]:
    """Fit each α, from the largest down, each first programme starting from the last one's.

    The first programme (a = 1) is concave, hence the same whichever way it is reached: each fit of the
    path is the fit of its α alone.  Weights w and α are those of w/u and α/u: programmes see a mean weight of
    one, and no α beyond what decides between them.

    Parameters
    ----------
    problem : ContrastProblem
        The problem.
    alphas : iterable of float
        Values of α > 0; inf gives equal weights.
    programme : subclass of Programme
        Solves the linear programmes.
    tol : float
        A fit ends once J rises by no more than that.
    max_iter : int
        Most linear programmes for each fit.
    """
    unit = float(problem.weight.mean())
    problem = replace(problem, weight=problem.weight / unit)
    solver, fit = programme(problem), None
    for alpha in sorted(alphas, reverse=True):
        if np.isinf(alpha):
            fit = _equal_weights(problem)
        elif fit is not None and (fit.margin >= 1 - MET_MARGIN).all():
            # No row can gain, and Ω is the least that serves them all: so it is for every smaller α.
            value = problem.value(fit.beta, fit.margin, alpha / unit)
            fit = replace(fit, history=np.array([value]))
        else:
            fit = _sequence(problem, alpha / unit, solver, tol=tol, max_iter=max_iter)
        yield replace(fit, alpha=alpha)


def _sequence(
    problem: ContrastProblem, alpha: float, programme: Programme, *, tol: float, max_iter: int
) -> ContrastFit:
    """Alternate between a and β from the optimum of J_1 on."""
    # Above, equal weights are optimal for every a; below, α is invisible beside the gain of one row.
    most = max(MOST_ALPHA * problem.largest_alpha, 1.0)
    telling = float(np.clip(alpha, LEAST_COST / len(problem.y), most))
    active, history, converged = np.ones(len(problem.y), dtype=bool), [], False
    vertex = programme.solve(telling, active)
    while True:
        history.append(problem.value(vertex.beta, vertex.margin, alpha))
        alive = vertex.margin > -1
        if np.array_equal(alive, active) or (len(history) > 1 and history[-1] - history[-2] <= tol):
            converged = True
        if converged or len(history) >= max_iter:
            break
        active = alive
        vertex = programme.solve(telling, active)
    gap = problem.bound(vertex.multipliers, active, telling) - problem.active_value(vertex, active, telling)
    return ContrastFit(alpha, vertex.beta, vertex.margin, alive, np.array(history), gap, converged)


def _equal_weights(problem: ContrastProblem) -> ContrastFit:
    """The limit α → ∞: the kernel density classifier."""
    beta = problem.equal_weights()
    margin, _ = problem.margins(problem.fields(beta))
    contrast = float(problem.importance @ np.clip(margin, -1, 1))
    return ContrastFit(np.inf, beta, margin, margin > -1, np.array([contrast]), 0.0, True)
