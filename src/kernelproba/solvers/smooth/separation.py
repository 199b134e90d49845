"""Does the likelihood have a maximum?

The likelihood of a logistic model rises without end exactly if some direction D ≠ 0 in the space of
coefficients never hurts a row and helps at least one [Albert & Anderson 1984]::

    mᵢₖ(D) = (φ̃ᵢᵀD)_yᵢ − (φ̃ᵢᵀD)ₖ ≥ 0   for all i and k ≠ yᵢ,      mᵢₖ(D) > 0 for some

All margins positive is *complete* separation, some zero *quasi-complete*.  Finding D is a linear programme.
It is rarely needed, because the fit itself can prove that there is none.  With gradient g, information H
and Newton's decrement λ² = gᵀH⁻¹g at any point, gᵀD = −Σ ωᵢ pᵢₖ mᵢₖ, hence

    DᵀHD ≤ Σ ωᵢ pᵢₖ mᵢₖ² ≤ max m · |gᵀD| ≤ max m · λ √(DᵀHD)      (Cauchy–Schwarz)
    DᵀHD ≤ λ² (max m)² ≤ 2 λ² max‖φ̃ᵢ‖² ‖D‖²

and a smallest eigenvalue of H above 2 λ² max‖φ̃ᵢ‖² leaves no room for D.
"""

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from kernelproba.objective import Objective
from kernelproba.solvers.solution import Solution

#: A margin beyond the feasibility tolerance of the linear programme (1e-7), where coefficients are ≤ 1.
POSITIVE = 1e-5


class SeparationError(ValueError):
    """The likelihood has no maximum because the features separate classes; a penalty is the cure.

    See Also
    --------
    BasisLogisticRegression : Raises it where no maximum of the likelihood exists.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelproba import BasisLogisticRegression, SeparationError
    >>> model = BasisLogisticRegression(C=np.inf, expansion="passthrough")
    >>> try:
    ...     model.fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    ... except SeparationError as error:
    ...     print(str(error).split("(")[0])
    The basis functions separate classes without error
    """


def separated_rows(
    objective: Objective, solution: Solution, information: np.ndarray, *, tol: float
) -> np.ndarray | None:
    """Rows (n,) that a direction separates while it hurts none, or None if the likelihood has a maximum.

    Parameters
    ----------
    objective : Objective
        A negative log-likelihood without a penalty, of features on a common scale and of full rank.
    solution : Solution
        What `newton_decrement` made of it.
    information : array
        The observed information there.
    tol : float
        A residual below this is not taken at its word: it may be rounding.
    """
    margins = _margins(objective.scores(solution.coef), objective.y)
    if (margins > 0).all():
        return np.ones(len(margins), dtype=bool)
    decrement = max(solution.residual, tol) * float(np.sqrt(np.mean(objective.weights)))
    if _rules_out_separation(objective, information, decrement):
        return None
    direction = _recession_direction(objective)
    margins = _margins(objective.scores(direction), objective.y)
    separated = np.asarray(margins.max(axis=1) > POSITIVE)
    return separated if separated.any() else None


def _rules_out_separation(objective: Objective, information: np.ndarray, decrement: float) -> bool:
    """Whether the smallest eigenvalue of the information is above the bound, and above its rounding."""
    eigenvalues = np.linalg.eigvalsh(information)
    squares = objective.features.map(lambda Phi: np.einsum("ij,ij->i", Phi, Phi))
    bound = 2 * decrement**2 * (squares.max(initial=0.0) + objective.fit_intercept)
    rounding = len(eigenvalues) * np.finfo(float).eps * eigenvalues.max(initial=0.0)
    return bool(eigenvalues.min(initial=np.inf) > bound + rounding)


def _margins(F: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Lead of the score of the own class over each other one, (n, 1) for one score and (n, c − 1) for c."""
    if F.shape[1] == 1:
        return np.where(y == 1, 1.0, -1.0)[:, None] * F
    n, c = F.shape
    others = np.arange(c) != y[:, None]
    return F[np.arange(n), y][:, None] - F[others].reshape(n, c - 1)


def _recession_direction(objective: Objective) -> np.ndarray:
    """D (q, k) with the greatest sum of margins while none is negative and |D| ≤ 1; zero if there is no D.

    The last of several scores is kept at zero: margins do not change with the sum of the scores.
    """
    A = _margin_matrix(objective)
    result = linprog(-A.sum(axis=0), A_ub=-A, b_ub=np.zeros(A.shape[0]), bounds=(-1, 1), method="highs")
    direction = objective.start()
    if result.status == 0:
        free = max(direction.shape[1] - 1, 1)
        direction[:, :free] = result.x.reshape(free, -1).T
    return direction


def _margin_matrix(objective: Objective) -> sp.csr_array:
    """Margins as a linear map of the free coefficients, (rows · other classes, q · free scores)."""
    Phi = objective.features.map(lambda Phi: Phi)
    if objective.fit_intercept:
        Phi = np.hstack([Phi, np.ones((len(Phi), 1))])
    y, k = objective.y, objective.n_scores
    # Scores of classes as a function of the free ones.
    signs = np.array([[-1.0], [1.0]]) / 2 if k == 1 else np.eye(k)[:, :-1]
    blocks = [
        sp.kron(signs[[a]] - signs[[b]], sp.csr_array(Phi[y == a]))
        for a in range(len(signs))
        for b in range(len(signs))
        if a != b
    ]
    return sp.csr_array(sp.vstack(blocks))
