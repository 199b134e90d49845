"""The problem of maximum contrast: its formula, its penalty, and a bound that proves an optimum.

Class j has the discriminative density q_j(x) = Σ_{i∈I_j} β_i κ(x, x_i), β ≥ 0, of mass s ≥ 1 in every
class.  With F_j = P_j q_j, priors P, the margin and the contrast of a labelled row are

    d_i = F_{y_i}(x_i) − max_{k≠y_i} F_k(x_i),        C_i = max(−1, min(1, d_i))

and training maximises, with row weights w, their class totals W_j, v = w / Σw and 0 ≤ ρ < 1,

    J(β) = Σ_i v_i C_i − α Ω(β),    Ω(β) = 2 Σ_j [ ρ s/W_j + (1−ρ) t_j ],    t_j = max_{i∈I_j} β_i / w_i .

The mass s is the 1-norm of a class and t its maximum norm; both parts of Ω are least for equal weights, so
these are the limit α → ∞, the kernel density classifier.  For fixed a ∈ {0,1}ⁿ the concave

    J_a(β) = Σ_i v_i (a_i min(1, d_i) − (1 − a_i)) − α Ω(β)

is a linear programme, and J = max_a J_a, attained by a_i = 1 where d_i > −1.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernelproba.basis.gram import Gram


@dataclass(frozen=True)
class Vertex:
    """Weights that maximise J_a, and what they give.

    Parameters
    ----------
    beta : array of shape (n,)
        Weights.
    margin : array of shape (n,)
        d.
    multipliers : array of shape (n, c)
        Duals U of the margins: row i holds u_ik ≥ 0 with its sum at y_i and −u_ik at k, Σ_k u_ik ≤ a_i v_i.
    """

    beta: np.ndarray
    margin: np.ndarray
    multipliers: np.ndarray


@dataclass(frozen=True)
class ContrastProblem:
    """Rows, labels, weights and priors of one problem.

    Parameters
    ----------
    gram : Gram
        Kernel matrix of the rows, ≥ 0.
    y : array of shape (n,)
        Class indices.
    weight : array of shape (n,)
        w > 0.
    priors : array of shape (c,)
        P.
    l1_ratio : float
        ρ.
    """

    gram: Gram
    y: np.ndarray
    weight: np.ndarray
    priors: np.ndarray
    l1_ratio: float = 0.5

    @property
    def n_classes(self) -> int:
        """Number of classes c."""
        return len(self.priors)

    @cached_property
    def class_weight(self) -> np.ndarray:
        """Total weight W (c,) of each class."""
        return np.bincount(self.y, weights=self.weight, minlength=self.n_classes)

    @cached_property
    def importance(self) -> np.ndarray:
        """Share v (n,) of each row in the mean contrast."""
        return self.weight / self.weight.sum()

    @cached_property
    def mass_cost(self) -> float:
        """What a unit of s adds to Ω."""
        return 2 * self.l1_ratio * float((1 / self.class_weight).sum())

    @property
    def height_cost(self) -> float:
        """What a unit of t_j adds to Ω."""
        return 2 * (1 - self.l1_ratio)

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Put the value (n,) of each row into the column of its class, (n, c)."""
        spread = np.zeros((len(values), self.n_classes))
        spread[np.arange(len(values)), self.y] = values
        return spread

    def own(self, table: np.ndarray) -> np.ndarray:
        """Pick from (n, c) the column of each row's own class, (n,)."""
        return table[np.arange(len(self.y)), self.y]

    def fields(self, beta: np.ndarray) -> np.ndarray:
        """Return F (n, c) at the training rows."""
        return self.gram.product(self.spread(beta)) * self.priors

    def margins(self, fields: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return d (n,) and the strongest rival class (n,) of each row."""
        others = fields.copy()
        others[np.arange(len(self.y)), self.y] = -np.inf
        rival = others.argmax(axis=1)
        return self.own(fields) - others[np.arange(len(self.y)), rival], rival

    def equal_weights(self) -> np.ndarray:
        """Return β of the kernel density classifier, w_i / W_j: the least Ω, hence optimal as α → ∞."""
        return self.weight / self.class_weight[self.y]

    def penalty(self, beta: np.ndarray) -> float:
        """Return Ω(β)."""
        highest = np.zeros(self.n_classes)
        np.maximum.at(highest, self.y, beta / self.weight)
        return self.mass_cost * float(beta[self.y == 0].sum()) + self.height_cost * float(highest.sum())

    def value(self, beta: np.ndarray, margin: np.ndarray, alpha: float) -> float:
        """Return J(β)."""
        return float(self.importance @ np.clip(margin, -1, 1)) - alpha * self.penalty(beta)

    def active_value(self, vertex: Vertex, active: np.ndarray, alpha: float) -> float:
        """Return J_a(β)."""
        gains = np.where(active, np.minimum(1, vertex.margin), -1)
        return float(self.importance @ gains) - alpha * self.penalty(vertex.beta)

    def bound(self, multipliers: np.ndarray, active: np.ndarray, alpha: float) -> float:
        """Return an upper bound on J_a from duals U (n, c): weak duality, whatever their quality.

        min(1, d) ≤ (1 − Σ_k u_ik/v_i) + Σ_k u_ik d_ik / v_i, hence with g_i = P_j (K U)_ij, j = y_i,

            J_a ≤ Σ_i (a_i v_i − Σ_k u_ik) − Σ_i (1 − a_i) v_i + max_β [ gᵀβ − α Ω(β) ]

        and the last maximum, over masses s ≥ 1, is s Σ_j (ν_j − 2αρ/W_j) with the `mass_price` ν_j.
        """
        used = self.own(multipliers)
        gain = self.own(self.gram.product(multipliers)) * self.priors[self.y]
        classes = [self.y == j for j in range(self.n_classes)]
        prices = [mass_price(gain[own], self.weight[own], alpha * self.height_cost) for own in classes]
        profit = sum(prices) - alpha * self.mass_cost
        constant = float(np.where(active, self.importance - used, -self.importance).sum())
        return constant + profit * (self.largest_scale(alpha) if profit > 0 else 1.0)

    @cached_property
    def equal_margins(self) -> tuple[np.ndarray, np.ndarray]:
        """Margins (n,) and rivals (n,) at equal weights."""
        return self.margins(self.fields(self.equal_weights()))

    @cached_property
    def largest_alpha(self) -> float:
        """The α from which on equal weights are optimal for a = 1.

        They are full, s = 1: with slopes g, their class means ḡ_j and ν_j = ḡ_j − 2α(1−ρ)/W_j the optimality
        conditions are g_i ≥ ν_j and Σ_j ν_j ≤ 2αρ Σ_j 1/W_j.
        """
        margin, rival = self.equal_margins
        linear = np.flatnonzero(margin < 1)
        U = np.zeros((len(self.y), self.n_classes))
        U[linear, self.y[linear]] = self.importance[linear]
        U[linear, rival[linear]] = -self.importance[linear]
        g, W = self.own(self.gram.product(U)) * self.priors[self.y], self.class_weight
        mean = np.bincount(self.y, weights=self.weight * g) / W
        for_scale = mean.sum() / (2 * (1 / W).sum())
        for_shares = (W[self.y] * (mean[self.y] - g)).max() / self.height_cost
        return float(max(for_scale, for_shares, np.finfo(float).tiny))

    def largest_scale(self, alpha: float) -> float:
        """Return a bound on s at every optimum of every J_a, which is no worse than equal weights.

        Σ a_i v_i min(1, d_i) ≤ Σ a_i v_i and Ω ≥ 2 s Σ_j 1/W_j, with equality at equal weights, s = 1.
        """
        return 1.0 + self._shortfall / (2 * alpha * float((1 / self.class_weight).sum()))

    @cached_property
    def _shortfall(self) -> float:
        """Σ v_i (1 − min(1, d_i)) at equal weights."""
        margin, _ = self.equal_margins
        return float(self.importance @ (1 - np.minimum(1, margin)))


def mass_price(gain: np.ndarray, weight: np.ndarray, height_cost: float) -> float:
    """Return the most that a unit of mass earns in a class: max gᵀβ − h t over Σβ = 1, 0 ≤ β_i ≤ w_i t.

    Parameters
    ----------
    gain, weight : arrays of shape (n_j,)
        g and w > 0 of the rows of the class.
    height_cost : float
        h.
    """
    order = np.argsort(-gain)
    g, w = gain[order], np.cumsum(weight[order])
    earned = np.cumsum(weight[order] * g)
    # All mass on the m largest gains:  (Σ w g − h) / Σ w; the best number m is the maximum.
    return float(((earned - height_cost) / w).max())
