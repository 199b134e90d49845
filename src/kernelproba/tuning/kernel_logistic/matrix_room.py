"""Room that the kernel matrices of all fits of a search share.

A search compares fits to the same rows in several views, and to parts of them; each keeps the matrices of
some widths, because it comes back to them.  Where they do not all fit, those of the fits that were not used
for longest are computed anew when they are needed again.
"""

import math
from typing import Protocol
from weakref import ref

from kernelproba.estimators.kernel_logistic.memory_plan import SEARCH_BYTES


class MatrixKeeper(Protocol):
    """Fits to n rows that keep matrices of them."""

    def __len__(self) -> int:
        """Number of rows n."""

    def forget(self) -> None:
        """Give the memory of the matrices free."""


class MatrixRoom:
    """Bytes for the matrices of fits, of which each is counted with what it keeps at most.

    Parameters
    ----------
    n_bytes : float
        How many; the fits in use stay even if they alone take more.
    """

    def __init__(self, n_bytes: float = math.inf):
        self.n_bytes = n_bytes
        self._keepers: list[ref[MatrixKeeper]] = []

    def use(self, keeper: MatrixKeeper) -> None:
        """Let fits keep matrices; others that were used before them forget theirs while these do not fit."""
        others = [each for each in self._keepers if each() not in (None, keeper)]
        left = self.n_bytes - _most_bytes(keeper)
        kept: list[ref[MatrixKeeper]] = []
        for each in reversed(others):
            other = each()
            if other is None:
                continue
            left -= _most_bytes(other)
            if left >= 0:
                kept.append(each)
            else:
                other.forget()
        self._keepers = [*kept[::-1], ref(keeper)]


def _most_bytes(keeper: MatrixKeeper) -> int:
    return SEARCH_BYTES * len(keeper) ** 2
