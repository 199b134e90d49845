"""Exact Shapley values of kernel machines of two classes, whatever the number of columns.

The log-odds of two classes are a sum over centres, and RBF and Laplacian kernels are products over columns:

    f(x_S, b_rest) = Σ_c α_c Π_{j∈S} a_j Π_{j∉S} b_j ,     a_j = k_j(x_j, c_j),  b_j = k_j(b_j, c_j) .

In a random order a column's predecessors are those that arrive before it, at a time t that is uniform on
[0, 1]; at t each other column has joined with probability t.  So the share of column j in one product is

    φ_j = ∫₀¹ (a_j − b_j) Π_{i≠j} (t a_i + (1 − t) b_i) dt ,

the integral of a polynomial of degree d − 1, which ⌈d/2⌉ points of Gauss and Legendre's rule give exactly
[Owen 1972; Mohammadi et al. 2025].  Few points suffice: the shares must add up, and points are added until
they do.  In a linear kernel φ_j is the slope times the distance from b_j.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.estimators.kernel_logistic.uncertainty import Member, UncertainProbabilities
from kernelproba.kernels import RBF, Laplacian, Linear
from kernelproba.tables import TableClassifier
from kernelproba.typing import Classifier

#: How far shares may be from adding up, relative to the log-odds.
_TOL = 1e-9

#: Cells (column × row × centre) that are worked on at once: what fits into a processor's cache.
_CELLS = 150_000

_TINY = np.finfo(float).tiny

#: Kernel → −log k of one column, from differences in units of ℓ, in place.
_DISTANCES: dict[type, Callable[[np.ndarray], np.ndarray]] = {
    RBF: lambda D: np.multiply(np.square(D, out=D), 0.5, out=D),
    Laplacian: lambda D: np.abs(D, out=D),
}


@dataclass(frozen=True)
class ProductGame:
    """The log-odds of class 1 as sums of products over groups of columns.

    Attributes
    ----------
    model : classifier
        Kernel logistic, of two classes.
    groups : ndarray of shape (d,)
        The player that each column of the rows belongs to.
    n_players : int
        How many there are.
    """

    model: UncertainProbabilities
    groups: np.ndarray
    n_players: int

    @classmethod
    def of(cls, model: Classifier, groups: np.ndarray, n_players: int) -> ProductGame | None:
        """Return the game of a model, None for one whose log-odds are no such sums."""
        if not isinstance(model, UncertainProbabilities) or len(model.classes_) != 2:
            return None
        if not all(map(_is_product, model._members())):
            return None
        return cls(model, np.asarray(groups), n_players)

    def shares(self, X: np.ndarray, background: np.ndarray) -> np.ndarray:
        """Return the Shapley values (n, n_players) of rows (n, d) against rows (B, d)."""
        members = self.model._members()
        parts = [member.weight * self._member_shares(member, X, background) for member in members]
        return np.sum(parts, axis=0) / self.model._score_scale()

    def _member_shares(self, member: Member, X: np.ndarray, background: np.ndarray) -> np.ndarray:
        expansion = member.model._expansion()
        X, background = (
            np.asarray(member.rows(self.model._check_predict(rows)), dtype=float) for rows in (X, background)
        )
        if type(expansion.kernel) is Linear:
            slopes = (expansion.coef[0] @ expansion.centers) * (X - background.mean(axis=0))
            return np.array([np.bincount(self.groups, each, self.n_players) for each in slopes])
        expected = expansion.scores(X)[:, 0] - expansion.scores(background)[:, 0].mean()
        used = np.flatnonzero(np.bincount(self.groups, minlength=self.n_players))
        shares = np.zeros((len(X), self.n_players))
        for points in _rule_sizes(len(used)):
            shares[:, used] = self._integrals(expansion, X, background, points)
            if (abs(shares.sum(axis=1) - expected) <= _TOL * (1 + abs(expected))).all():
                break
        return shares

    def _integrals(
        self, expansion: KernelExpansion, X: np.ndarray, background: np.ndarray, points: int
    ) -> np.ndarray:
        """Return Σ_c α_c mean_b φ_j by a rule of so many points, for the players that have columns."""
        distance = _DISTANCES[type(expansion.kernel)]
        scales = np.asarray(expansion.kernel.length_scale, dtype=float)
        order = np.argsort(self.groups, kind="stable")
        players = order, np.flatnonzero(np.diff(self.groups[order], prepend=-1))
        times, weights = np.polynomial.legendre.leggauss(points)
        total = np.zeros((len(X), len(players[1])))
        step = max(1, _CELLS // background.size)
        for first in range(0, len(expansion.rows), step):
            block = slice(first, first + step)
            centers = np.asarray(expansion.centers[block], dtype=float) / scales
            start = _factors(distance, background / scales, centers, players)
            ends = _factors(distance, X / scales, centers, players)
            for i in range(len(X)):
                gain = ends[:, i : i + 1] - start
                for time, weight in zip(times, weights, strict=True):
                    mixed = start + (1 + time) / 2 * gain
                    products = mixed.prod(axis=0) * (weight / 2 * expansion.coef[0, block])
                    total[i] += np.divide(gain, mixed, out=mixed).reshape(len(mixed), -1) @ products.ravel()
        return total / len(background)


def is_product_game(model: Classifier) -> bool:
    """Whether the contributions of columns to the log-odds of a model are exact at any number of columns."""
    inner = model.estimator_ if isinstance(model, TableClassifier) else model
    return ProductGame.of(inner, np.zeros(1, dtype=int), 1) is not None


def _is_product(member: Member) -> bool:
    model = member.model
    plain = type(model.kernel_) in (RBF, Laplacian, Linear) and not hasattr(model, "n_support_")
    return plain and model.dual_coef_.shape[0] == 1 and isinstance(model._centers, np.ndarray)


def _rule_sizes(d: int) -> Iterator[int]:
    """Yield numbers of points, up to the one that is exact for products of d factors."""
    exact, size = max(1, -(-d // 2)), 6
    while 2 * size < exact:
        yield size
        size *= 2
    yield exact


def _factors(
    distance: Callable[[np.ndarray], np.ndarray],
    rows: np.ndarray,
    centers: np.ndarray,
    players: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """Return the factor of every player, row (r, d) and centre (m, d) in a kernel value: (p, r, m)."""
    order, starts = players
    D = distance(rows.T[order][:, :, None] - centers.T[order][:, None, :])
    if len(starts) < len(order):
        D = np.add.reduceat(D, starts, axis=0)
    return np.maximum(np.exp(np.negative(D, out=D), out=D), _TINY, out=D)  # by which we may divide
