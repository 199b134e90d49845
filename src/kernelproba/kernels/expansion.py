"""Scores f(x) = Σⱼ αⱼ k(x, zⱼ) + b from kernel values, finite however large these are."""

import numpy as np

from kernelproba.kernels.thin_product import thin_product

#: Size of the largest score of a row whose scores would overflow.
LARGEST_SCORE = 1e300


def expansion_scores(K: np.ndarray, coef: np.ndarray, intercept: np.ndarray | float = 0.0) -> np.ndarray:
    """Return K α + b; the scores of a row that would overflow keep their ratios and end at ±1e300.

    Parameters
    ----------
    K : array of shape (n, m)
        Finite kernel values.
    coef : array of shape (m, k)
        α.
    intercept : array of shape (k,) or float, default=0.0
        b.

    Returns
    -------
    F : ndarray of shape (n, k)
        Finite scores.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        F = thin_product(K, coef.astype(K.dtype, copy=False)) + intercept
        if np.isfinite(F.sum()):
            return F
    lost = np.flatnonzero(~np.isfinite(F).all(axis=1))
    if len(lost):
        F[lost] = _in_units(K[lost], coef, intercept)
    return F


def _in_units(K: np.ndarray, coef: np.ndarray, intercept: np.ndarray | float) -> np.ndarray:
    """Scores in units in which the largest one of each row is `LARGEST_SCORE`."""
    unit, size = np.abs(K).max(axis=1, keepdims=True), max(np.abs(coef).max(), 1.0)
    F = (K / unit) @ (coef / size) + intercept / size / unit
    return F * (LARGEST_SCORE / np.abs(F).max(axis=1, keepdims=True))
