"""Decisions of least expected loss, with the option to reject (Chow 1970).

Risk of deciding j:  R_j(x) = Σ_i p(i|x) L_ij.   Decide argmin_j R_j(x), or reject the row when
min_j R_j(x) exceeds the cost of rejecting.  A target coverage is the same rule with the cost at
which that share of the rows is kept.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

REJECTED = -1
"""The index of a rejected row among decisions, and so the last entry of a table of labels."""


class Decision(NamedTuple):
    """What was decided on n rows, and at which expected loss.

    Attributes
    ----------
    chosen : ndarray of shape (n,)
        The index of the class decided, or `REJECTED`.
    risk : ndarray of shape (n,)
        The expected loss of the best class, also where the row was rejected.

    See Also
    --------
    minimum_risk : Returns it.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.decision import minimum_risk, zero_one_loss
    >>> decision = minimum_risk(np.array([[0.9, 0.1], [0.4, 0.6]]), zero_one_loss(2), reject_cost=0.3)
    >>> decision.chosen, decision.risk
    (array([ 0, -1]), array([0.1, 0.4]))
    """

    chosen: NDArray[np.intp]
    risk: NDArray[np.float64]


def expected_risk(P: NDArray, loss_matrix: NDArray) -> NDArray[np.float64]:
    """Return R = P L, the expected loss (n, c) of each decision.

    Parameters
    ----------
    P : ndarray of shape (n, c)
        Posterior probabilities.
    loss_matrix : ndarray of shape (c, c) or (n, c, c)
        Costs, for all rows or one matrix per row.

    See Also
    --------
    minimum_risk : Decides by it.
    realised_cost : Costs of decisions once labels are known.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.decision import expected_risk
    >>> expected_risk(np.array([[0.9, 0.1]]), np.array([[0.0, 1.0], [20.0, 0.0]]))
    array([[2. , 0.9]])
    """
    relative, level = _relative_risk(P, loss_matrix)
    return relative + level[:, None]


def _relative_risk(P: NDArray, loss_matrix: NDArray) -> tuple[NDArray, NDArray]:
    """Return the risk (n, c) less that of always paying the dearest mistake, and the latter (n,)."""
    # Taking a constant from a truth's costs moves all decisions alike.  With the largest cost taken,
    # the zero-one loss turns into −I and P(L − 1) into −P without any rounding: near ties the least
    # risk is then exactly the estimator's own argmax.
    dearest = loss_matrix.max(axis=-1)
    gains = loss_matrix - dearest[..., None]
    if loss_matrix.ndim == 2:
        return P @ gains, P @ dearest
    return np.einsum("ni,nij->nj", P, gains), np.einsum("ni,ni->n", P, dearest)


def minimum_risk(P: NDArray, loss_matrix: NDArray, reject_cost: float | None = None) -> Decision:
    """Decide by least expected loss; reject the rows whose least expected loss exceeds `reject_cost`.

    Ties go to the first class, and to deciding rather than rejecting.

    Parameters
    ----------
    P : ndarray of shape (n, c)
        Posterior probabilities.
    loss_matrix : ndarray of shape (c, c) or (n, c, c)
        Costs, for all rows or one matrix per row.
    reject_cost : float, optional
        The cost of leaving a row undecided; None decides on every row.

    See Also
    --------
    expected_risk : Risks of all decisions.
    kernelproba.MinimumRiskClassifier : A classifier that decides so.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.decision import minimum_risk
    >>> P = np.array([[0.9, 0.1], [0.4, 0.6]])
    >>> minimum_risk(P, np.array([[0.0, 1.0], [20.0, 0.0]])).chosen
    array([1, 1])
    """
    relative, level = _relative_risk(P, loss_matrix)
    chosen = relative.argmin(axis=1)
    risk = relative.min(axis=1) + level
    if reject_cost is not None:
        chosen = np.where(risk > reject_cost, REJECTED, chosen)
    return Decision(chosen, risk)


def coverage_threshold(risk: ArrayLike, coverage: float, weights: ArrayLike | None = None) -> float:
    """Return the least τ for which rows with risk ≤ τ make up at least the share `coverage`.

    Used as the cost of rejecting, τ keeps that share of rows like these.  A tie at τ is kept whole.
    Full coverage gives ∞: a new row may be riskier than all of these.

    Parameters
    ----------
    risk : array-like of shape (n,)
        The least expected loss of each row.
    coverage : float
        The share to keep, in (0, 1].
    weights : array-like of shape (n,), optional
        How many rows each row stands for.

    See Also
    --------
    minimum_risk : Rejects rows beyond it.

    Examples
    --------
    >>> from kernelproba.decision import coverage_threshold
    >>> coverage_threshold([0.1, 0.4, 0.2, 0.3], coverage=0.5)
    0.2
    """
    if coverage >= 1.0:
        return np.inf
    risk = np.asarray(risk, dtype=np.float64)
    order = np.argsort(risk, kind="stable")
    mass = np.cumsum(np.ones(len(risk)) if weights is None else np.asarray(weights, np.float64)[order])
    # The factor forgives the rounding of γ·Σw, which may land just above a whole number of rows.
    kept = np.searchsorted(mass, coverage * mass[-1] * (1.0 - 1e-12))
    return float(risk[order[kept]])


def realised_cost(
    truth: NDArray, decision: NDArray, loss_matrix: NDArray, reject_cost: float = np.nan
) -> NDArray[np.float64]:
    """Return what each decision cost once the truth is known, (n,).

    Parameters
    ----------
    truth, decision : ndarray of shape (n,)
        Indices of classes; a decision may be `REJECTED`.
    loss_matrix : ndarray of shape (c, c) or (n, c, c)
        Costs, for all rows or one matrix per row.
    reject_cost : float, default=nan
        The cost of a rejected row.

    See Also
    --------
    expected_risk : What a posterior expects it to be.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba.decision import REJECTED, realised_cost, zero_one_loss
    >>> realised_cost(np.array([0, 1, 1]), np.array([0, 0, REJECTED]), zero_one_loss(2), reject_cost=0.2)
    array([0. , 1. , 0.2])
    """
    if loss_matrix.ndim == 2:
        cost = loss_matrix[truth, decision]
    else:
        cost = loss_matrix[np.arange(len(truth)), truth, decision]
    return np.where(decision == REJECTED, reject_cost, cost)
