"""Rows on which a smaller model learns to agree with a larger one.

The rows that a model was fitted on are not enough: on them it is surer than elsewhere.  Mixtures of two of
them take the place of new rows, for which labels are not needed: the larger model gives the probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from kernelproba.typing import Matrix

#: Shares of the first of two rows in their mixture.
SHARES = (0.3, 0.7)
#: Mixtures for every row.
MIXTURES = 3
#: Of so many rows one is held out, to measure what the compression costs.
HELD_OUT = 5


@dataclass(frozen=True)
class DistillationRows:
    """The same rows as each member of a pool compares them, with mixtures at their end.

    Attributes
    ----------
    views : list of arrays of shape (n, d)
        One for each member.
    held_out : array of shape (h,)
        Numbers of the rows by which a compression is judged.
    """

    views: list[Matrix]
    held_out: np.ndarray

    @classmethod
    def of(cls, views: Sequence[Matrix], n_given: int, size: int, random_state: int = 0) -> DistillationRows:
        """Draw rows, and `MIXTURES` times as many mixtures.

        Parameters
        ----------
        views : sequence of arrays of shape (N, d)
            Rows; the last `n_given` are those that a user has given.
        n_given : int
            May be 0: then all rows count as such.
        size : int
            Most rows with mixtures.
        random_state : int, default=0
            Draws.
        """
        rng, n = np.random.RandomState(random_state), views[0].shape[0]
        kept = np.sort(rng.permutation(n)[: max(size // (1 + MIXTURES), 10)])
        judged = kept[kept >= n - n_given] if n_given else kept
        held_out = np.flatnonzero(np.isin(kept, judged))[::HELD_OUT]
        usual = np.delete(kept, held_out) if len(kept) > HELD_OUT else kept
        pairs = rng.choice(usual, (2, MIXTURES * len(kept)))
        share = rng.uniform(*SHARES, size=(pairs.shape[1], 1))
        return cls([_stacked(X[kept], _mixed(X, pairs, share)) for X in views], held_out)

    @property
    def fitted(self) -> np.ndarray:
        """Numbers of the rows that are not held out."""
        return np.delete(np.arange(self.views[0].shape[0]), self.held_out)


def _mixed(X: Matrix, pairs: np.ndarray, share: np.ndarray) -> Matrix:
    first, second = X[pairs[0]], X[pairs[1]]
    if sp.issparse(X):
        return sp.csr_array(first.multiply(share) + second.multiply(1 - share))
    return share * first + (1 - share) * second


def _stacked(X: Matrix, mixtures: Matrix) -> Matrix:
    return sp.csr_array(sp.vstack([X, mixtures])) if sp.issparse(X) else np.vstack([X, mixtures])
