"""New class priors from unlabelled rows, by maximum likelihood (Saerens, Latinne & Decaestecker 2002).

With p(x|y) unchanged, the density of a new row under priors q is proportional to Σ_j r_ij q_j,
r_ij = p(j|x_i) / π_j, where p and π are posterior and priors of training.  So

    ℓ(q) = Σ_i log Σ_j r_ij q_j ,   q ≥ 0, Σ_j q_j = 1,

is concave, ℓ(π) = 0, and −∂²ℓ/∂q∂qᵀ = SᵀS with s_ij = r_ij / Σ_k r_ik q_k; the inverse of that on
Σ_j q_j = 1 is V, the covariance of q̂ for a posterior that is known.

A posterior fitted on N rows adds its own error.  Let it agree with its class counts, Σ_train p̂ = N π̂,
as a logistic fit with intercept does.  Without shift q̂ = π̂ + D (p̄_new − p̄_train), with
D Cov(p) Dᵀ = nV and D Cov(p) = Σ_q = diag(q) − qqᵀ.  The two means are independent, so

    2(ℓ(q̂) − ℓ(π̂)) / (1 + n/N) ~ χ²(c − 1) ,     Cov(q̂) = V + (nV − Σ_q) / N .

The second term is what labels on the new rows would have saved, nV − Σ_q, once per training row.
Under shift it is an approximation.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, null_space, solve_triangular
from scipy.optimize import nnls
from scipy.stats import chi2


@dataclass(frozen=True)
class PriorEstimate:
    """Priors estimated from n unlabelled rows.

    Attributes
    ----------
    priors, std_error : ndarray of shape (c,)
        The maximum-likelihood priors and their standard errors.  A standard error is infinite where
        the rows cannot tell a class from others.
    covariance : ndarray of shape (c, c)
        V + (nV − Σ_q)/N, V the inverse of the observed Fisher information (its identified part).
    log_likelihood : float
        ℓ(priors) − ℓ(training priors), ≥ 0.
    inflation : float
        1 + n/N, by which the fit of the posterior swells the likelihood ratio.
    gap : float
        A bound on (max ℓ − ℓ(priors)) / n, the stopping criterion.
    n_iter : int
        Iterations made.
    converged : bool
        Whether `gap` reached the tolerance.

    See Also
    --------
    estimate_priors : Returns it.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.decision import estimate_priors
    >>> P = np.repeat([[0.9, 0.1], [0.1, 0.9]], [60, 40], axis=0)
    >>> estimate = estimate_priors(P, np.array([0.5, 0.5]))
    >>> estimate.converged, estimate.priors.round(2), estimate.std_error.round(2)
    (True, array([0.62, 0.38]), array([0.06, 0.06]))
    """

    priors: NDArray[np.float64]
    std_error: NDArray[np.float64]
    covariance: NDArray[np.float64]
    log_likelihood: float
    inflation: float
    gap: float
    n_iter: int
    converged: bool


class ShiftTest(NamedTuple):
    """Likelihood-ratio test of "the priors are those of training".

    See Also
    --------
    shift_test : Returns it.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.decision import estimate_priors, shift_test
    >>> P = np.repeat([[0.9, 0.1], [0.1, 0.9]], [30, 10], axis=0)
    >>> test = shift_test(estimate_priors(P, np.array([0.5, 0.5])))
    >>> test.df, bool(test.p_value < 0.01)
    (1, True)
    """

    statistic: float
    df: int
    p_value: float


def estimate_priors(
    P: NDArray, train_priors: NDArray, *, n_train: float = np.inf, tol: float = 1e-9, max_iter: int = 200
) -> PriorEstimate:
    """Estimate the class priors of the rows whose training posterior is P.

    An EM step q_j ← q_j mean_i(s_ij) can neither overshoot nor leave the simplex, but crawls when
    classes overlap; a Newton step, taken when it climbs higher, converges quadratically also to
    priors of exactly 0.  Stops once max_j mean_i(s_ij) − 1 ≤ tol, which bounds the mean
    log-likelihood still to gain, by concavity.

    Parameters
    ----------
    P : ndarray of shape (n, c)
        Posterior of the unlabelled rows under the training priors.
    train_priors : ndarray of shape (c,)
        Positive priors that belong to P.
    n_train : float, default=inf
        The number N of rows that the posterior was fitted on; infinite for a known posterior.
    tol : float, default=1e-9
        The gain in mean log-likelihood that may be missed.
    max_iter : int, default=200
        Iterations at most.

    See Also
    --------
    cautious_priors : The same, held back by its uncertainty.
    shift_test : Whether priors have changed.
    reweight_posterior : What they do to a posterior.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.decision import estimate_priors
    >>> P = np.repeat([[1.0, 0.0], [0.0, 1.0]], [30, 10], axis=0)
    >>> estimate_priors(P, np.array([0.5, 0.5])).priors.round(3)
    array([0.75, 0.25])
    """
    if not (train_priors > 0).all():
        raise ValueError(
            f"train_priors must be positive to estimate new ones; got {train_priors.tolist()}: "
            "leave out classes that the model has not seen"
        )
    R = P / train_priors
    q, S, gap, n_iter = _maximise(R, np.ones(len(P)), train_priors, tol, max_iter)
    covariance, undetermined = _inverse_information(S)
    # nV − Σ_q is positive in expectation; rounding and small samples must not make it negative.
    covariance = covariance + _positive_part(len(P) * covariance - np.diag(q) + np.outer(q, q)) / n_train
    return PriorEstimate(
        priors=q,
        std_error=np.where(undetermined, np.inf, np.sqrt(covariance.diagonal())),
        covariance=covariance,
        log_likelihood=max(float(np.log(R @ q).sum()), 0.0),
        inflation=1.0 + len(P) / n_train,
        gap=gap,
        n_iter=n_iter,
        converged=gap <= tol,
    )


def cautious_priors(
    P: NDArray, train_priors: NDArray, *, tol: float = 1e-9, max_iter: int = 200
) -> NDArray[np.float64]:
    """Return new priors (c,) to predict with: the likeliest if c more rows, spread as in training, were seen.

    The likelihood alone often has its maximum at a prior of exactly 0, a certainty that n rows cannot
    give and that costs −log 0 once the class turns up.  So this maximises ℓ(q) + c Σ_j π_j log q_j:
    positive priors, nearer to those of training the less the rows say.

    Parameters
    ----------
    P, train_priors, tol, max_iter
        As in `estimate_priors`.

    See Also
    --------
    estimate_priors : The estimate that it starts from.
    shift_test : Whether there is a shift at all.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.decision import cautious_priors, estimate_priors
    >>> P = np.repeat([[1.0, 0.0]], 10, axis=0)
    >>> estimate_priors(P, np.array([0.5, 0.5])).priors.round(2)
    array([1., 0.])
    >>> cautious_priors(P, np.array([0.5, 0.5])).round(2)
    array([0.92, 0.08])
    """
    c = len(train_priors)
    R, weights = np.vstack([P / train_priors, np.eye(c)]), np.append(np.ones(len(P)), c * train_priors)
    return _maximise(R, weights, train_priors, tol, max_iter)[0]


def _maximise(
    R: NDArray, weights: NDArray, start: NDArray, tol: float, max_iter: int
) -> tuple[NDArray, NDArray, float, int]:
    """Maximise Σ_i w_i log Σ_j r_ij q_j over the simplex; return q, S, the gap and the iterations made."""
    weights, q = weights / weights.sum(), start
    for n_iter in range(max_iter + 1):
        S = R / (R @ q)[:, None]
        gain = weights @ S
        gap = max(float(gain.max()) - 1.0, 0.0)
        if gap <= tol or n_iter == max_iter:
            break
        q = _step(R, weights, q, S, gain)
    return q, S, gap, n_iter


def _mean_log(R: NDArray, weights: NDArray, q: NDArray) -> float:
    with np.errstate(divide="ignore"):
        return float(weights @ np.log(R @ q))


def _step(R: NDArray, weights: NDArray, q: NDArray, S: NDArray, gain: NDArray) -> NDArray:
    """Return the better of an EM step and a Newton step with backtracking."""
    em = q * gain
    em /= em.sum()
    try:
        target = _newton_target(S, weights, gain)
    except RuntimeError:  # nnls gave up on an ill-conditioned model; EM needs no model
        return em
    value = _mean_log(R, weights, em)
    # Near the top ℓ no longer tells the steps apart; Newton's is the better one there.
    rounding = 1e-14 * max(1.0, abs(value))
    for length in 0.5 ** np.arange(20):
        newton = q + length * (target - q)
        newton /= newton.sum()
        if _mean_log(R, weights, newton) >= value - rounding:
            return newton
    return em


def _newton_target(S: NDArray, weights: NDArray, gain: NDArray) -> NDArray:
    """Maximise the quadratic model of ℓ over q ≥ 0.

    The sum needs no constraint: −ℓ(q)/n + Σ_j q_j has its minimum over q ≥ 0 on the simplex, since
    ℓ(tq) = ℓ(q) + n log t.  Its model at q, by Hq = gain with H = Σ_i w_i s_i s_iᵀ, is
    ½zᵀHz − zᵀ(2 gain − 1).
    """
    c = len(gain)
    H = S.T @ (weights[:, None] * S)
    # A trace of ridge lets classes that the rows cannot tell apart through.
    U = cholesky(H + 1e-12 * np.trace(H) / c * np.eye(c))
    z, _ = nnls(U, solve_triangular(U, 2.0 * gain - 1.0, trans="T"), maxiter=30 * c)
    return z


def _inverse_information(S: NDArray) -> tuple[NDArray, NDArray]:
    """Return V = B(BᵀSᵀSB)⁻¹Bᵀ, B a basis of Σ_j δ_j = 0, and which classes it leaves open."""
    c = S.shape[1]
    B = null_space(np.ones((1, c)))
    information = S.T @ S
    values, vectors = np.linalg.eigh(B.T @ information @ B)
    directions = B @ vectors
    known = values > c * np.finfo(float).eps * np.trace(information)
    covariance = (directions[:, known] / values[known]) @ directions[:, known].T
    return covariance, (abs(directions[:, ~known]) > 1e-6).any(axis=1)


def _positive_part(A: NDArray) -> NDArray:
    values, vectors = np.linalg.eigh(A)
    return (vectors * values.clip(min=0.0)) @ vectors.T


def shift_test(estimate: PriorEstimate) -> ShiftTest:
    """Test whether the priors have moved at all: 2(ℓ(q̂) − ℓ(π))/(1 + n/N) ~ χ²(c − 1) if they have not.

    See Also
    --------
    estimate_priors : How large the shift is.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.decision import estimate_priors, shift_test
    >>> P = np.repeat([[0.9, 0.1], [0.1, 0.9]], [20, 20], axis=0)
    >>> bool(shift_test(estimate_priors(P, np.array([0.5, 0.5]))).p_value > 0.9)
    True
    """
    df = len(estimate.priors) - 1
    statistic = 2.0 * estimate.log_likelihood / estimate.inflation
    return ShiftTest(statistic, df, float(chi2.sf(statistic, df)) if df else 1.0)
