"""Pairwise models on fewer centres: each class keeps some of its own, which all of its pairs share.

Of many classes a pair has few centres, 23 of 300 with 26 letters, and coupling takes most of the time of a
prediction.  So one function per class, which has all centres, is tried as well; its centres alone may move.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from kernelproba.compression.class_functions import with_class_functions
from kernelproba.compression.distillation import MAX_ENTRIES, Anchor, Targets, distil
from kernelproba.compression.distillation_rows import DistillationRows
from kernelproba.compression.pools import PoolMember, SoftmaxPool
from kernelproba.compression.pursuit import MatchingPursuit, SharedCenters
from kernelproba.compression.reduced_functions import Reduced, ReducedFunction, pull_strength, with_centers
from kernelproba.coupling.pairs import class_pairs
from kernelproba.estimators import KernelLogisticRegression
from kernelproba.losses import Logistic
from kernelproba.typing import Matrix

#: Rows that two classes have a smaller probability of together say nothing of their pair.
LEAST_SHARE = 1e-3


class PairwiseFunctions:
    """A kernel logistic regression of every pair of classes, to be compressed.

    Parameters
    ----------
    model : KernelLogisticRegression
        Fitted with multi_class="pairwise".
    rows : array of shape (n, d)
        Rows as it compares them.
    n_given : int
        How many of them, the last ones, a user has given.
    moves : bool
        Whether centres of a Gaussian kernel may leave their rows.
    """

    def __init__(self, model: KernelLogisticRegression, rows: Matrix, n_given: int, moves: bool):
        self._model, self._X, self._n_given = model, rows, n_given
        self._moves = moves
        self._stops = np.cumsum(model.n_support_)
        self._starts = self._stops - model.n_support_
        self._pairs, self._expansions = class_pairs(len(model.classes_)), model.kernel_expansions()

    @property
    def n_centers(self) -> int:
        """Number of centres."""
        return len(self._model.support_)

    @property
    def largest(self) -> int:
        """The same."""
        return self.n_centers

    def reduce(self, size: int) -> Reduced:
        """Keep so many centres, for pairs or for one function per class, whichever says more of the same."""
        return min(self._pairs_on_rows(size), self._joint.reduce(size), key=lambda each: each.mean_kl)

    def _pairs_on_rows(self, size: int) -> Reduced:
        """Keep so many centres, one of each class at least, where they are."""
        model = self._model
        rows = DistillationRows.of([self._X], self._n_given, MAX_ENTRIES // max(size, 1))
        (X,) = rows.views
        log_P = model.predict_log_proba(X)
        chosen = self._chosen(size)
        dual, intercept = self._distilled(X[rows.fitted], np.exp(log_P[rows.fitted]), chosen)
        owner = self._owner(chosen)
        small = with_centers(model, chosen, dual, intercept)
        small.n_support_ = np.bincount(owner, minlength=len(model.classes_))
        targets = Targets(log_P[rows.held_out], np.ones(len(rows.held_out)))
        divergence = targets.mean_divergence(small.predict_log_proba(X[rows.held_out]))
        return Reduced([small], divergence, len(rows.held_out))

    @cached_property
    def _joint(self) -> SoftmaxPool:
        """One function per class, fitted to the coupled probabilities."""
        model = self._model
        strength = pull_strength(float(np.median(model.pair_C_)), self._X.shape[0])
        member = PoolMember(1.0, with_class_functions(model), self._X, strength)
        return SoftmaxPool([member], self._n_given, self._moves, log_proba=model.predict_log_proba)

    @cached_property
    def _pursuit(self) -> MatchingPursuit:
        """Centres by what they are worth in all pairs of their class."""
        groups = []
        for expansion, (i, j) in zip(self._expansions, self._pairs, strict=True):
            own = np.r_[self._starts[i] : self._stops[i], self._starts[j] : self._stops[j]]
            groups.append(SharedCenters(own, expansion.coef.T))
        return MatchingPursuit(self._model.kernel_, self._model.support_vectors_, groups)

    def _chosen(self, size: int) -> np.ndarray:
        """Numbers of so many centres, in their order; a class that has none gets its first."""
        chosen = self._pursuit.first(size)
        lacking = np.setdiff1d(np.arange(len(self._starts)), self._owner(chosen))
        return np.sort(np.concatenate([chosen, self._starts[lacking]]))

    def _owner(self, centers: np.ndarray) -> np.ndarray:
        """Class indices of centres."""
        return np.searchsorted(self._stops, centers, side="right")

    def _distilled(self, X: Matrix, P: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (c − 1, m) and intercepts (pairs,) of all pairs on the chosen centres."""
        F = self._model.pairwise_decision_function(X)
        dual = np.zeros((len(self._starts) - 1, len(chosen)))
        intercept, owner = np.empty(F.shape[1]), self._owner(chosen)
        for number, (i, j) in enumerate(self._pairs):
            share = P[:, i] + P[:, j]
            rows = np.flatnonzero(share > LEAST_SHARE)
            # A pair's scores are the log-odds of its first class.
            targets = Targets(Logistic().log_probabilities(F[rows, number, None]), share[rows])
            both = np.flatnonzero((owner == i) | (owner == j))
            function = ReducedFunction.of(self._expansions[number], self._within_pair(chosen[both], i, j))
            anchor = self._anchor(function, number, self._expansions[number].intercept)
            W, b = distil(function.features(X[rows]), targets, anchor)
            alpha = function.basis.dual(W)[:, 0]
            own = owner[both] == i
            dual[j - 1, both[own]], dual[i, both[~own]], intercept[number] = alpha[own], alpha[~own], b[0]
        return dual, intercept

    def _within_pair(self, chosen: np.ndarray, i: int, j: int) -> np.ndarray:
        """Numbers of centres among those of classes i < j."""
        first = chosen - self._starts[i]
        return np.where(chosen < self._stops[i], first, chosen - self._starts[j] + self._model.n_support_[i])

    def _anchor(self, function: ReducedFunction, number: int, intercept: np.ndarray) -> Anchor:
        model, m = self._model, len(function.projection)
        i, j = self._pairs[number]
        strength = pull_strength(model.pair_C_[number], model.n_support_[i] + model.n_support_[j])
        return Anchor(function.projection, np.full(m, strength), intercept, model.fit_intercept)
