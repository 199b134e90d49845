"""A quadratic with one norm per row, by block coordinate descent.

    min_X  ½ tr(XᵀQX) + ⟨c, X⟩ + Σⱼ λⱼ ‖Xⱼ‖,      X (p, k)

Q acts on the rows alone, so the minimum over one row is in closed form: with u = Q_jj Xⱼ − (QX + c)ⱼ,

    Xⱼ = u (1 − λⱼ/‖u‖)₊ / Q_jj
"""

import numpy as np


def group_quadratic(
    Q: np.ndarray, c: np.ndarray, strength: np.ndarray, start: np.ndarray, *, tol: float, max_iter: int = 200
) -> np.ndarray:
    """Minimise from `start`; stop once no row moves its slope by more than tol, or after `max_iter` sweeps.

    Parameters
    ----------
    Q : array of shape (p, p)
        Positive definite.
    c, start : arrays of shape (p, k)
        c and X.
    strength : array of shape (p,)
        λ ≥ 0.
    tol, max_iter : float, int
        When to stop.
    """
    X, slope = start.copy(), Q @ start + c
    rows = np.arange(len(Q))
    for sweep in range(max_iter):
        moved = max((_update(Q, strength[j], X, slope, j) for j in rows.tolist()), default=0.0)
        if moved <= tol and len(rows) == len(Q):
            break
        # Rows at zero mostly stay there: look at them again only once the others have settled.
        settled = moved <= tol or sweep % 10 == 9
        rows = np.arange(len(Q)) if settled else np.flatnonzero(X.any(axis=1) | (strength == 0))
    return X


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
