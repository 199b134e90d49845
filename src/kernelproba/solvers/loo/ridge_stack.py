"""Leave-one-out scores of several ridge regressions at once, for many penalties.

A posterior of c classes with centres of their own is c systems of often only tens of equations.  One at a
time they are nearly all calls; here nothing but LAPACK is called for each of a stack (p, b, b).  Systems of
fewer than b equations are filled up with basis functions that are zero: where G is zero, N = (G + ρI)⁻¹
couples nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import DTypeLike
from scipy.linalg import LinAlgError, get_blas_funcs, get_lapack_funcs

from kernelproba.solvers.least_squares.normal_equations import NormalEquations, safe_ridge
from kernelproba.solvers.loo.ridge import LeftOutProducts, LeftOutRows, left_out_scores, row_dots

#: Equations up to which systems of different size are stacked.
MAX_STACKED = 256


@dataclass(frozen=True)
class EquationStack:
    """The sums G (p, b, b) and M (p, b, k) of p systems."""

    gram: np.ndarray
    moment: np.ndarray

    @classmethod
    def empty(cls, p: int, b: int, k: int, dtype: DTypeLike) -> "EquationStack":
        """Sums over no rows."""
        return cls(np.zeros((p, b, b), dtype), np.zeros((p, b, k), dtype))

    def system(self, number: int, size: int) -> NormalEquations:
        """The first equations of a system; rows that are added to them are added to the stack."""
        return NormalEquations(self.gram[number, :size, :size], self.moment[number, :size])

    def products(self, rows: LeftOutRows, ridge: float) -> tuple[np.ndarray, ...]:
        """What `LeftOutProducts` takes, for one ρ: inner products of columns of L⁻¹[Φ̃ᵀ, E, M]."""
        inverse = self._inverse_factors(ridge)
        (trmm,) = get_blas_funcs(("trmm",), (inverse,))
        P = rows.strangers
        for system, features in zip(inverse, P, strict=True):
            trmm(1.0, system.T, features.T, trans_a=1, overwrite_b=1)  # columns become L⁻¹φ̃, in place
        M = inverse @ self.moment
        which, _, z = rows.own
        E = inverse[which, :, z]
        coef = (E[:, None] @ M[which])[:, 0]
        return P @ M, row_dots(P, P), row_dots(P[rows.owner], E), row_dots(E, E), coef

    def _inverse_factors(self, ridge: float) -> np.ndarray:
        """L⁻¹ (p, b, b) for L Lᵀ = G + ρI; LAPACK, which stores by columns, sees Lᵀ."""
        A = self.gram.copy()
        potrf, trtri = get_lapack_funcs(("potrf", "trtri"), (A,))
        for system in A:
            system.reshape(-1)[:: len(system) + 1] += safe_ridge(system, ridge)
            _, info = potrf(system.T, lower=0, overwrite_a=1, clean=1)
            if info:
                raise LinAlgError(f"H + αI is not positive definite at column {info}: raise alpha.")
            trtri(system.T, lower=0, overwrite_c=1)
        return A


def leave_one_out_path(
    equations: EquationStack, rows: LeftOutRows, alphas: Sequence[float], total: float
) -> np.ndarray:
    """Scores of rows by the models that have not seen them, for many penalties; exact for equal weights.

    ρ is α (S − s̄) for all rows, s̄ their mean weight: one factorisation per α whatever the weights.  The
    penalty of row i is off by a factor of about 1 + (sᵢ − s̄)/S.

    Parameters
    ----------
    equations : EquationStack
        Sums over all rows, for each of p models.
    rows : LeftOutRows
        Rows among them, as each of the models sees them.
    alphas : sequence of float
        Penalties α.
    total : float
        S, the weight of all rows.

    Returns
    -------
    Q : ndarray of shape (len(alphas), p, r, k)
        Scores, for each penalty.
    """
    rest = total - float(rows.weight.mean())
    parts = (equations.products(rows, alpha * rest) for alpha in alphas)
    return left_out_scores(rows, LeftOutProducts.stack(parts))


def stacked_systems(sizes: Sequence[int]) -> list[list[int]]:
    """Numbers of the systems of each stack: none is filled up to more than twice its size."""

    def octave(number: int) -> tuple[int, int]:
        size = sizes[number]
        return (size.bit_length(), 0) if size <= MAX_STACKED else (size, number)

    order = sorted(range(len(sizes)), key=octave)
    return [list(group) for _, group in groupby(order, octave)]
