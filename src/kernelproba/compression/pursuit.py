"""Which centres to keep: orthogonal matching pursuit in the function space of the kernel.

Given functions f_s = Σⱼ αⱼₛ k(·, zⱼ), centres are taken one after another.  With P the projection on the span
of those taken so far, the next one is the centre by which the distance of the functions to the span falls
most::

    argmax_j  Σ_s r_s(zⱼ)² / d(zⱼ),      r_s = f_s − P f_s,      d(z) = k(z, z) − (P k(·, z))(z)

P is kept as the factor of a pivoted Cholesky decomposition, whose rows grow by one with every centre.  Pivots
by d alone span the rows well but know nothing of the functions.

Functions of pairs of classes have centres of their two classes each: a span for every pair, and a centre is
worth what it is worth in all pairs of its class.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernelproba.kernels import Kernel
from kernelproba.kernels.blocks import row_blocks
from kernelproba.typing import Matrix

#: Share of k(z, z) below which what is left of a centre is rounding.
FLOOR = 1e-9


@dataclass(frozen=True)
class SharedCenters:
    """Functions that share their centres: numbers (n,) of these, and coefficients (n, k)."""

    index: np.ndarray
    coef: np.ndarray


class FunctionSpan:
    """What centres taken so far leave of functions, and of other centres.

    Parameters
    ----------
    kernel, Z : Kernel, array of shape (n, d)
        Kernel and centres of the functions.
    coef : array of shape (n, k)
        α.
    """

    def __init__(self, kernel: Kernel, Z: Matrix, coef: np.ndarray):
        blocks = (
            np.asarray(kernel(Z[rows], Z), dtype=np.float64) for rows in row_blocks(len(coef), len(coef))
        )
        self._residual = np.concatenate([K @ coef for K in blocks])
        self._diagonal = np.asarray(kernel.diag(Z), dtype=np.float64)
        self._left = self._diagonal.copy()
        self._factor = np.empty((16, len(coef)))  # FᵀF is what the span explains of k(Z, Z)
        self._size = 0

    def gains(self) -> np.ndarray:
        """Return what each centre (n,) would bring; 0 for one that is in the span already."""
        usable = self._left > FLOOR * self._diagonal
        squares = np.einsum("ij,ij->i", self._residual, self._residual)
        return np.where(usable, squares / np.where(usable, self._left, 1.0), 0.0)

    def take(self, j: int, column: np.ndarray) -> None:
        """Add a centre, whose kernel values with all centres are `column` (n,), to the span."""
        if self._size == len(self._factor):
            self._factor = np.concatenate([self._factor, np.empty_like(self._factor)])
        if self._left[j] <= FLOOR * self._diagonal[j]:
            return
        known, pivot = self._factor[: self._size], np.sqrt(self._left[j])
        row = (column - known[:, j] @ known) / pivot
        self._factor[self._size] = row
        self._size += 1
        self._residual -= np.outer(row, self._residual[j] / pivot)
        self._left = np.maximum(self._left - row**2, 0.0)
        self._left[j] = 0.0


class MatchingPursuit:
    """Centres in the order in which they are worth keeping, found as far as they are asked for.

    Parameters
    ----------
    kernel : Kernel
        k, positive definite.
    Z : array or CSR matrix of shape (m, d)
        Centres.
    groups : sequence of SharedCenters
        Functions; together they have all centres.
    """

    def __init__(self, kernel: Kernel, Z: Matrix, groups: Sequence[SharedCenters]):
        self._kernel, self._Z, self._groups = kernel, Z, groups
        self._spans = [FunctionSpan(kernel, Z[group.index], group.coef) for group in groups]
        self._place = np.full((len(groups), Z.shape[0]), -1)
        for number, group in enumerate(groups):
            self._place[number, group.index] = np.arange(len(group.index))
        self._gains = [span.gains() for span in self._spans]
        self._total = np.zeros(Z.shape[0])
        for group, gains in zip(groups, self._gains, strict=True):
            self._total[group.index] += gains
        self._order: list[int] = []

    def first(self, size: int) -> np.ndarray:
        """Return the first centres (size,), or fewer if those span all others."""
        while len(self._order) < min(size, len(self._total)):
            j = int(self._total.argmax())
            if self._total[j] < 0:
                break
            self._take(j)
        return np.array(self._order[:size], dtype=int)

    def _take(self, j: int) -> None:
        column = np.asarray(self._kernel(self._Z[j : j + 1], self._Z), dtype=np.float64)[0]
        for number in np.flatnonzero(self._place[:, j] >= 0).tolist():
            index, span = self._groups[number].index, self._spans[number]
            span.take(int(self._place[number, j]), column[index])
            gains = span.gains()
            self._total[index] += gains - self._gains[number]
            self._gains[number] = gains
        self._order.append(j)
        self._total[j] = -1.0
