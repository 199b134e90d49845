"""The evidence over so many features that they cannot all be looked at in every step.

The search of `sequential` works on a *pool*: the features in the model, an even sample of all, and those that
promised most when all were last looked at.  After some actions, or once nothing in the pool raises the
evidence, all features are looked at again, block by block, with the posterior reached.  The search ends as
one over all features would: when those that promise most have been tried and none of them helps, nor a joint
change of all precisions.
"""

from dataclasses import replace
from typing import Protocol

import numpy as np

from kernelproba.kernels.blocks import row_blocks
from kernelproba.solvers.evidence.sequential import (
    TRIALS,
    EvidenceSolution,
    continued,
    maximise_evidence,
    promises,
)

#: Features up to which all of them are looked at in every step.
WHOLE = 2000
#: Size of the even sample, and how many of the most promising join it.
SAMPLE, BATCH = 400, 400
#: Actions after which all features are looked at again: greedier on fewer features ends at lower evidence.
ACTIONS = 20


class Features(Protocol):
    """Features that are computed when asked for."""

    def __len__(self) -> int:
        """How many there are."""

    def take(self, index: np.ndarray) -> np.ndarray:
        """Return those at `index` for all rows, (n, len(index)), in double precision."""


def maximise_evidence_in_pools(
    features: Features, sign: np.ndarray, weight: np.ndarray, *, tol: float, max_iter: int
) -> EvidenceSolution:
    """Maximise the evidence as `maximise_evidence` does, over features that are not held.

    Parameters
    ----------
    features : Features
        Candidates.
    sign, weight, tol, max_iter
        As in `maximise_evidence`.
    """
    every = np.arange(len(features))
    if len(every) <= WHOLE:
        return maximise_evidence(features.take(every), sign, weight, tol=tol, max_iter=max_iter)
    sample = every[:: -(-len(every) // SAMPLE)]
    pool, solution, n_iter = sample, None, 0
    while True:
        start = None if solution is None else solution.found_in(pool)
        actions = min(ACTIONS, max_iter - n_iter)
        found = continued(start, features.take(pool), sign, weight, tol=tol, max_iter=actions)
        n_iter += found.n_iter
        solution = replace(found.renumbered(pool), n_iter=n_iter)
        promising = _most_promising(features, solution, tol)
        tried = found.converged and np.isin(promising[:TRIALS], pool).all()
        if n_iter >= max_iter or tried:
            return solution
        pool = np.union1d(np.union1d(sample, solution.active), promising)


def _most_promising(features: Features, solution: EvidenceSolution, tol: float) -> np.ndarray:
    """Features that promise more than tol, by falling promise, at most a batch of them."""
    Phi_a = features.take(solution.active)
    a, gain = np.full(len(features), np.inf), np.empty(len(features))
    a[solution.active] = solution.precision
    for block in row_blocks(len(features), len(Phi_a)):
        Phi = features.take(np.arange(block.start, block.stop))
        gain[block] = promises(Phi, a[block], Phi_a, solution.posterior)[1]
    best = np.argsort(-gain, kind="stable")[:BATCH]
    return best[gain[best] > tol]
