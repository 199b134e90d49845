"""Scores written out as sums over centres: the form in which a kernel machine gives its reasons."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kernelproba.kernels import Kernel, Stationary
from kernelproba.kernels.expansion import expansion_scores
from kernelproba.rows.store import as_rows
from kernelproba.typing import Matrix

#: In `KernelExpansion`: a centre that is no training row, or a score against all other classes.
NONE = -1
#: Kernel values held at once while predicting.
BLOCK_VALUES = 4_000_000
#: Norm of the coefficients of a score up to which probabilities in single precision are off by 1e-5 at most.
LARGEST_SINGLE_NORM = 64.0


@dataclass(frozen=True)
class KernelCenters:
    """Centres, and the kernel that compares rows with them.

    Attributes
    ----------
    kernel : Kernel
        k.
    centers : array of shape (m, d)
        z; column numbers (m,) for a precomputed kernel.
    rows : ndarray of shape (m,)
        The training row that each centre is, −1 for a centre that is none.
    """

    kernel: Kernel
    centers: Matrix
    rows: np.ndarray

    def similarities(self, X: Matrix) -> np.ndarray:
        """Return k(x, zⱼ) for checked rows X, shape (n, m), in double precision."""
        if len(self.rows) == 0:
            return np.empty((X.shape[0], 0))
        return np.asarray(self.kernel(X, self.centers), dtype=np.float64)

    def map(self, X: Matrix, fn: Callable[[np.ndarray], np.ndarray], *, widen: bool = True) -> np.ndarray:
        """Stack ``fn(similarities)``, a block of checked rows X (n, d) at a time; `fn` must not keep them.

        They come in double precision, or in that of rows and centres if they need not be widened.
        """
        if len(self.rows) and self.kernel.comes_in_blocks:
            return self.kernel.map(X, self.centers, fn, widen=widen)
        block_rows = max(1, BLOCK_VALUES // max(len(self.rows), 1))
        return as_rows(X, block_rows=block_rows).map(lambda block: fn(self.similarities(block)))


@dataclass(frozen=True)
class KernelExpansion(KernelCenters):
    """Scores f_s(x) = Σⱼ coef[s, j] k(x, zⱼ) + intercept[s] that share their centres.

    Attributes
    ----------
    kernel, centers, rows
        As in `KernelCenters`.
    coef : ndarray of shape (k, m)
        One row of coefficients per score.
    intercept : ndarray of shape (k,)
        What each score is without any centre.
    sides : ndarray of shape (k, 2)
        The class that each score is for and the one it is against, as indices into `classes_`; −1 for
        "against all others".
    """

    coef: np.ndarray
    intercept: np.ndarray
    sides: np.ndarray

    def scores(self, X: Matrix) -> np.ndarray:
        """Return f_s(x) of checked rows X, shape (n, k), in double precision.

        Rows and centres in single precision are compared in it, and the sums done in it, where the
        coefficients are small enough for that.
        """
        centers = self if self._single_suffices() else self._in_double()
        return centers.map(X, lambda K: expansion_scores(K, self.coef.T, self.intercept), widen=False)

    def _single_suffices(self) -> bool:
        """Whether single precision keeps the probabilities: rounding in kernels of at most 1 is as ‖α‖."""
        norms = np.einsum("ij,ij->i", self.coef, self.coef)
        return isinstance(self.kernel, Stationary) and norms.max(initial=0.0) <= LARGEST_SINGLE_NORM**2

    def _in_double(self) -> KernelCenters:
        """Centres with which rows are compared in double precision."""
        wide = self.centers.astype(np.float64) if self.centers.dtype == np.float32 else self.centers
        return KernelCenters(self.kernel, wide, self.rows)


def score_sides(n_scores: int) -> np.ndarray:
    """Sides (k, 2) of the usual scores: one log-odds of class 1 against class 0, or one score per class."""
    if n_scores == 1:
        return np.array([[1, 0]])
    return np.column_stack([np.arange(n_scores), np.full(n_scores, NONE)])
