"""Laplace's approximation to the evidence of a logistic model with its own prior precision per weight.

    w_i ~ N(0, 1/a_i),      P(t = 1 | w) = σ(Φw),      labels t ∈ {0, 1}, row weights s

At the most probable w, with π = σ(Φw), B = diag(s π(1−π)) and H = ΦᵀBΦ + diag(a),

    log p(t | a) ≈ Σ s log p(t | w) − ½ Σ a w² + ½ Σ log a − ½ log|H|

The gradient in log a counts that w, and with it B, move with a.  With Σ = H⁻¹, d_n = φ_nᵀΣφ_n and
B′ = s π(1−π)(1−2π):

    ∂/∂log a_i = ½ (1 − a_i w_i² − a_i Σ_ii + a_i w_i (ΣΦᵀ(d ∘ B′))_i)
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack
from scipy.special import expit, log_expit

from kernelproba.solvers.line_search import SUFFICIENT, halvings


@dataclass(frozen=True)
class Posterior:
    """Gaussian approximation around the most probable weights.

    Parameters
    ----------
    mean : array of shape (m,)
        w.
    covariance : array of shape (m, m)
        Σ.
    evidence : float
        The expression above.
    gap, curvature, bend : arrays of shape (n,)
        s(t − π), s π(1−π) and s π(1−π)(1−2π).
    """

    mean: np.ndarray
    covariance: np.ndarray
    evidence: float
    gap: np.ndarray
    curvature: np.ndarray
    bend: np.ndarray

    def gradient(self, Phi: np.ndarray, precision: np.ndarray) -> np.ndarray:
        """Gradient (m,) of the evidence with respect to log a."""
        spread = np.einsum("ij,ij->i", Phi @ self.covariance, Phi)
        drift = self.covariance @ (Phi.T @ (spread * self.bend))
        trace = self.covariance.diagonal()
        return 0.5 * (1 - precision * (self.mean**2 + trace - self.mean * drift))


def laplace(
    Phi: np.ndarray, sign: np.ndarray, weight: np.ndarray, precision: np.ndarray, start: np.ndarray
) -> Posterior:
    """Find the most probable weights by Newton's method and expand around them.

    Parameters
    ----------
    Phi : array of shape (n, m)
        Features.
    sign, weight : arrays of shape (n,)
        ±1 for the two classes, and s.
    precision, start : arrays of shape (m,)
        a, and where to start.
    """
    w = start
    value, miss = _log_posterior(Phi, sign, weight, precision, w)
    for _ in range(100):
        gap, curvature = weight * sign * miss, weight * miss * (1 - miss)
        H = (Phi.T * curvature) @ Phi
        H.flat[:: len(H) + 1] += precision
        slope = Phi.T @ gap - precision * w
        factor, info = lapack.dpotrf(H, lower=1, clean=1)
        if info != 0:
            raise np.linalg.LinAlgError("the Hessian of the log-posterior is not positive definite")
        step = lapack.dpotrs(factor, slope, lower=1)[0]
        decrement = float(slope @ step)
        if decrement <= 1e-16 * (1 + abs(value)):
            break
        for t in halvings(2.0**-19):
            moved, new_miss = _log_posterior(Phi, sign, weight, precision, w + t * step)
            if moved >= value + SUFFICIENT * t * decrement - 1e-14 * abs(value):
                break
        w, value, miss = w + t * step, moved, new_miss
        if decrement < 1e-10 * (1 + abs(value)):
            # Quadratic convergence: the curvature has settled far beyond its digits.
            break
    evidence = value + 0.5 * np.log(precision).sum() - np.log(factor.diagonal()).sum()
    # 1 − 2π, from the probability of the wrong class
    bend = curvature * sign * (2 * miss - 1)
    return Posterior(w, _inverse(factor), float(evidence), weight * sign * miss, curvature, bend)


def _log_posterior(Phi, sign, weight, precision, w) -> tuple[float, np.ndarray]:
    """Σ s log p − ½ Σ a w², and the probability of the wrong class for each row, without cancellation."""
    margin = sign * (Phi @ w)
    value = weight @ log_expit(margin) - 0.5 * (precision * w) @ w
    return float(value), expit(-margin)


def _inverse(factor: np.ndarray) -> np.ndarray:
    """(LLᵀ)⁻¹ from L (m, m)."""
    lower = lapack.dpotri(factor, lower=1)[0]
    full = lower + lower.T
    full.flat[:: len(full) + 1] *= 0.5
    return full
