"""A quadratic with one norm per row, by block coordinate descent and jumps of all rows together.

    min_X  ½ tr(XᵀQX) + ⟨c, X⟩ + Σⱼ λⱼ ‖Xⱼ‖,      X (p, k)

Q acts on the rows alone, so the minimum over one row is in closed form: with u = Q_jj Xⱼ − (QX + c)ⱼ,

    Xⱼ = u (1 − λⱼ/‖u‖)₊ / Q_jj

Sweeps of such steps find the rows that are zero, but crawl where columns of Q are all but parallel.  Between
them the other rows S jump towards the minimum of the bound ‖Xⱼ‖ ≤ ½(‖Xⱼ‖²/ηⱼ + ηⱼ), ηⱼ = ‖Xⱼ‖ at present,

    X_S − (Q_SS + diag(λ/η))⁻¹ (QX + c + λX/η)_S

and further while that pays: the bound is too steep along Xⱼ itself.
"""

import numpy as np
from scipy.linalg import lapack

#: Jumps between two sweeps, and their lengths, of which the best is taken.
JUMPS, LENGTHS = 3, 2.0 ** np.arange(-1, 5)


def group_quadratic(
    Q: np.ndarray, c: np.ndarray, strength: np.ndarray, start: np.ndarray, *, tol: float, max_iter: int = 30
) -> np.ndarray:
    """Minimise from `start`; stop once no row of a sweep moves its slope by more than tol.

    Parameters
    ----------
    Q : array of shape (p, p)
        Positive definite.
    c : array of shape (p, k)
        Linear term.
    strength : array of shape (p,)
        λ ≥ 0.
    start : array of shape (p, k)
        X to begin with.
    tol, max_iter : float, int
        When to stop; an iteration is a sweep and the jumps behind it.
    """
    X, slope = start.copy(), Q @ start + c
    # Where no curvature holds a row back it may run away: then there is no minimum to return.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for _ in range(max_iter):
            moved = max((_update(Q, strength[j], X, slope, j) for j in range(len(Q))), default=0.0)
            if not moved > tol:
                break
            for _ in range(JUMPS):
                if not _jump(Q, strength, X, slope):
                    break
    return X if np.isfinite(X).all() else start


def _update(Q: np.ndarray, strength: float, X: np.ndarray, slope: np.ndarray, j: int) -> float:
    """Minimise over row j, in place; return how far that moved its slope."""
    diagonal = Q[j, j]
    u = diagonal * X[j] - slope[j]
    norm = float(np.sqrt(u @ u))
    shrink = 1.0 - strength / norm if norm > strength else 0.0
    step = u * (shrink / diagonal) - X[j]
    size = float(np.abs(step).max())
    if size > 0.0:
        X[j] += step
        slope += Q[j][:, None] * step
    return size * diagonal


def _jump(Q: np.ndarray, strength: np.ndarray, X: np.ndarray, slope: np.ndarray) -> bool:
    """Move the rows that are not zero together, in place; return whether that lowered the objective."""
    S = np.flatnonzero(X.any(axis=1) | (strength == 0))
    here, lam = X[S], strength[S]
    bend = np.divide(lam, _norms(here), out=np.zeros(len(S)), where=lam > 0)
    _, step, info = lapack.dposv(Q[np.ix_(S, S)] + np.diag(bend), -(slope[S] + bend[:, None] * here), lower=1)
    if info != 0 or not len(S):
        return False
    bent = Q[:, S] @ step
    first, second = np.vdot(slope[S], step), 0.5 * np.vdot(step, bent[S])
    values = [t * (first + t * second) + lam @ _norms(here + t * step) for t in LENGTHS]
    best = int(np.argmin(values))
    if not values[best] < lam @ _norms(here):
        return False
    X[S] += LENGTHS[best] * step
    slope += LENGTHS[best] * bent
    return True


def _norms(X: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("jk,jk->j", X, X))
