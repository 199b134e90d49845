"""The objective of sparse kernel models, on all candidate centres or on a few of them.

    J(Θ) = Σᵢ ωᵢ ℓ(yᵢ, k(xᵢ, X) W + b) + pen(W),      ωᵢ = C sᵢ,      Θ = [W; b]  (n + 1, k)

where pen has a kink at zero, so that most rows of W vanish at the minimum.  With D = Kᵀ∂ℓ the gradient of
the loss, Θ is the minimum exactly if the shortest subgradient vanishes: |D_jk| ≤ 1 where W_jk = 0 and
D_jk = −sign W_jk elsewhere for the lasso, the same with norms of rows for the group lasso, and Σᵢ ∂ℓᵢ = 0
for the intercepts.  The *residual* is the largest entry (norm of a row) of that subgradient.  The
threshold of the penalty is 1, so a residual of 10⁻³ means: off by a thousandth of the penalty's slope.
"""

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from kernelproba.basis.columns import KernelColumns
from kernelproba.linalg import solve_semidefinite
from kernelproba.losses import Logistic, Loss
from kernelproba.objective import Objective
from kernelproba.penalties import Ridge, SparsePenalty
from kernelproba.rows.store import as_rows

#: Newton steps that bring intercepts next to their minimum, from near it.
INTERCEPT_STEPS = 2
#: Share of entries that are not zero above which a dense product is the faster one.
DENSE_SHARE = 0.1
#: Kernel values below which a dense product costs less than finding the entries that are not zero.
SMALL = 1_000_000


@dataclass(frozen=True)
class SparseObjective:
    """Penalised risk over all candidate centres.

    Parameters
    ----------
    columns : KernelColumns
        Kernel features of the n rows.
    y, weights : arrays of shape (n,)
        Class indices and ω = C·sample_weight.
    loss : Loss
        ℓ.
    penalty : Lasso or GroupLasso
        pen.
    n_scores : int
        k.
    fit_intercept : bool
        Whether there is b.
    """

    columns: KernelColumns
    y: np.ndarray
    weights: np.ndarray
    loss: Loss
    penalty: SparsePenalty
    n_scores: int
    fit_intercept: bool = True

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of Θ."""
        return len(self.columns) + self.fit_intercept, self.n_scores

    def restrict(self, index: np.ndarray, K: np.ndarray | None = None) -> "RestrictedObjective":
        """Return the problem on the candidates at `index`; K (n, m) their columns if at hand."""
        K = self.columns.take(index) if K is None else K
        smooth = Objective(
            as_rows(K), self.y, self.weights, self.loss, Ridge(0.0), self.n_scores, self.fit_intercept
        )
        return RestrictedObjective(smooth, self.penalty, index)

    def null_intercept(self) -> np.ndarray:
        """B (k,) of the best constant scores: log-odds, or centred logarithms, of the class frequencies."""
        if not self.fit_intercept:
            return np.zeros(self.n_scores)
        mass = np.bincount(self.y, weights=self.weights)
        logs = np.log(mass)
        return logs[1:] - logs[:1] if isinstance(self.loss, Logistic) else logs - logs.mean()

    def null_model(self) -> np.ndarray:
        """Θ without any centre."""
        theta = np.zeros(self.shape)
        if self.fit_intercept:
            theta[-1] = self.null_intercept()
        return theta

    def intercept_step(self, F: np.ndarray) -> np.ndarray:
        """Constants (k,) to add to scores F (n, k): Newton steps towards the minimum over the intercepts."""
        total = np.zeros(self.n_scores)
        value, G = self.loss.value_and_gradient(F, self.y, self.weights)
        for _ in range(INTERCEPT_STEPS):
            H = self.loss.curvature_sum(self.loss.curvature(F + total), self.weights)
            step = total - solve_semidefinite(H, G.sum(axis=0))
            there, G = self.loss.value_and_gradient(F + step, self.y, self.weights)
            if not there < value:
                break
            total, value = step, there
        return total

    def score_gradient(self, F: np.ndarray) -> np.ndarray:
        """Gradient of the loss with respect to scores F (n, k)."""
        return self.loss.value_and_gradient(F, self.y, self.weights)[1]

    def gradient(self, G: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradient of the loss by W, (n, k), and by b, (k,) or empty, from that by the scores."""
        return self.columns.transpose_product(G), G.sum(axis=0) if self.fit_intercept else np.empty(0)

    def largest_slope(self) -> float:
        """Max over the centres of the dual norm of D at the null model.

        The null model is optimal exactly while this is ≤ 1.  It is proportional to ω, so a fit with
        strength C has its first centre beyond C / largest_slope.
        """
        F = np.broadcast_to(self.null_intercept(), (len(self.y), self.n_scores))
        return float(self.penalty.dual_norm(self.gradient(self.score_gradient(F))[0]).max())


@dataclass(frozen=True)
class RestrictedObjective:
    """J with W zero outside the candidates at `index`; Θ has len(index) rows and b."""

    smooth: Objective
    penalty: SparsePenalty
    index: np.ndarray = field(repr=False)

    def scores(self, theta: np.ndarray) -> np.ndarray:
        """F (n, k) = K W + b, at the cost of the entries of W that are not zero."""
        W, b = self.smooth.split(theta)
        K = self.smooth.features.whole()
        if K.size < SMALL or np.count_nonzero(W) > DENSE_SHARE * W.size:
            return K @ W + b
        return (sp.csr_array(W.T) @ K.T).T + b

    def value(self, theta: np.ndarray, F: np.ndarray) -> tuple[float, np.ndarray]:
        """J(Θ), F the scores there, and the gradient of the loss with respect to F, (n, k)."""
        loss, G = self.smooth.loss.value_and_gradient(F, self.smooth.y, self.smooth.weights)
        return loss + self.penalty.value(self.smooth.split(theta)[0]), G

    def gradient(self, G: np.ndarray) -> np.ndarray:
        """Gradient of the loss with respect to Θ from that with respect to the scores."""
        D = self.smooth.features.whole().T @ G
        return np.vstack([D, G.sum(axis=0)]) if self.smooth.fit_intercept else D

    def subgradient(self, theta: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Shortest element of ∂J(Θ), of the shape of Θ."""
        m = len(self.index)
        out = gradient.copy()
        out[:m] = self.penalty.subgradient(theta[:m], gradient[:m])
        return out

    def residual(self, subgradient: np.ndarray) -> float:
        """Size of a subgradient."""
        m = len(self.index)
        W, b = subgradient[:m], subgradient[m:]
        return float(max(self.penalty.dual_norm(W).max(initial=0.0), np.abs(b).max(initial=0.0)))

    def free(self, theta: np.ndarray) -> np.ndarray:
        """Entries of Θ around which J is smooth."""
        mask = np.ones(theta.shape, dtype=bool)
        m = len(self.index)
        mask[:m] = self.penalty.support(theta[:m])
        return mask
