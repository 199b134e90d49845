"""Wu, Lin and Weng's second coupling: least squares on the simplex.

T.-F. Wu, C.-J. Lin, R. C. Weng, "Probability estimates for multi-class classification by pairwise
coupling", JMLR 5 (2004), section 4.2, with pair weights n_ij added:

    min_p  ½ Σ_i Σ_{j≠i} n_ij (r_ji p_i − r_ij p_j)²   subject to  Σ_i p_i = 1.

| on paper                       | in code            |
|--------------------------------|--------------------|
| tᵢⱼ = rᵢⱼ rⱼᵢ                  | ``ties``           |
| rᵢⱼ − rⱼᵢ                      | ``leads``          |
| Q_ij = −n_ij tᵢⱼ               | ``systems``        |
| Q_ii = Σ_{s≠i} n_si r_si²      | ``losses``         |
| Q p = λ1, 1ᵀp = 1              | ``(Q + 11ᵀ) p ∝ 1``|

As r_si + r_is = 1, r_si² = r_si − t_si, and Q_ii = ½ Σ_s n_si (1 − (r_is − r_si)) − Σ_s n_si t_si: no more
than one number of every pair has to be laid out in a square.  What that subtracts is lost beside the 1 that
is added, as is all that is much smaller.
"""

import numpy as np

from kernelproba.coupling.pairs import class_pairs, pair_ends, symmetric_square


def wu_lin_weng(ties: np.ndarray, leads: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Minimise the weighted squares exactly, by one c × c system per row.

    The optimum solves Q p = λ1, hence (Q + 11ᵀ) p = (λ + 1) 1: solve for the right-hand side 1 and
    normalise.  Q itself is singular when the r_ij agree with one p, or when one class wins every
    pair outright; Q + 11ᵀ never is.  A null vector v of Q has r_ji v_i = r_ij v_j for every pair.
    As r_ij + r_ji = 1 its entries share one sign and it is unique up to scale, so 1ᵀv ≠ 0.  The set
    of all R is compact, so the condition number is bounded for each c, r in {0, 1} and ties included.

    Parameters
    ----------
    ties, leads : ndarray of shape (n, c(c−1)/2)
        r_ij r_ji and r_ij − r_ji of the pairs i < j.
    weights : ndarray of shape (c, c)
        n_ij, symmetric, with a zero diagonal.

    Returns
    -------
    ndarray of shape (n, c)
        The minimiser.  It is non-negative (Q is an M-matrix); what rounding leaves below 0 is clipped.
    """
    c = len(weights)
    (i, j), (first, second) = class_pairs(c).T, pair_ends(c)
    systems = symmetric_square(-weights[i, j] * ties, diagonal=0.0)
    won = (weights[i, j] * leads) @ (first - second)
    losses = 0.5 * (weights.sum(axis=1) - won) + systems.sum(axis=2)
    systems += 1.0
    systems[:, np.arange(c), np.arange(c)] += losses
    p = np.linalg.solve(systems, np.ones((1, c, 1)))[:, :, 0]
    np.maximum(p, 0.0, out=p)
    return p / p.sum(axis=1, keepdims=True)
