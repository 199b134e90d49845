"""Wu, Lin and Weng's second coupling: least squares on the simplex.

T.-F. Wu, C.-J. Lin, R. C. Weng, "Probability estimates for multi-class classification by pairwise
coupling", JMLR 5 (2004), section 4.2, with pair weights n_ij added:

    min_p  ½ Σ_i Σ_{j≠i} n_ij (r_ji p_i − r_ij p_j)²   subject to  Σ_i p_i = 1.

| on paper                       | in code            |
|--------------------------------|--------------------|
| Q_ii = Σ_{s≠i} n_si r_si²      | ``losses``         |
| Q_ij = −n_ij r_ij r_ji         | ``-coupled``       |
| Q p = λ1, 1ᵀp = 1              | ``(Q + 11ᵀ) p ∝ 1``|
"""

import numpy as np


def wu_lin_weng(R: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Minimise the weighted squares exactly, by one c × c system per row.

    The optimum solves Q p = λ1, hence (Q + 11ᵀ) p = (λ + 1) 1: solve for the right-hand side 1 and
    normalise.  Q itself is singular when the r_ij agree with one p, or when one class wins every
    pair outright; Q + 11ᵀ never is.  A null vector v of Q has r_ji v_i = r_ij v_j for every pair.
    As r_ij + r_ji = 1 its entries share one sign and it is unique up to scale, so 1ᵀv ≠ 0.  The set
    of all R is compact, so the condition number is bounded for each c, r in {0, 1} and ties included.

    Parameters
    ----------
    R : ndarray of shape (n, c, c)
        r_ij with r_ij + r_ji = 1; the diagonal is ignored.
    weights : ndarray of shape (c, c)
        n_ij, symmetric, with a zero diagonal.

    Returns
    -------
    ndarray of shape (n, c)
        The minimiser.  It is non-negative (Q is an M-matrix); what rounding leaves below 0 is clipped.
    """
    p = np.linalg.solve(coupling_systems(R, weights), np.ones((1, R.shape[1], 1)))[:, :, 0]
    np.maximum(p, 0.0, out=p)
    return p / p.sum(axis=1, keepdims=True)


def coupling_systems(R: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return Q + 11ᵀ (n, c, c) of r_ij (n, c, c) with r_ij + r_ji = 1."""
    weighted = weights * R
    coupled = weighted * R.transpose(0, 2, 1)
    losses = np.einsum("bsi,bsi->bi", weighted, R)
    systems = 1.0 - coupled
    diagonal = np.arange(R.shape[1])
    systems[:, diagonal, diagonal] += losses
    return systems
