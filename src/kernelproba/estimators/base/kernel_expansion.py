"""Scores written out as sums over centres: the form in which a kernel machine gives its reasons."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelproba.kernels import Kernel

#: In `KernelExpansion`: a centre that is no training row, or a score against all other classes.
NONE = -1


@dataclass(frozen=True)
class KernelExpansion:
    """Scores f_s(x) = Σⱼ coef[s, j] k(x, zⱼ) + intercept[s] that share their centres.

    Attributes
    ----------
    kernel : Kernel
        k.
    centers : array of shape (m, d)
        z; column numbers (m,) for a precomputed kernel.
    rows : ndarray of shape (m,)
        The training row that each centre is, −1 for a centre that is none.
    coef : ndarray of shape (k, m)
        One row of coefficients per score.
    intercept : ndarray of shape (k,)
        What each score is without any centre.
    sides : ndarray of shape (k, 2)
        The class that each score speaks for and the one it speaks against, as indices into `classes_`;
        −1 for "against all others".
    """

    kernel: Kernel
    centers: Any
    rows: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    sides: np.ndarray

    def similarities(self, X: Any) -> np.ndarray:
        """Return k(x, zⱼ) for checked rows X, shape (n, m), in double precision."""
        return np.asarray(self.kernel(X, self.centers), dtype=np.float64)


def score_sides(n_scores: int) -> np.ndarray:
    """Sides (k, 2) of the usual scores: one log-odds of class 1 against class 0, or one score per class."""
    if n_scores == 1:
        return np.array([[1, 0]])
    return np.column_stack([np.arange(n_scores), np.full(n_scores, NONE)])
