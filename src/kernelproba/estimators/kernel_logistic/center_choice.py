"""Which centres span a kernel logistic function: all rows, so many of them, or enough of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from kernelproba.basis import centers_to_tolerance, choose_centers
from kernelproba.estimators.base.stored_training import StoredTraining
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.kernel_logistic.memory_plan import MemoryPlan
from kernelproba.kernels import Kernel
from kernelproba.rows import memory_budget
from kernelproba.rows.protocol import Rows
from kernelproba.rows.store import as_rows
from kernelproba.typing import Matrix, RandomState

#: What n_centers="auto" does: all rows up to so many, else centres to a tolerance, so many at most.
EXACT_ROWS = 10_000
AUTO_CENTERS = 4000
#: Share of Σ k(x, x) that centres may leave unexplained, and C times what they may leave of k(x, x): with a
#: weak penalty a function needs what a strong one leaves out.  Rounding hides what is less than the last.
AUTO_TOLERANCE, AUTO_LEFT, LEAST_TOLERANCE = 0.01, 0.1, 1e-6
#: Rows by which the height of a kernel is known.
HEIGHT_ROWS = 64


@dataclass(frozen=True)
class CenterChoice:
    """What was asked for.

    Attributes
    ----------
    number : int, "auto" or None
        `n_centers` of the estimator.
    rule : str or array of shape (m, d)
        `centers` of the estimator: how to choose them, or the centres themselves.
    plan : MemoryPlan
        How much memory is for what.
    random_state : int, RandomState or None
        Draws.
    C : float
        Weight of the loss.
    """

    number: Any
    rule: str | ArrayLike
    plan: MemoryPlan
    random_state: RandomState
    C: float

    def choose(
        self, kernel: Kernel, training: Training | StoredTraining, *, eligible: bool
    ) -> tuple[Matrix, np.ndarray] | None:
        """Centres and their row numbers (−1 for none), or None if all rows are to be centres.

        Parameters
        ----------
        kernel, training
            Kernel and rows.
        eligible : bool
            Whether the kernel allows fewer centres than rows.
        """
        given = not isinstance(self.rule, str)
        automatic = self.number == "auto" and not given
        if automatic and not (eligible and self._is_large(training)):
            return None
        if self.number is None and not given:
            return None
        if not eligible:
            raise ValueError("n_centers needs a kernel that is known to be positive definite.")
        rows = as_rows(training.X)
        if automatic:
            return self.among(kernel, rows, min(AUTO_CENTERS, self.plan.most_centers))
        m = np.shape(self.rule)[0] if given else min(self.number, len(rows))
        self._check_memory(m)
        return self.among(kernel, rows, m)

    def among(self, kernel: Kernel, rows: Rows, m: int) -> tuple[Matrix, np.ndarray]:
        """Choose m centres among rows, or as many as it takes where the number is left to be found."""
        among = self.plan.choice_rows(m, rows.width)
        if self.number == "auto" and isinstance(self.rule, str):
            return centers_to_tolerance(
                kernel, rows, m, self._tolerance(kernel, rows), self.random_state, among
            )
        return choose_centers(self.rule, kernel, rows, m, self.random_state, among)

    def _tolerance(self, kernel: Kernel, rows: Rows) -> float:
        """Share of Σ k(x, x) to leave unexplained."""
        height = float(kernel.diag(rows.take(np.arange(min(HEIGHT_ROWS, len(rows))))).mean())
        return float(np.clip(AUTO_LEFT / max(self.C * height, AUTO_LEFT), LEAST_TOLERANCE, AUTO_TOLERANCE))

    def _check_memory(self, m: int) -> None:
        """Say beforehand what m centres take at least."""
        if (least := self.plan.least(m)) > self.plan.total:
            raise MemoryError(
                f"n_centers={m} takes {least / 1e6:.3g} MB at least, more than memory_limit leaves beside "
                f"labels and weights, {self.plan.total / 1e6:.3g} MB. Raise memory_limit, or set n_centers "
                f"to {self.plan.most_centers} or less."
            )

    def _is_large(self, training: Training | StoredTraining) -> bool:
        """Whether all rows are too many to be centres without being asked for."""
        return isinstance(training, StoredTraining) or _are_many(len(training.y), self.plan)


def chooses_fewer(number: int | str | None, n: int, plan: MemoryPlan) -> bool:
    """Whether a rule chooses fewer centres than n rows in memory."""
    if number is None:
        return False
    return _are_many(n, plan) if isinstance(number, str) else number < n


def _are_many(n: int, plan: MemoryPlan) -> bool:
    return n > EXACT_ROWS or 8 * n * n > plan.total


def rows_in_memory(
    training: Training | StoredTraining, dtype: DTypeLike, memory_limit: float | str | None
) -> Training:
    """Return rows of which all are to be centres.

    Refuse them where their kernel matrix cannot be in memory, or exceeds a set limit.
    """
    if isinstance(training, StoredTraining):
        raise ValueError("Rows that are not in memory need n_centers, a number or 'auto'.")
    check_square(len(training.y), dtype, memory_limit)
    return training


def check_square(n: int, dtype: DTypeLike, memory_limit: float | str | None) -> None:
    """Refuse a kernel matrix of n rows that exceeds a set limit."""
    size = n * n * np.dtype(dtype).itemsize
    if memory_limit is not None and size > memory_budget(memory_limit):
        raise MemoryError(
            f"The kernel matrix of {n} rows takes {size / 1e9:.2g} GB, more than "
            f"memory_limit={memory_limit!r}. Use n_centers='auto', or raise the limit."
        )
