"""Leave-one-out scores of least-squares posteriors at many widths and penalties, at the price of a few fits.

- The distances between rows and centres are computed once for all widths of a kernel.
- The sums G and M of a kernel serve all penalties.
- Leave-one-out scores follow in closed form (with one ridge for rows of all weights, which is exact where
  what is left out weighs the same), and a sample of the rows is enough to compare models.
- Classes with centres of their own are solved together (`kernelproba.solvers.loo.ridge_stack`).
- Single precision doubles the speed.  Where it is not enough, because a penalty comes near its rounding
  errors, the same is done in double precision.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from kernelproba.basis.class_centers import CenterBlock, ClassCenters
from kernelproba.calibration import HeldOutScores
from kernelproba.kernels import Kernel
from kernelproba.kernels.distance_cache import DistanceCache
from kernelproba.kernels.resolve import kernel_size
from kernelproba.number_range import LARGEST_SINGLE
from kernelproba.solvers.least_squares.normal_equations import least_ridge
from kernelproba.solvers.loo.ridge import LeftOutRows
from kernelproba.solvers.loo.ridge_stack import EquationStack, leave_one_out_path, stacked_systems
from kernelproba.tuning.observations import Observations
from kernelproba.typing import Matrix

#: Kernel values that are summed at once.
_BLOCK_VALUES = 16_000_000
#: Ridges beyond which single precision overflows.
_MAX_SINGLE_RIDGE = 1e30

#: Takes rows on the common scale and gamma.
KernelOf = Callable[[Observations, float | None], Kernel]


class Basis(NamedTuple):
    """Centres and, where they are none of the rows, the centres themselves (m, d)."""

    centers: ClassCenters
    given: Matrix | None


class LeaveOneOutCandidates:
    """Models of one basis at many (gamma, alpha), judged by leaving out rows.

    Parameters
    ----------
    rows : Observations
        Rows, as the models are to see them.
    basis : Basis
        Centres, on the same scale.
    kernel_of : callable
        (Observations, gamma) → Kernel.
    max_rows : int
        Number of rows to leave out, a random sample.
    """

    def __init__(self, rows: Observations, basis: Basis, kernel_of: KernelOf, max_rows: int):
        if every := len(basis.centers.rows) == len(rows) and basis.given is None:
            rows = rows.at(basis.centers.rows)  # in the order of the centres distances are symmetric
        self._rows, self._centers, self._kernel_of = rows, basis.centers, kernel_of
        self._judged = np.sort(np.argsort(rows.keys)[:max_rows])
        Z = basis.given
        if Z is None and not every:
            Z = kernel_of(rows, 1.0).select(rows.X, basis.centers.rows)
        self._cache = DistanceCache(rows.X, Z)
        self._Y = (rows.y[:, None] == np.arange(rows.n_classes)).astype(np.float32)
        self._left_out = (rows.weight / rows.units)[self._judged]
        owned = basis.centers.owned_by(rows.keys[self._judged])
        self._own_center = np.where(rows.units[self._judged] > 1, -1, owned)
        blocks = basis.centers.blocks
        self._stacks = [
            _BlockStack([blocks[number] for number in numbers], self._Y[self._judged], self._own_center)
            for numbers in stacked_systems([len(block) for block in blocks])
        ]
        self._n_observations = float(rows.units[self._judged].sum())
        # A search walks to and fro between neighbouring widths.
        self._equations = lru_cache(maxsize=2)(self._compute_equations)
        self._judged_features = lru_cache(maxsize=4)(self._compute_judged_features)

    @property
    def n_rows(self) -> int:
        """Number of rows that the models are fitted to."""
        return len(self._rows)

    @property
    def folds(self) -> list[np.ndarray]:
        """Which of the scores belong together: all."""
        return [np.arange(len(self._judged))]

    def held_out(self, gamma: float | None, alphas: Sequence[float]) -> list[HeldOutScores]:
        """Return scores (r, c) of the rows left out for each penalty."""
        y, weight = self._rows.y[self._judged], self._rows.weight[self._judged]
        return [HeldOutScores(Q, y, weight, self._n_observations) for Q in self._scores(gamma, alphas)]

    def _scores(self, gamma: float | None, alphas: Sequence[float]) -> np.ndarray:
        """Scores (a, r, c)."""
        total = float(self._rows.weight.sum())
        dtype = self._precision(gamma, alphas, total)
        K, weight = self._judged_features(gamma, dtype), self._left_out.astype(dtype)
        Q = np.empty((len(alphas), len(self._judged), self._Y.shape[1]), dtype=dtype)
        for stack, equations in zip(self._stacks, self._equations(gamma, dtype), strict=True):
            rows = LeftOutRows(stack.features(K), stack.targets.astype(dtype), weight, stack.own_center)
            scores = leave_one_out_path(equations, rows, alphas, total)
            Q[:, :, stack.classes] = scores.transpose(0, 2, 1, 3)
        return Q

    def _precision(self, gamma: float | None, alphas: Sequence[float], total: float) -> np.dtype:
        """The least precision that will do for all blocks of centres."""
        largest = kernel_size(self._kernel_of(self._rows, gamma), self._rows.X)
        if max(alphas) * total > _MAX_SINGLE_RIDGE or largest * max(total, 1.0) > LARGEST_SINGLE:
            return np.dtype(np.float64)
        K, weight = self._judged_features(gamma, np.dtype(np.float32)), self._rows.weight[self._judged]
        # Diagonal of G = Σ s φφᵀ as the rows to be left out have it, before G itself.
        diagonal = (total / weight.sum()) * (weight.astype(np.float32) @ np.square(K))
        traces = [float(diagonal[block.columns].sum()) for block in self._centers.blocks]
        ridge = min(alphas) * (total - self._left_out.max())
        return np.dtype(np.float32 if ridge >= least_ridge(max(traces), np.float32) else np.float64)

    def _compute_judged_features(self, gamma: float | None, dtype: DTypeLike) -> np.ndarray:
        return self._cache.matrix(self._kernel_of(self._rows, gamma), dtype, self._judged)

    def _compute_equations(self, gamma: float | None, dtype: DTypeLike) -> list[EquationStack]:
        """Sums over all rows, for each stack of blocks of centres."""
        kernel, n = self._kernel_of(self._rows, gamma), len(self._rows)
        equations = [EquationStack.empty(*stack.shape, dtype) for stack in self._stacks]
        step = max(1, _BLOCK_VALUES // max(len(self._centers.rows), 1))
        for start in range(0, n, step):
            part = slice(start, start + step)
            K, Y, weight = self._cache.matrix(kernel, dtype, part), self._Y[part], self._rows.weight[part]
            if (weight != 1).any():
                root = np.sqrt(weight).astype(dtype)[:, None]
                K, Y = K * root, Y * root
            for stack, sums in zip(self._stacks, equations, strict=True):
                for number, block in enumerate(stack.blocks):
                    sums.system(number, len(block)).add(K[:, block.columns], Y[:, block.classes])
        return equations


class _BlockStack:
    """Blocks of centres whose models are left-out together, filled up to equal size.

    Parameters
    ----------
    blocks : sequence of CenterBlock
        The blocks, for as many classes each.
    Y : array of shape (r, c)
        Indicators of the classes of the rows to be left out.
    own_center : array of shape (r,)
        Number of the centre that goes with a row, −1 for none.
    """

    def __init__(self, blocks: Sequence[CenterBlock], Y: np.ndarray, own_center: np.ndarray):
        self.blocks = blocks
        self.classes = np.stack([block.classes for block in blocks])
        self.shape = len(blocks), max(map(len, blocks)), self.classes.shape[1]
        self.targets = np.ascontiguousarray(Y[:, self.classes].transpose(1, 0, 2))
        self.own_center = np.stack([block.local(own_center) for block in blocks])

    def features(self, K: np.ndarray) -> np.ndarray:
        """Columns of kernel values (r, m) by blocks (p, r, b)."""
        p, b, _ = self.shape
        Phi = np.zeros((p, len(K), b), dtype=K.dtype)
        for features, block in zip(Phi, self.blocks, strict=True):
            features[:, : len(block)] = K[:, block.columns]
        return Phi
