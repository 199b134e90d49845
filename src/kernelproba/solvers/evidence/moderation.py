"""How much of the posterior's variance should moderate the probabilities of a Laplace approximation.

    p(x) = σ(f / √(1 + π λ s² / 8)),      f, s² mean and variance of the score at x,  λ in (0, 1]

λ = 1 is MacKay's average over the posterior.  Where classes can be separated the posterior is skewed, and the
Gaussian around its mode puts mass on scores of the wrong sign: probabilities of rows far on their side stay
near even odds.  The training rows can tell, each judged by the posterior without it:

    s²₋ᵢ = s²ᵢ / (1 − Wᵢ s²ᵢ),     f₋ᵢ = fᵢ − s²₋ᵢ gᵢ,     g = ∂ log σ(t f)/∂f,  W = −∂g/∂f

The features and their precisions are those of all rows, so that this is somewhat hopeful: λ is taken as large
as the rows allow, not where their loss is least.
"""

import numpy as np

from kernelproba.solvers.evidence.laplace import Posterior

#: Values of λ to choose from.
SHARES = np.geomspace(1e-3, 1.0, 13)
#: Nats that the rows must lose under a larger λ before a smaller one is taken.
CONTRADICTION = 2.0
#: Deviation of a score beyond which it says nothing at all; a finite one, so that no share of it is ∞ · 0.
LARGEST_DEVIATION = 1e300


def moderated_scores(f: np.ndarray, deviation: np.ndarray, share: float | np.ndarray) -> np.ndarray:
    """Log-odds of ∫ σ(f + √λ s z) N(z) dz ≈ σ(f / √(1 + πλs²/8))  [MacKay 1992]."""
    return f / np.hypot(1.0, np.sqrt(np.pi / 8 * share) * deviation)


def score_deviation(Phi: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """S (n,) of the scores Φw of weights with this covariance; in units of each row, s² cannot overflow."""
    unit = np.maximum(np.abs(Phi).max(axis=1, initial=0.0), np.finfo(float).tiny)
    relative = Phi / unit[:, None]
    spread = np.sqrt(np.maximum(np.einsum("ij,ij->i", relative @ covariance, relative), 0.0))
    with np.errstate(over="ignore"):
        return np.minimum(unit * spread, LARGEST_DEVIATION)


def moderation(Phi: np.ndarray, posterior: Posterior, sign: np.ndarray, weight: np.ndarray) -> float:
    """The largest λ that the training rows, each left out in turn, do not contradict.

    Parameters
    ----------
    Phi : array of shape (n, m)
        Features of the training rows.
    posterior : Posterior
        Of their weights.
    sign, weight : arrays of shape (n,)
        Labels ±1 and weights.

    Returns
    -------
    share : float
        One of `SHARES`.
    """
    variance = score_deviation(Phi, posterior.covariance) ** 2
    variance /= np.maximum(1 - posterior.curvature * variance, 1e-9)
    margin = sign * (Phi @ posterior.mean - variance * posterior.gap)
    losses = np.logaddexp(0.0, -moderated_scores(margin, np.sqrt(variance), SHARES[:, None])) @ weight
    return float(SHARES[np.flatnonzero(losses <= losses.min() + CONTRADICTION)[-1]])
