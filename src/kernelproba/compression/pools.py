"""Softmax models on fewer centres: one function, or a pool of functions that scale features differently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from kernelproba.compression.distillation import MAX_ENTRIES, Anchor, Targets, distil
from kernelproba.compression.distillation_rows import DistillationRows
from kernelproba.compression.moving import GaussianSum, Slopes, can_move, enough_rows, moved_centers
from kernelproba.compression.pursuit import MatchingPursuit, SharedCenters
from kernelproba.compression.reduced_functions import (
    Reduced,
    ReducedFunction,
    with_centers,
    with_moved_centers,
)
from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.estimators.base.kernel_machine import KernelMachine
from kernelproba.losses import loss_for
from kernelproba.typing import Matrix


@dataclass(frozen=True)
class PoolMember:
    """A function in a pool.

    Attributes
    ----------
    share : float
        What its scores are multiplied by before they are added to those of the others.
    model : KernelMachine
        With one expansion of all scores.
    rows : array of shape (n, d)
        Rows as the model compares them, the same for all members.
    strength : float
        λ of its coefficients, see `distil`.
    """

    share: float
    model: KernelMachine
    rows: Matrix
    strength: float

    @cached_property
    def expansion(self) -> KernelExpansion:
        """Its scores as sums over centres."""
        return _expansion(self.model)

    @cached_property
    def pursuit(self) -> MatchingPursuit:
        """Its centres, the most useful first."""
        coef, Z = self.expansion.coef.T, self.expansion.centers
        return MatchingPursuit(self.expansion.kernel, Z, [SharedCenters(np.arange(len(coef)), coef)])

    def reduced(self, size: int) -> ReducedFunction:
        """Keep so many centres."""
        return ReducedFunction.of(self.expansion, np.sort(self.pursuit.first(size)))

    def anchor(self, function: ReducedFunction) -> Anchor:
        """Its part in what the coefficients are pulled to."""
        pull = np.full(len(function.projection), self.strength)
        return Anchor(
            function.projection, pull, self.share * self.expansion.intercept, self.model.fit_intercept
        )


class SoftmaxPool:
    """Models whose scores are Σₖ shareₖ fₖ(x), to be compressed together.

    Parameters
    ----------
    members : sequence of PoolMember
        The functions.
    n_given : int
        How many rows, the last ones, a user has given.
    moves : bool
        Whether centres of Gaussian kernels may leave their rows.
    log_proba : callable, optional
        Logarithms of the probabilities that rows are to keep, if they are not those of the members.
    """

    def __init__(
        self,
        members: Sequence[PoolMember],
        n_given: int,
        moves: bool,
        log_proba: Callable[[Matrix], np.ndarray] | None = None,
    ):
        self.members, self._n_given, self._moves = list(members), n_given, moves
        self._log_proba = log_proba

    @property
    def n_centers(self) -> int:
        """Centres of all members together."""
        return sum(len(member.expansion.rows) for member in self.members)

    @property
    def largest(self) -> int:
        """Largest number of centres of a member."""
        return max(len(member.expansion.rows) for member in self.members)

    def reduce(self, size: int) -> Reduced:
        """Keep so many centres of each member, if it has more."""
        width = sum(min(size, len(member.expansion.rows)) for member in self.members)
        views = [member.rows for member in self.members]
        rows = DistillationRows.of(views, self._n_given, MAX_ENTRIES // max(width, 1))
        targets = self._targets(rows.views)
        functions = [member.reduced(size) for member in self.members]
        parts = zip(self.members, functions, rows.views, strict=True)
        Phi = np.hstack([member.share * function.features(X) for member, function, X in parts])
        anchor = self._anchor(functions)
        W, b = distil(Phi[rows.fitted], targets.at(rows.fitted), anchor)
        models = self._models(functions, W, b - anchor.intercept)
        judged = [X[rows.held_out] for X in rows.views], targets.at(rows.held_out)
        reduced = self._judged(models, *judged)
        if any(self._can_move):
            moved = self._moved(models, rows.many(enough_rows(rows.n_real, max(X.shape[1] for X in views))))
            reduced = min(reduced, self._judged(moved, *judged), key=lambda each: each.mean_kl)
        return reduced

    @property
    def _can_move(self) -> list[bool]:
        return [self._moves and can_move(member.model.kernel_, member.rows) for member in self.members]

    def _judged(self, models: list[KernelMachine], views: list[Matrix], targets: Targets) -> Reduced:
        """Smaller models, and their divergence on rows."""
        log_Q = loss_for(targets.log_P.shape[1]).log_probabilities(self._scores(models, views))
        return Reduced(models, targets.mean_divergence(log_Q), len(log_Q))

    def _scores(self, models: Sequence[KernelMachine], views: Sequence[Matrix]) -> np.ndarray:
        """Scores (n, k) of rows by smaller models."""
        parts = zip(self.members, models, views, strict=True)
        return np.sum([m.share * _expansion(small).scores(X) for m, small, X in parts], axis=0)

    def _moved(self, models: Sequence[KernelMachine], views: list[Matrix]) -> list[KernelMachine]:
        """Models whose Gaussian kernels have moved, one model after the other."""
        moved, goal, F = list(models), self._targets(views), self._scores(models, views)
        for number in np.flatnonzero(self._can_move).tolist():
            member, X = self.members[number], views[number]
            others = F - member.share * _expansion(moved[number]).scores(X)
            moved[number] = _moved_member(member, moved[number], X, goal.slopes_beside(others))
            F = others + member.share * _expansion(moved[number]).scores(X)
        return moved

    def _targets(self, views: Sequence[Matrix]) -> Targets:
        if self._log_proba is not None:
            return Targets(self._log_proba(views[0]), np.ones(views[0].shape[0]))
        pairs = zip(self.members, views, strict=True)
        F = np.sum([member.share * member.expansion.scores(X) for member, X in pairs], axis=0)
        log_P = loss_for(len(self.members[0].model.classes_)).log_probabilities(F)
        return Targets(log_P, np.ones(len(F)))

    def _anchor(self, functions: Sequence[ReducedFunction]) -> Anchor:
        """What all coefficients together are pulled to."""
        parts = [member.anchor(function) for member, function in zip(self.members, functions, strict=True)]
        return replace(
            parts[0],
            coef=np.vstack([part.coef for part in parts]),
            strength=np.concatenate([part.strength for part in parts]),
            intercept=np.sum([part.intercept for part in parts], axis=0),
        )

    def _models(
        self, functions: Sequence[ReducedFunction], W: np.ndarray, moved: np.ndarray
    ) -> list[KernelMachine]:
        """Each member with its part of the coefficients W (m, k) and of what the intercept has moved by."""
        stops = np.cumsum([len(function.projection) for function in functions])[:-1]
        total, models = sum(member.share for member in self.members), []
        for member, function, part in zip(self.members, functions, np.split(W, stops), strict=True):
            dual = np.ascontiguousarray(function.basis.dual(part).T)
            kept = sp.csr_array(dual) if sp.issparse(member.model.dual_coef_) else dual
            intercept = member.expansion.intercept + moved / total
            models.append(with_centers(member.model, function.basis.index, kept, intercept))
        return models


def _expansion(model: KernelMachine) -> KernelExpansion:
    (found,) = model.kernel_expansions()
    return found


def _moved_member(member: PoolMember, small: KernelMachine, X: np.ndarray, slopes: Slopes) -> KernelMachine:
    """Move the centres of a smaller model, whose scores have a share in those of the pool."""
    own, width, share = _expansion(small), np.asarray(small.kernel_.length_scale), member.share
    parts = own.centers / width, share * own.coef.T, share * own.intercept
    found = moved_centers(X / width, GaussianSum(*parts), slopes, fit_intercept=member.model.fit_intercept)
    return with_moved_centers(small, found.centers * width, found.coef.T / share, found.intercept / share)
