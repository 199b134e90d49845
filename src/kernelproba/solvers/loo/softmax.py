"""Approximate leave-one-out of a kernel logistic fit, binary or softmax, from its last Newton system.

Without row i the objective loses ωᵢℓᵢ.  One Newton step from the optimum f, with the curvature of the other
rows unchanged, moves the scores (k,) of that row to [Cawley & Talbot 2008, for one score]

    f₋ᵢ = fᵢ − S₋ᵢ αᵢ,      αᵢ = −ωᵢ∂ℓᵢ,      S₋ᵢ = (I − SᵢDᵢ)⁻¹ Sᵢ,      Dᵢ = ωᵢ∂²ℓᵢ

where Sᵢ (k, k) is the block of row i of the inverse Hessian in the space of scores, (K⁻¹ ⊗ I + D)⁻¹.  It
ignores that the other rows' curvature would change: the error is of second order in the influence of one row.

With K = ΦΦᵀ + Λ (`basis.low_rank`), what row i has for itself, Λᵢ, softens its curvature and is lost with the
row.  For softmax, ω(diag p − ppᵀ) becomes a matrix of the same kind,

    D̂ᵢ = diag(eᵢ) − eᵢeᵢᵀ/1ᵀeᵢ,      eᵢₐ = ωᵢpᵢₐ / (1 + Λᵢωᵢpᵢₐ)
    f₋ᵢ = fᵢ − (ΛᵢI + (I − ŜᵢD̂ᵢ)⁻¹ Ŝᵢ) αᵢ

and Ŝ comes from one r × r matrix per class and one n × n matrix [Rasmussen & Williams 2006, §3.5],

    Bₐ = I + Φᵀdiag(eₐ)Φ,      Gₐ = ΦBₐ⁻¹Φᵀ,      M = Σₐ (diag(eₐ) − diag(eₐ) Gₐ diag(eₐ))
    Ŝ(a, b) = δ_ab Gₐ + Gₐ diag(eₐ) M⁻¹ diag(e_b) G_b

at some k n² (5r + k) operations.  An intercept is one more feature, 1, that is hardly penalised.

Where the rank is low, one system of (k − 1) r equations is cheaper.  Softmax looks at nothing but differences
of scores, Qᵀf.  Among these the Hessian has the blocks

    H(a, b) = δ_ab I + Φᵀ diag((QᵀD̂Q)_ab) Φ,      H = LLᵀ

and products of columns of L⁻¹(I ⊗ Φᵀ) are QᵀŜQ: some 2 (k − 1)² n r² operations.  Where the rank is nearly
full, n × n matrices are cheaper (`solvers.loo.softmax_rows`).

**One observation of several.**  Rows with the same features share one location, at which all that was said is
said of their weights and forces together; Σᵢ = ΛᵢI + (I − ŜᵢD̂ᵢ)⁻¹Ŝᵢ is then the covariance without any of
them, and those that stay are put back exactly (`solvers.loo.locations`).  One score for two classes needs no
M: Ŝ = G.
"""

from collections.abc import Callable
from operator import itemgetter

import numpy as np
from scipy.linalg import blas

from kernelproba.basis.low_rank import LowRank
from kernelproba.linalg import triangular_inverse
from kernelproba.losses import loss_for
from kernelproba.number_range import LARGEST
from kernelproba.solvers.loo.locations import Locations, readmitted
from kernelproba.solvers.loo.softmax_rows import cavities_in_rows, column_products, factor

#: Penalty of an intercept relative to the weight of all rows.
INTERCEPT_PENALTY = 1e-6

#: Arrays of a problem → cavities of its rows.
Cavities = Callable[..., np.ndarray]

#: Time of n × n matrices, which are mostly in single precision, relative to others of as many operations.
SINGLE_SHARE = 0.5

#: Force on a row relative to its curvature beyond which single precision would lose the latter.
SURPRISE = 1e4

#: Least weight of a row relative to the largest: the matrices must stay regular.
LEAST_WEIGHT = 1e-12


