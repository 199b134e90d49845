"""Newton's method for the lasso on pairs of centres and scores (`pair_problem`).

Two steps alternate, as in `proximal_newton`.  The second-order model plus the penalty is minimised by the
scores in turns, each exactly given the steps of the others; that finds the support.  On the support J is
smooth, and a Newton step by conjugate gradients has the curvature between scores, too.  The blocks of the
model are their preconditioner.
"""

import numpy as np
from scipy.linalg import lapack

from kernelproba.linalg import jittered_cholesky
from kernelproba.solvers.conjugate_gradient import conjugate_gradient
from kernelproba.solvers.sparse.lasso_quadratic import lasso_quadratic
from kernelproba.solvers.sparse.newton_system import damped, damping
from kernelproba.solvers.sparse.pair_problem import PairBlock, PairProblem, moved_scores, products

#: How often each score has its turn.
TURNS = 2
#: Most steps on one set of pairs: other pairs will lead further.
STEPS = 5
#: Most conjugate gradients of a Newton step, and the share of the slope that they leave.
INNER_ITERATIONS, RTOL = 100, 0.3
#: Curvature of a row's loss in one score up to which it is left out of their products.
STRAIGHT = 1e-3


def pair_newton(problem: PairProblem, *, tol: float, max_iter: int) -> int:
    """Take steps until the residual is ≤ tol or no more lead on; return how many were taken."""
    for n_iter in range(min(STEPS, max_iter)):
        if problem.residual <= tol:
            return n_iter
        grams = _grams(problem)
        improved = problem.search(_model_step(problem, grams), stop_at_kinks=False, shortest=2.0**-20)
        reduced = problem.search(_reduced_step(problem, grams), stop_at_kinks=True, shortest=0.125)
        if not (improved or reduced):
            return n_iter
    return min(STEPS, max_iter)


def _grams(problem: PairProblem) -> list[np.ndarray]:
    """Diagonal blocks of the Hessian, one per score."""
    state, grams = problem.loss.curvature(problem.F), []
    for k, block in enumerate(problem.blocks):
        weights = problem.weights[block.rows] * problem.loss.curvature_block(state, k, k)[block.rows]
        scaled = block.Phi * np.sqrt(weights)
        grams.append(damped(scaled @ scaled.T))
    return grams


def _model_step(problem: PairProblem, grams: list[np.ndarray]) -> np.ndarray:
    """Step (p,) towards the minimum of the model plus the penalty."""
    loss, state = problem.loss, problem.loss.curvature(problem.F)
    step, bent = np.zeros_like(problem.x), np.zeros_like(problem.F)
    for _ in range(TURNS):
        for k, (block, Q) in enumerate(zip(problem.blocks, grams, strict=True)):
            at, rows = block.entries, block.rows
            # ∇ℓ + H D without the block's own part: that is in Q
            others = loss.curvature_column(state, bent, k) - loss.curvature_block(state, k, k) * bent[:, k]
            linear = problem.gradient[at] + block.Phi @ (problem.weights * others)[rows]
            x = problem.x[at]
            target = lasso_quadratic(
                Q, linear - Q @ x, problem.strength[at], x + step[at], tol=0.1 * problem.residual
            )
            step[at] = target - x
            bent[rows, k] = step[at] @ block.Phi
    return step


def _reduced_step(problem: PairProblem, grams: list[np.ndarray]) -> np.ndarray:
    """Newton step (p,) on the support."""
    free, system = problem.free, _SupportSystem(problem, grams)
    step = np.zeros_like(problem.x)
    step[free] = conjugate_gradient(
        system.product,
        -problem.slope[free],
        rtol=RTOL,
        max_iter=INNER_ITERATIONS,
        precondition=system.precondition,
    )
    return step


class _SupportSystem:
    """Hessian of J on the support, with its diagonal blocks as they were a step ago as a preconditioner.

    Products are bound by memory.  They are in single precision, which does for so rough a solution, and leave
    out what has next to no curvature; the slope that steps are judged by has all of it.
    """

    def __init__(self, problem: PairProblem, grams: list[np.ndarray]):
        self.loss, state = problem.loss, problem.loss.curvature(problem.F)
        self.state = state.astype(np.float32, order="F")
        self.weights = problem.weights.astype(np.float32)[:, None]
        kept = [np.flatnonzero(problem.free[block.entries]) for block in problem.blocks]
        edges = np.cumsum([0, *map(len, kept)])
        self.blocks = [
            _bent_block(problem, state, k, at, slice(edges[k], edges[k + 1])) for k, at in enumerate(kept)
        ]
        self.damping = damping(float(np.mean([np.trace(Q) / max(len(Q), 1) for Q in grams])))
        self.factors = [
            jittered_cholesky(Q[np.ix_(at, at)], self.damping) if len(at) else Q[:0, :0]
            for Q, at in zip(grams, kept, strict=True)
        ]

    def product(self, v: np.ndarray) -> np.ndarray:
        """∇²J v."""
        moved = moved_scores(self.blocks, v.astype(np.float32), self.state)
        bent = self.weights * self.loss.curvature_product(self.state, moved)
        return products(self.blocks, bent) + self.damping * v

    def precondition(self, r: np.ndarray) -> np.ndarray:
        """Solve with the diagonal blocks."""
        out = np.empty_like(r)
        for block, factor in zip(self.blocks, self.factors, strict=True):
            if len(factor):
                out[block.entries] = lapack.dpotrs(factor, r[block.entries], lower=1)[0]
        return out


def _bent_block(problem: PairProblem, state: np.ndarray, k: int, at: np.ndarray, entries: slice) -> PairBlock:
    """Features `at` of score k in single precision, on the rows whose loss has curvature in it."""
    block = problem.blocks[k]
    bend = problem.weights[block.rows] * problem.loss.curvature_block(state, k, k)[block.rows]
    own = np.flatnonzero(bend > STRAIGHT)
    return PairBlock(entries, block.rows[own], block.Phi[np.ix_(at, own)].astype(np.float32))
