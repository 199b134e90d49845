"""A quadratic with weighted absolute values, by an active set: exact, whatever the conditioning.

    min_x  ½ xᵀQx + cᵀx + Σⱼ λⱼ |xⱼ|

From a point with signs s on its support S the minimiser for these signs solves Q_SS x = −(c + λ∘s)_S.  The
objective is minimised exactly along the way there, kinks included; an entry that the way ends at becomes
zero.  At the minimum on S the steepest entries outside join [feature-sign search, Lee et al. 2006].
"""

import numpy as np
from scipy.linalg import lapack

#: Share of the support that may join at once.
JOINING = 0.1


def lasso_quadratic(
    Q: np.ndarray, c: np.ndarray, strength: np.ndarray, start: np.ndarray, *, tol: float, max_iter: int = 1000
) -> np.ndarray:
    """Minimise from `start`; stop once no slope outside the support exceeds λ by more than tol.

    Parameters
    ----------
    Q : array of shape (p, p)
        Positive definite.
    c, strength, start : arrays of shape (p,)
        c, λ ≥ 0 and x.
    tol, max_iter : float, int
        When to stop; an iteration is one solution of a linear system.
    """
    x, sign = start.copy(), np.sign(start)
    active = (x != 0) | (strength == 0)
    share = JOINING
    for _ in range(max_iter):
        if active.any():
            before = np.count_nonzero(active)
            if not _descend(Q, c, strength, x, sign, active):
                # Of several that join at once some may have to go back at once; one alone never has to.
                share = 0.0 if np.count_nonzero(active) < before and not x[~active].any() else share
                continue
        slope = Q @ x + c
        excess = np.where(active, 0.0, np.abs(slope) - strength)
        if excess.max(initial=0.0) <= tol:
            break
        joining = np.argsort(-excess)[: max(1, int(share * np.count_nonzero(active)))]
        joining = joining[excess[joining] > max(tol, 0.3 * excess.max())]
        sign[joining], active[joining] = -np.sign(slope[joining]), True
    return x


def _descend(Q, c, strength, x, sign, active) -> bool:
    """Move x, in place, towards the minimum for its signs; return whether that was reached."""
    S = np.flatnonzero(active)
    Q_S, linear = Q[np.ix_(S, S)], c[S] + strength[S] * sign[S]
    _, target, info = lapack.dposv(Q_S, -linear, lower=1)
    if info != 0:
        target = np.linalg.lstsq(Q_S, -linear, rcond=None)[0]
    step = target - x[S]
    # An entry that has just joined is at zero with a sign: if the way leads to the other side, it stays.
    wrong = (x[S] == 0) & (step * sign[S] < 0) & (strength[S] > 0)
    if wrong.any():
        active[S[wrong]] = False
        sign[S[wrong]] = 0.0
        return not wrong.any()
    t, hit = _exact_search(Q_S, linear, strength[S], x[S], sign[S], step)
    x[S] += t * step
    x[S[hit]] = 0.0
    moved = S[strength[S] > 0]
    sign[moved] = np.sign(x[moved])
    active[:] = (x != 0) | (strength == 0)
    return t == 1.0 and not hit.any()


def _exact_search(Q, linear, strength, x, sign, step):
    """Minimise along x + t step, 0 < t ≤ 1; return t and the entries that are zero there.

    The slope at t is a + b t, plus 2 λⱼ|stepⱼ| for each kink behind: ½xᵀQx bends it by b = stepᵀQ step.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        kinks = np.where((step * sign < 0) & (strength > 0), -x / step, np.inf)
    none = np.zeros(len(x), dtype=bool)
    if not (kinks < 1.0).any():
        return 1.0, none
    bend = float(step @ (Q @ step))
    slope = float(step @ (Q @ x + linear))
    for j in np.argsort(kinks):
        if kinks[j] >= 1.0:
            break
        if slope + bend * kinks[j] >= 0:  # the minimum lies before this kink
            return -slope / bend, none
        slope += 2 * strength[j] * abs(step[j])
        if slope + bend * kinks[j] >= 0:  # or in it
            return kinks[j], kinks == kinks[j]
    # Without a kink on the way its end is the minimum, up to rounding.
    t = -slope / bend if bend > 0 else 1.0
    return (t if t < 0.999 else 1.0), none