def softmax_loo_scores(
    K: LowRank,
    F: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray,
    *,
    fit_intercept: bool,
    share: np.ndarray | None = None,
    locations: Locations | None = None,
) -> np.ndarray:
    """Scores (n, k) of each row by the fit without it, or without one of the observations it stands for.

    Parameters
    ----------
    K : LowRank
        Kernel matrix.
    F : array of shape (n, k)
        Scores of the rows by the fit to all: one for two classes, else one per class.
    y, weights : arrays of shape (n,)
        Class indices, and ω = C·weight.
    fit_intercept : bool
        Whether the intercepts were free.
    share : array of shape (n,), optional
        Share s in (0, 1] of the weight of each row that is left out; all of it by default.
    locations : Locations, optional
        Which rows have the same features; none by default.
    """
    n, k = F.shape
    locations = Locations.distinct(n) if locations is None else locations
    loss, n_classes = loss_for(2 if k == 1 else k), max(k, 2)
    weights = np.maximum(weights, LEAST_WEIGHT * weights.max())
    force = locations.totals(-loss.value_and_gradient(F, y, weights)[1])  # α
    Q = _differences(n_classes)
    penalty = INTERCEPT_PENALTY * weights.sum() if fit_intercept else np.inf
    cavity = _location_cavities(K, F, weights, force, locations, penalty)
    if k == 1:  # f = f₁ − f₀, of which the difference of length one is f/√2
        cavity, force, F = cavity[:, :, None] / 2, force * [-1.0, 1.0], F * [-0.5, 0.5]
    with np.errstate(over="ignore"):  # weights far apart: a score beyond all others is as good as infinite
        start = F[locations.first] @ Q - (cavity @ (force @ Q)[:, :, None])[:, :, 0]
    start = np.clip(start, -LARGEST, LARGEST)
    share = np.ones(n) if share is None else share
    remaining = locations.remaining(y, weights, share, n_classes)
    left_out = readmitted(cavity[locations.which], start[locations.which], remaining, Q) @ Q.T
    return left_out[:, 1:] - left_out[:, :1] if k == 1 else left_out


def _location_cavities(
    K: LowRank, F: np.ndarray, weights: np.ndarray, force: np.ndarray, locations: Locations, penalty: float
) -> np.ndarray:
    """Σ of every location: (m, 1) for one score, else (m, k − 1, k − 1) among differences."""
    first, k = locations.first, F.shape[1]
    Phi, rest = K.Phi[first], K.rest[first, None]
    curvature = locations.totals(weights)[:, None] * loss_for(max(k, 2)).curvature(
        F[first]
    )  # ωp, or ωp(1 − p)
    softened = _softened(curvature, rest)
    if k == 1:
        return rest + _single_cavity(*_features(Phi, penalty), softened)
    Q, surprising = _differences(k), bool((np.abs(force) > SURPRISE * curvature).any())
    return softmax_cavities(Phi, penalty, softened, Q, surprising) + rest[:, :, None] * np.eye(k - 1)


def _features(Phi: np.ndarray, penalty: float) -> tuple[np.ndarray, np.ndarray]:
    """Features (n, r) and their penalties (r,), an intercept included unless its penalty is infinite."""
    if penalty == np.inf:
        return Phi, np.ones(Phi.shape[1])
    return np.column_stack([Phi, np.ones(len(Phi))]), np.append(np.ones(Phi.shape[1]), penalty)


