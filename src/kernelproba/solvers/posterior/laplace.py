"""Laplace's approximation of the posterior of a kernel logistic function [Rasmussen & Williams 2006, ch. 3].

Dividing the objective C Σ sᵢ ℓ(yᵢ, f(xᵢ) + b) + ½‖f‖² by C shows its minimum as the most probable function,
given the rows, of a Gaussian process with covariance C·k per score and free intercepts.  Around it the
posterior is nearly Gaussian, and the scores at x have the covariance

    Σ(x) = C (k(x, x) − k(x)ᵀ (K + D⁻¹)⁻¹ k(x)),      Dᵢ = ωᵢ ∂²ℓᵢ,  ω = C s

(3.24 for one score, 3.44 for one score per class).  Softmax looks at differences of scores only: in
coordinates g = Qᵀf, Q (k, q) an orthonormal basis of the vectors of sum zero, q = k − 1, the prior is the
same for every coordinate and D is regular.  For one score q = 1 and Q = 1.

With features φ of the rows, K = ΦΦᵀ + Λ, only directions of φ that the rows inform of differ from the prior.
They are the leading eigenvectors V of Φᵀ diag(trace D̂ᵢ) Φ, of eigenvalue λ: leaving out those with λ ≤ 0.01
changes no variance by more than about 1 %.  With ψ = [Vᵀφ; 1]

    H = diag(I, ε) ⊗ I_q + Σᵢ ψᵢψᵢᵀ ⊗ QᵀD̂ᵢQ
    Σ(x) = C ((k(x, x) − ‖Vᵀφ(x)‖²) I_q + ψ(x)ᵀ H⁻¹ ψ(x))

where D̂ᵢ is Dᵢ softened by what the row has for itself, Λᵢ: diag(e) − eeᵀ/1ᵀe with e = ωp/(1 + Λωp), or
w/(1 + Λw) for one score with w = ωp(1 − p).  What the features leave of a new row keeps its prior variance:
far from all rows Σ returns to the prior.

Between directions H vanishes on the average over coordinates, for V are eigenvectors, and for one score
altogether but for the intercept.  Of many directions the least informed are therefore taken each by itself:
of H only their own (q, q) blocks.  Building: n r² + n (qs)²/2 + (qs)³ operations for r features and s
coupled directions, qs ≤ 1000; each new row: its coordinates along V, and q² s².
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, eigh, lapack

from kernelproba.losses import loss_for

#: Prior precision of an intercept relative to the weight of all rows: next to none.
INTERCEPT_PRECISION = 1e-6
#: Directions of less information, relative to the prior, are left as the prior has them.
LEAST_INFORMATION = 0.01
#: Most coupled directions times differences of scores.
MOST_COEFFICIENTS = 1000


@dataclass(frozen=True)
class LaplacePosterior:
    """Covariance of the scores of new rows.

    Parameters
    ----------
    scale : float
        C.
    contrasts : array of shape (k, q)
        Q.
    directions : array of shape (r, t + s)
        V: first those that are taken each by itself, then the coupled ones.
    own : array of shape (t, q, q)
        (I + Σᵢ (vᵀφᵢ)² QᵀD̂ᵢQ)⁻¹ of the former.
    covariance : array of shape (q, s + 1, q, s + 1)
        H⁻¹ of the latter and the intercept; without an intercept its last entries are zero.
    """

    scale: float
    contrasts: np.ndarray
    directions: np.ndarray
    own: np.ndarray
    covariance: np.ndarray

    def score_covariance(self, Psi: np.ndarray, whole: np.ndarray) -> np.ndarray:
        """Σ (n, q, q) of rows with coordinates Psi (n, t + s) along V and k(x, x) = `whole` (n,)."""
        q, t = self.contrasts.shape[1], len(self.own)
        squares = Psi**2
        prior = np.maximum(whole - squares.sum(axis=1), 0.0)
        S = (squares[:, :t] @ self.own.reshape(t, q * q)).reshape(-1, q, q)
        S += prior[:, None, None] * np.eye(q)
        Psi = np.column_stack([Psi[:, t:], np.ones(len(Psi))])
        for a in range(q):
            for b in range(a + 1):
                S[:, a, b] += np.einsum("ij,ij->i", Psi @ self.covariance[a, :, b], Psi)
                S[:, b, a] = S[:, a, b]
        return self.scale * S


def laplace_posterior(
    Phi: np.ndarray,
    rest: np.ndarray,
    F: np.ndarray,
    weights: np.ndarray,
    *,
    C: float,
    fit_intercept: bool,
    least_information: float = LEAST_INFORMATION,
    most_coefficients: int = MOST_COEFFICIENTS,
) -> LaplacePosterior:
    """Approximate the posterior around a fit.

    Parameters
    ----------
    Phi, rest : arrays of shape (n, r), (n,)
        Features of the rows, and what these leave of each.
    F : array of shape (n, k)
        Scores of the rows by the fit: one for two classes, else one per class.
    weights : array of shape (n,)
        s, weights of the rows.
    C : float
        Inverse strength of the penalty.
    fit_intercept : bool
        Whether the intercepts were free.
    least_information : float
        λ up to which directions are left as the prior has them.
    most_coefficients : int
        qs, of the directions that are coupled.
    """
    Q = orthonormal_contrasts(F.shape[1])
    D = row_information(F, C * weights, rest, Q)
    V = _informed_directions(Phi, np.trace(D, axis1=1, axis2=2), least_information)
    q, s = Q.shape[1], min(V.shape[1], most_coefficients // Q.shape[1])
    Psi = Phi @ V
    alone, Psi = Psi[:, : V.shape[1] - s], np.column_stack([Psi[:, V.shape[1] - s :], np.ones(len(F))])
    own = np.linalg.inv(np.eye(q) + np.einsum("it,iab->tab", alone**2, D, optimize=True))
    precision = np.ones(s + 1)
    precision[-1] = INTERCEPT_PRECISION * C * weights.sum()
    if not fit_intercept:
        Psi[:, -1] = 0.0
    covariance = _inverse(_information_matrix(Psi, D, precision)).reshape((q, s + 1) * 2)
    if not fit_intercept:
        covariance[:, -1] = covariance[..., -1] = 0.0
    return LaplacePosterior(C, Q, V, own, covariance)


def orthonormal_contrasts(n_scores: int) -> np.ndarray:
    """Q (k, q): an orthonormal basis of the differences of scores; 1 for one score."""
    if n_scores == 1:
        return np.ones((1, 1))
    return np.linalg.qr(np.eye(n_scores)[:, 1:] - 1 / n_scores)[0]


def row_information(F: np.ndarray, omega: np.ndarray, rest: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """QᵀD̂ᵢQ of every row, (n, q, q).

    Parameters
    ----------
    F, omega, rest : arrays of shape (n, k), (n,), (n,)
        Scores, ω and Λ.
    Q : array of shape (k, q)
        Contrasts.
    """
    k = F.shape[1]
    E = omega[:, None] * loss_for(max(k, 2)).curvature(F)  # ωp, or ωp(1 − p) for one score
    E /= 1 + rest[:, None] * E
    if k == 1:
        return E[:, :, None]
    total = np.maximum(E.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    E_Q = E @ Q  # eᵀQ
    return np.einsum("aj,na,ak->njk", Q, E, Q) - E_Q[:, :, None] * (E_Q / total)[:, None, :]


def _informed_directions(Phi: np.ndarray, trace: np.ndarray, least: float) -> np.ndarray:
    """V (r, s): leading eigenvectors of Φᵀ diag(trace) Φ, the most informed last."""
    half = np.sqrt(np.maximum(trace, 0.0))[:, None] * Phi  # rounding may leave a little below zero
    information, V = eigh(half.T @ half, check_finite=False)
    return V[:, information > least] if least > 0 else V


def _inverse(H: np.ndarray) -> np.ndarray:
    """H⁻¹ of a positive definite matrix: half the work of solving for the identity."""
    lower = np.tril(lapack.dpotri(cho_factor(H, lower=True)[0], lower=1)[0])
    return lower + np.tril(lower, -1).T


def _information_matrix(Psi: np.ndarray, D: np.ndarray, precision: np.ndarray) -> np.ndarray:
    """H (q·s, q·s) of features Psi (n, s), coordinate after coordinate."""
    q, s = D.shape[1], Psi.shape[1]
    H = np.empty((q, s, q, s))
    for a in range(q):
        for b in range(a + 1):
            H[a, :, b] = Psi.T @ (D[:, a, b, None] * Psi)
            H[b, :, a] = H[a, :, b]
        H[a, :, a] += np.diag(precision)
    return H.reshape(q * s, q * s)
