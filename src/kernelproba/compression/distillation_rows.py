"""Rows on which a smaller model learns to agree with a larger one.

The rows that a model was fitted on are not enough: on them it is surer than elsewhere, and a smaller model
that agrees on them need not agree on others.  Rows like them are made up, for which labels are not needed, as
the larger model gives the probabilities.  Of neighbours a and b, of a row x::

    crossover:  each feature from a or from b          step:  x + t (b − a),  −1 < t < 1

Both stay where rows are: a crossover has values that occur, and a step goes where neighbours differ.  Sparse
rows stay sparse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from kernelproba.typing import Matrix

#: Rows that are made up for every row.
INVENTED = 8
#: Neighbours of a row, and rows among which they are looked for at most.
NEIGHBOURS, AMONG = 20, 2000
#: Ways to divide the features between two rows.
DIVISIONS = 64
#: Of so many rows one is held out, to measure what the compression costs; of many rows no more than enough.
HELD_OUT, ENOUGH = 5, 300


@dataclass(frozen=True)
class DistillationRows:
    """The same rows as each member of a pool compares them, with others like them at their end.

    Attributes
    ----------
    views : list of arrays of shape (n, d)
        One for each member.
    held_out : array of shape (h,)
        Numbers of the rows by which a compression is judged.
    n_real : int
        Rows that are not made up, the first ones.
    """

    views: list[Matrix]
    held_out: np.ndarray
    n_real: int

    @classmethod
    def of(cls, views: Sequence[Matrix], n_given: int, size: int, random_state: int = 0) -> DistillationRows:
        """Draw rows, and make up `INVENTED` times as many.

        Parameters
        ----------
        views : sequence of arrays of shape (N, d)
            Rows; the last `n_given` are those that a user has given.
        n_given : int
            May be 0: then all rows count as such.
        size : int
            Most rows in all.
        random_state : int, default=0
            Draws.
        """
        rng, n = np.random.RandomState(random_state), views[0].shape[0]
        kept = np.sort(rng.permutation(n)[: max(size // (1 + INVENTED), 10)])
        judged = kept[kept >= n - n_given] if n_given else kept
        held_out = np.flatnonzero(np.isin(kept, judged))[:: max(HELD_OUT, len(judged) // ENOUGH)]
        usual = np.delete(kept, held_out) if len(kept) > HELD_OUT else kept
        others = _invented([X[usual] for X in views], INVENTED * len(kept), rng)
        stacked = [_stacked(X[kept], made) for X, made in zip(views, others, strict=True)]
        return cls(stacked, held_out, len(kept))

    @property
    def fitted(self) -> np.ndarray:
        """Numbers of the rows that are not held out."""
        return np.delete(np.arange(self.views[0].shape[0]), self.held_out)

    def many(self, size: int, random_state: int = 1) -> list[Matrix]:
        """So many rows in every view: those that are neither held out nor made up, then others like them."""
        usual = np.delete(np.arange(self.n_real), self.held_out)
        usual = usual if len(usual) else np.arange(self.n_real)
        real = [X[usual] for X in self.views]
        made = _invented(real, max(0, size - len(usual)), np.random.RandomState(random_state))
        return [_stacked(X, others) for X, others in zip(real, made, strict=True)]


def _invented(views: list[Matrix], size: int, rng: np.random.RandomState) -> list[Matrix]:
    """Make up so many rows, the same in every view."""
    n = views[0].shape[0]
    a, b = _neighbours(views[0], size, rng)
    cut = size // 2
    start, step = rng.choice(n, size - cut), rng.uniform(-1, 1, (size - cut, 1))
    division, seed = rng.randint(DIVISIONS, size=cut), rng.randint(2**31 - 1)
    made = []
    for X in views:
        first = np.random.RandomState(seed).uniform(size=(DIVISIONS, X.shape[1])) < 0.5
        crossed = _part(X[a[:cut]], first, division) + _part(X[b[:cut]], ~first, division)
        moved = X[start] + _times(X[b[cut:]] - X[a[cut:]], step)
        made.append(_stacked(crossed, moved))
    return made


def _part(X: Matrix, kept: np.ndarray, which: np.ndarray) -> Matrix:
    """Rows X (n, d) with 0 in the features that are not among kept[which] (n, d)."""
    if not sp.issparse(X):
        return np.where(kept[which], X, 0.0)
    X = sp.coo_array(X)
    own = kept[which[X.row], X.col]
    return sp.csr_array((X.data[own], (X.row[own], X.col[own])), shape=X.shape)


def _times(X: Matrix, factors: np.ndarray) -> Matrix:
    """Rows X (n, d) times factors (n, 1)."""
    return sp.csr_array(sp.csr_array(X).multiply(factors)) if sp.issparse(X) else factors * X


def _neighbours(X: Matrix, size: int, rng: np.random.RandomState) -> np.ndarray:
    """Draw pairs (2, size) of numbers of rows that are near each other."""
    n = X.shape[0]
    among = rng.permutation(n)[:AMONG]
    k = min(NEIGHBOURS, len(among) - 1)
    search = NearestNeighbors(n_neighbors=k + 1, algorithm="brute").fit(X[among])
    first = rng.choice(n, size)
    used, place = np.unique(first, return_inverse=True)
    near = among[search.kneighbors(X[used], return_distance=False)[:, 1:]]
    second = near[place, rng.randint(k, size=size)] if k else first
    return np.stack([first, second])


def _stacked(X: Matrix, others: Matrix) -> Matrix:
    return sp.csr_array(sp.vstack([X, others])) if sp.issparse(X) else np.vstack([X, others])