def _softened(curvature: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Curvature (n, k) of rows that have a score of their own beside what they share."""
    return curvature / (1 + rest * curvature)


def softmax_cavities(
    Phi: np.ndarray, penalty: float, E: np.ndarray, Q: np.ndarray, surprising: bool
) -> np.ndarray:
    """(I − ŜD̂)⁻¹ Ŝ of every row among differences of scores, (n, k − 1, k − 1).

    Parameters
    ----------
    Phi : array of shape (n, r)
        Features.
    penalty : float
        That of an intercept, infinite if there is none.
    E : array of shape (n, k)
        e.
    Q : array of shape (k, k − 1)
        Orthonormal basis of the differences.
    surprising : bool
        Whether some row is pushed with a force that its curvature is nothing beside.
    """
    way = _cheapest(len(Phi), Phi.shape[1], E.shape[1])
    if way is cavities_in_rows:
        return cavities_in_rows(Phi, penalty, E, Q, surprising)
    return way(*_features(Phi, penalty), E, Q)


def _cheapest(n: int, r: int, k: int) -> Cavities:
    """The way of the fewest operations: by a system of q r equations, or n × n matrices for each class."""
    q = k - 1
    ways: list[tuple[float, Cavities]] = [
        (q * (2 * q + 1) * n * r**2 + 2 * (q * r) ** 3 / 3, _cavities_in_differences),
        (k * (2 * n * r**2 + 4 * n**2 * r) + 2 * n**3 / 3, _cavities_in_features),
        (SINGLE_SHARE * (2 * k + 2 / 3) * n**3, cavities_in_rows),
    ]
    return min(ways, key=itemgetter(0))[1]


def _cavities_in_differences(Phi: np.ndarray, ridge: np.ndarray, E: np.ndarray, Q: np.ndarray) -> np.ndarray:
    D = Q.T @ _curvature_blocks(E) @ Q
    (n, r), q = Phi.shape, Q.shape[1]
    H, blocks = np.zeros((q * r, q * r)), [slice(a * r, (a + 1) * r) for a in range(q)]
    for a, b in zip(*np.tril_indices(q), strict=True):
        H[blocks[a], blocks[b]] = H[blocks[b], blocks[a]] = Phi.T @ (D[:, a, b, None] * Phi)
    H.flat[:: q * r + 1] += np.tile(ridge, q)
    root = triangular_inverse(factor(H))
    # H = LLᵀ: S(a, b) are products of columns of L⁻¹ (I ⊗ Φᵀ), nothing being above the diagonal of L⁻¹.
    halves, S = [root[block.start :, block] @ Phi.T for block in blocks], np.empty((n, q, q))
    for a, b in zip(*np.tril_indices(q), strict=True):
        S[:, a, b] = S[:, b, a] = np.einsum("ji,ji->i", halves[a], halves[b][-len(halves[a]) :])
    return np.linalg.solve(np.eye(q) - S @ D, S)


def _cavities_in_features(Phi: np.ndarray, ridge: np.ndarray, E: np.ndarray, Q: np.ndarray) -> np.ndarray:
    S = Q.T @ _covariance_blocks(Phi, ridge, E) @ Q
    rest = np.eye(Q.shape[1]) - S @ (Q.T @ _curvature_blocks(E) @ Q)
    return np.linalg.solve(rest, S)


def _curvature_blocks(E: np.ndarray) -> np.ndarray:
    """D̂ᵢ for every row, (n, k, k)."""
    return E[:, :, None] * (np.eye(E.shape[1]) - (E / E.sum(axis=1, keepdims=True))[:, None, :])


def _differences(k: int) -> np.ndarray:
    """Orthonormal basis (k, k − 1) of the vectors whose sum is zero."""
    return np.linalg.qr(np.eye(k)[:, 1:] - 1 / k)[0]


def _covariance_blocks(Phi: np.ndarray, ridge: np.ndarray, E: np.ndarray) -> np.ndarray:
    """Ŝᵢ for every row, (n, k, k)."""
    M, halves = np.diag(E.sum(axis=1)), []
    for e in E.T:
        halves.append(_half_covariance(Phi, ridge, e))  # Gₐ = HᵀH
        Z = halves[-1] * e
        M -= Z.T @ Z
    root = triangular_inverse(factor(M))
    # M = LLᵀ, and L⁻¹ diag(eₐ) Gₐ is one factor of the second term of Ŝ
    S = column_products(
        [blas.dtrmm(1.0, root, (H * e).T, lower=1) @ H for H, e in zip(halves, E.T, strict=True)]
    )
    for a, H in enumerate(halves):
        S[:, a, a] += np.einsum("ji,ji->i", H, H)
    return S


def _single_cavity(Phi: np.ndarray, ridge: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Ŝ / (1 − vŜ) of one score, (n, 1)."""
    H = _half_covariance(Phi, ridge, v[:, 0])
    spread = np.einsum("ji,ji->i", H, H)[:, None]
    return spread / np.maximum(1 - v * spread, 1e-12)


def _half_covariance(Phi: np.ndarray, ridge: np.ndarray, v: np.ndarray) -> np.ndarray:
    """H (r, n) with HᵀH = ΦB⁻¹Φᵀ, B = diag(ridge) + Φᵀdiag(v)Φ."""
    A = np.sqrt(v)[:, None] * Phi
    root = triangular_inverse(factor(A.T @ A + np.diag(ridge)))
    return blas.dtrmm(1.0, root, Phi.T, lower=1)
