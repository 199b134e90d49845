"""Products of second-order cones {(t, w): ‖w‖ ≤ t}, and the scaling that makes a point and its dual the same.

For interior x = (t, w) and z = (1, v) of one cone a symmetric matrix S maps both to one point,
λ = S z = S⁻¹x [Nesterov & Todd 1997].  With x̄, z̄ divided by the roots of their determinants:

    det (t, w) = t² − ‖w‖²,      η² = √(det x/det z),      J = diag(1, −I)
    q = (x̄ + J z̄)/2γ,      2γ² = 1 + ⟨x̄, z̄⟩
    S² = η² (2 q qᵀ − J),      so that (S²)_ww = η² (I + 2 q_w q_wᵀ)

All arrays have one row per cone: t (m,), W (m, k).  The dual's first entry is 1 and stays so.
"""

from typing import NamedTuple

import numpy as np

#: Least determinant: points next to the boundary keep a scaling.
TINY = 1e-300


class Pair(NamedTuple):
    """Elements (t, W) of the product of cones, one per row."""

    t: np.ndarray
    W: np.ndarray

    def dot(self, other: "Pair") -> np.ndarray:
        """Inner products, (m,)."""
        return self.t * other.t + np.einsum("jk,jk->j", self.W, other.W)

    def det(self) -> np.ndarray:
        """t² − ‖w‖², (m,): zero on the boundary.  As a product, which keeps the digits next to it."""
        norm = np.sqrt(np.einsum("jk,jk->j", self.W, self.W))
        return (self.t - norm) * (self.t + norm)

    def times(self, other: "Pair") -> "Pair":
        """Jordan product (xᵀz, t_x w_z + t_z w_x)."""
        return Pair(self.dot(other), self.t[:, None] * other.W + other.t[:, None] * self.W)

    def solve(self, other: "Pair") -> "Pair":
        """The pair whose Jordan product with this one is the other."""
        across = np.einsum("jk,jk->j", self.W, other.W)
        t = (self.t * other.t - across) / np.maximum(self.det(), TINY)
        return Pair(t, (other.W - t[:, None] * self.W) / self.t[:, None])

    def plus(self, step: "Pair", length: float) -> "Pair":
        """The point that far along a step."""
        return Pair(self.t + length * step.t, self.W + length * step.W)

    def reach(self, step: "Pair") -> float:
        """The largest length up to which the step stays in the cones."""
        a, b = step.det(), self.t * step.t - np.einsum("jk,jk->j", self.W, step.W)
        c = np.maximum(self.det(), 0.0)
        # The least positive root of a s² + 2 b s + c, in the form that does not cancel.
        root = np.sqrt(np.maximum(b * b - a * c, 0.0))
        leaves = (b - root < 0) | (a < 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            first = np.where(b <= 0, c / (root - b), -(b + root) / a)
        lengths = np.where(leaves & (b * b >= a * c) & (first >= 0), first, np.inf)
        return float(lengths.min(initial=np.inf))


class Scaling:
    """S for points x and duals z = (1, V).

    Parameters
    ----------
    x : Pair
        Interior points.
    V : array of shape (m, k)
        Duals, of norms below 1.
    """

    def __init__(self, x: Pair, V: np.ndarray):
        z = Pair(np.ones(len(V)), V)
        det_x, det_z = np.maximum(x.det(), TINY), np.maximum(z.det(), TINY)
        root_x, root_z = np.sqrt(det_x), np.sqrt(det_z)
        gamma = np.sqrt(0.5 + 0.5 * x.dot(z) / (root_x * root_z))
        self.first = (x.t / root_x + 1 / root_z) / (2 * gamma)
        self.rest = (x.W / root_x[:, None] - V / root_z[:, None]) / (2 * gamma)[:, None]
        self.square = root_x / root_z
        self.size = np.sqrt(self.square)
        #: ‖q_w‖².
        self.bend = np.einsum("jk,jk->j", self.rest, self.rest)
        self.point = self.apply(z)

    def apply(self, pair: Pair) -> Pair:
        """S (t, w)."""
        along = np.einsum("jk,jk->j", self.rest, pair.W)
        W = self.rest * (pair.t + along / (1 + self.first))[:, None] + pair.W
        return Pair(self.size * (self.first * pair.t + along), self.size[:, None] * W)

    def solve(self, pair: Pair) -> Pair:
        """S⁻¹ (t, w)."""
        along = np.einsum("jk,jk->j", self.rest, pair.W)
        W = self.rest * (along / (1 + self.first) - pair.t)[:, None] + pair.W
        return Pair((self.first * pair.t - along) / self.size, W / self.size[:, None])

    def stiffness(self, D: np.ndarray) -> np.ndarray:
        """(S²)_ww⁻¹ D, (m, k): the curvature that the cones lend to a penalty."""
        along = np.einsum("jk,jk->j", self.rest, D) * (2 / (1 + 2 * self.bend))
        return (D - self.rest * along[:, None]) / self.square[:, None]

    def first_of_square(self, D: np.ndarray) -> np.ndarray:
        """(S²)_tw D, (m,)."""
        return 2 * self.square * self.first * np.einsum("jk,jk->j", self.rest, D)
