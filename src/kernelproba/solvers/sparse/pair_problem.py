"""The lasso on few pairs (centre, score), and on the rows that matter to each score.

With many classes a centre serves one or two of them, so a working set of whole rows of Θ is mostly zeros.
Here each score has centres of its own, and data of its own: where a row's loss has next to no slope in a
score, that score is held fixed there and enters by its gradient alone.  All that a step costs is then in one
block per score, its centres times its rows, which stays put from step to step.

    J(x) ≈ Σᵢ ωᵢ ℓ(yᵢ, Fᵢ) + ⟨g, x⟩ + Σ λ|x|,      F_ik = F⁰_ik + φ_kᵢᵀ(x_k − x⁰_k) for the rows i of score k
"""

from dataclasses import dataclass

import numpy as np

from kernelproba.losses import Loss
from kernelproba.solvers.line_search import SUFFICIENT, halvings


@dataclass(frozen=True)
class PairBlock:
    """One score: its place in x, its rows among those of the problem, and Φᵀ (p, rows)."""

    entries: slice
    rows: np.ndarray
    Phi: np.ndarray


class PairProblem:
    """The problem, with the point that has been reached.

    Parameters
    ----------
    loss : Loss
        ℓ.
    y, weights : arrays of shape (n,)
        Class indices and ω.
    features : array of shape (m, n)
        Kernel columns as rows.
    pairs : list of k arrays
        For each score the features in question.
    theta : array of shape (m + 1, k) or (m, k)
        Θ there, with intercepts or without.
    F, G : arrays of shape (n, k)
        Scores, and the gradient of the loss with respect to them.
    gradient : array of the shape of theta
        The gradient of the loss with respect to Θ.
    negligible : float
        Slope below which a score is held fixed.

    Attributes
    ----------
    x, strength, slope : arrays of shape (p,)
        Entries of Θ one score after the other, their λ, and the shortest subgradient of J.
    value, residual : float
        J up to a constant, and the largest |slope|.
    """

    def __init__(
        self,
        loss: Loss,
        y: np.ndarray,
        weights: np.ndarray,
        features: np.ndarray,
        pairs: list[np.ndarray],
        theta: np.ndarray,
        F: np.ndarray,
        G: np.ndarray,
        gradient: np.ndarray,
        negligible: float,
    ):
        self.loss, self._shape, m = loss, theta.shape, len(features)
        matters = np.abs(G) > negligible
        used = np.flatnonzero(matters.any(axis=1))
        self.y, self.weights = y[used], weights[used]
        # Every block works on one column of these at a time.
        self.F, self.G = (np.asfortranarray(A[used]) for A in (F, G))
        own = [np.append(rows, np.arange(m, len(theta))) for rows in pairs]
        self.at = np.concatenate(own), np.repeat(np.arange(len(own)), [len(rows) for rows in own])
        self.x, self.strength = theta[self.at], (self.at[0] < m) * 1.0
        edges = np.cumsum([0, *map(len, own)])
        self.blocks = [
            _block(features, rows, slice(edges[k], edges[k + 1]), used, matters[used, k])
            for k, rows in enumerate(own)
        ]
        self._fixed = gradient[self.at] - products(self.blocks, self.G)
        self.value = self._value(self.F, self.x)[0]
        self._look()

    @property
    def theta(self) -> np.ndarray:
        """Θ, zero but for the pairs."""
        theta = np.zeros(self._shape)
        theta[self.at] = self.x
        return theta

    @property
    def free(self) -> np.ndarray:
        """Entries around which J is smooth."""
        return (self.x != 0) | (self.strength == 0)

    def _value(self, F: np.ndarray, x: np.ndarray) -> tuple[float, np.ndarray]:
        loss, G = self.loss.value_and_gradient(F, self.y, self.weights)
        return loss + float(self._fixed @ x + self.strength @ np.abs(x)), G

    def _look(self) -> None:
        """Find gradient, slope and residual of the present point."""
        self.gradient = self._fixed + products(self.blocks, self.G)
        outside = np.sign(self.gradient) * np.maximum(np.abs(self.gradient) - 1.0, 0.0)
        self.slope = np.where(self.free, self.gradient + self.strength * np.sign(self.x), outside)
        self.residual = float(np.abs(self.slope).max(initial=0.0))

    def search(self, step: np.ndarray, *, stop_at_kinks: bool, shortest: float) -> bool:
        """Halve the step until J falls by a share of what its slope promises; return whether it does.

        Parameters
        ----------
        step : array of shape (p,)
            The step.
        stop_at_kinks : bool
            Whether entries that would pass zero stop there.
        shortest : float
            Share of the step below which it is given up.
        """
        for t in halvings(shortest):
            moved = self.x + t * step
            if stop_at_kinks:
                moved[(self.strength > 0) & (self.x * moved <= 0)] = 0.0
            with np.errstate(over="ignore", invalid="ignore"):  # a step too far has no value and is refused
                F = self.F + moved_scores(self.blocks, moved - self.x, self.F)
                value, G = self._value(F, moved)
            promised = float(self.slope @ (moved - self.x))
            if promised < 0 and value <= self.value + SUFFICIENT * promised:
                self.x, self.F, self.G, self.value = moved, F, G, value
                self._look()
                return True
        return False


def products(blocks: list[PairBlock], G: np.ndarray) -> np.ndarray:
    """ΦᵀG (p,) of each score's own rows, G (n, k)."""
    return np.concatenate([block.Phi @ G[block.rows, k] for k, block in enumerate(blocks)])


def moved_scores(blocks: list[PairBlock], step: np.ndarray, F: np.ndarray) -> np.ndarray:
    """What a step (p,) adds to scores of the shape of F."""
    moved = np.zeros_like(F)
    for k, block in enumerate(blocks):
        moved[block.rows, k] = step[block.entries] @ block.Phi
    return moved


def _block(
    features: np.ndarray, rows: np.ndarray, entries: slice, used: np.ndarray, matters: np.ndarray
) -> PairBlock:
    """Cut a score's features out; behind the last of all is the constant."""
    own, kernels = np.flatnonzero(matters), rows[rows < len(features)]
    Phi = np.ones((len(rows), len(own)))
    Phi[: len(kernels)] = features[np.ix_(kernels, used[own])]
    return PairBlock(entries, own, Phi)
