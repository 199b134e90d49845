"""The posterior of all classes from the probabilities of their pairs."""

import numpy as np
from scipy.special import log_expit

from kernelproba.coupling.faint_classes import faint_rows, with_faint_classes
from kernelproba.coupling.hastie_tibshirani import hastie_tibshirani
from kernelproba.coupling.pairs import (
    check_pair_weights,
    check_pairs,
    class_pairs,
    n_classes,
    square_blocks,
    square_from_log_odds,
    square_slices,
    ties_and_leads,
)
from kernelproba.coupling.wu_lin_weng import wu_lin_weng
from kernelproba.number_range import log_probabilities

METHODS = ("wu-lin-weng", "hastie-tibshirani")


def couple(R, method: str = "wu-lin-weng", pair_weights=None, tol: float = 1e-10) -> np.ndarray:
    """Couple pairwise probabilities into one distribution per row.

    Parameters
    ----------
    R : array-like of shape (n, c, c) or (n, c(c−1)/2)
        r_ij = P(class i | class i or j), with r_ij + r_ji = 1 and a diagonal that is ignored; or the
        pairs i < j alone in the order of ``itertools.combinations(range(c), 2)``.
    method : {"wu-lin-weng", "hastie-tibshirani"}, default="wu-lin-weng"
        What p must minimise.  ``"wu-lin-weng"``: Σ_i Σ_{j≠i} n_ij (r_ji p_i − r_ij p_j)², one linear
        system per row.  ``"hastie-tibshirani"``: the Kullback–Leibler divergence between r_ij and
        p_i/(p_i + p_j), by Newton's method, with r clipped to [1e-12, 1 − 1e-12].
    pair_weights : array-like of shape (c, c), default=None
        n_ij > 0, how much each pair counts; symmetric, its unit and diagonal do not matter.  Hastie and
        Tibshirani take the number of rows that trained the pair.  None: every pair counts the same.
    tol : float, default=1e-10
        Largest residual of the score equations Σ_j n_ij p_i/(p_i + p_j) = Σ_j n_ij r_ij left by
        ``"hastie-tibshirani"``, with the n_ij scaled to a mean of 1.  ``"wu-lin-weng"`` is solved
        directly, to rounding.

    Returns
    -------
    ndarray of shape (n, c)
        Probabilities; float32 if R is, else float64 (which is what every block is solved in).  With two
        classes they are r itself.

    See Also
    --------
    couple_log_odds : The same from log-odds, without underflow.
    kernelproba.PairwiseCouplingClassifier : A classifier of pairs.

    Notes
    -----
    Rows are solved in blocks: besides the answer, memory does not depend on n.

    Examples
    --------
    >>> from kernelproba.coupling import couple
    >>> p = np.array([0.5, 0.3, 0.2])
    >>> R = p[:, None] / (p[:, None] + p)
    >>> couple(R[None]).round(6)
    array([[0.5, 0.3, 0.2]])
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {METHODS}, got {method!r}.")
    if not tol > 0:
        raise ValueError(f"tol must be positive, got {tol!r}; the default is 1e-10.")
    R = check_pairs(R)
    c = n_classes(R)
    solve = _solver(method, check_pair_weights(pair_weights, c), tol)
    P = np.empty((len(R), c), dtype=np.float32 if R.dtype == np.float32 else np.float64)
    for rows, block in square_blocks(R):
        P[rows] = block[:, [0, 1], [1, 0]] if c == 2 else solve(_sum_to_one(block))
    return P


def couple_log_odds(
    F: np.ndarray, method: str = "wu-lin-weng", pair_weights: object = None, tol: float = 1e-10
) -> np.ndarray:
    """Couple the log-odds of pairs into log-probabilities, which are finite where probabilities underflow.

    Parameters
    ----------
    F : ndarray of shape (n, c(c−1)/2)
        log r_ij/r_ji of the pairs i < j, in the order of ``itertools.combinations(range(c), 2)``.
    method, pair_weights, tol
        As in `couple`.

    Returns
    -------
    ndarray of shape (n, c)
        log p.

    See Also
    --------
    couple : The same from probabilities.
    kernelproba.PairwiseCouplingClassifier : A classifier of pairs.

    Examples
    --------
    >>> import numpy as np
    >>> couple_log_odds(np.array([[0.0, 2000.0, 2000.0]])).round(1)[0, :2].tolist()
    [-0.7, -0.7]
    """
    c = n_classes(F)
    if c == 2:
        return log_expit(np.hstack([F, -F]))
    weights = check_pair_weights(pair_weights, c)
    P = np.empty((len(F), c))
    if method == "hastie-tibshirani":
        for rows in square_slices(*P.shape):
            P[rows] = hastie_tibshirani(square_from_log_odds(F[rows]), weights=weights, tol=tol)
        return P
    for rows in square_slices(*P.shape):
        P[rows] = wu_lin_weng(*ties_and_leads(F[rows]), weights)
    log_P, faint = log_probabilities(P), faint_rows(P)
    for part in square_slices(len(faint), c):
        log_P[faint[part]] = with_faint_classes(P[faint[part]], F[faint[part]], weights)
    return log_P


def _solver(method, weights, tol):
    if method == "hastie-tibshirani":
        return lambda R: np.exp(hastie_tibshirani(R, weights=weights, tol=tol))
    i, j = class_pairs(len(weights)).T
    return lambda R: wu_lin_weng(R[:, i, j] * R[:, j, i], R[:, i, j] - R[:, j, i], weights)


def _sum_to_one(block):
    # Dividing, unlike averaging with 1 − r_ji, keeps the relative precision of a tiny r_ij.
    return block / (block + block.transpose(0, 2, 1))
