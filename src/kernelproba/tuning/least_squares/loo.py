"""Scores of left-out rows for every kernel and penalty of a grid, at the price of a few fits.

A grid of g kernels and a penalties needs g sums over rows and g·a factorisations, not g·a fits:

- the distances between rows and centres are computed once for all widths of a kernel;
- the sums G and M of a kernel serve all penalties;
- leave-one-out scores follow in closed form (with one ridge for rows of all weights, which is exact for
  equal weights), and a sample of the rows is enough to compare models, all scored on the same rows;
- single precision doubles the speed.  Where it is not enough, because a penalty comes near its rounding
  errors, the same is done in double precision.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from kernelproba.basis.class_centers import ClassCenters
from kernelproba.calibration import HeldOutScores
from kernelproba.estimators.base.classifier import Training
from kernelproba.kernels import Kernel, Stationary
from kernelproba.solvers.least_squares.normal_equations import NormalEquations, least_ridge
from kernelproba.solvers.loo.ridge import LeftOut, leave_one_out_path
from kernelproba.tuning.scaling import ScaledView

#: Distances between rows and one block of centres are held up to this number.
_HELD_VALUES = 64_000_000
#: Kernel values that are summed at once.
_BLOCK_VALUES = 16_000_000


@dataclass(frozen=True)
class LabelledRows:
    """Distinct rows (n, d), indicators of their classes (n, c), their weights and keys (n,)."""

    X: Any
    Y: np.ndarray
    weight: np.ndarray
    keys: np.ndarray

    def sample(self, size: int | None) -> np.ndarray:
        """Numbers of a random sample of the rows, the same whatever their order."""
        return np.sort(np.argsort(self.keys)[:size])


@dataclass(frozen=True)
class LeftOutTrials:
    """Leave-one-out of a sample of rows by the models of a grid.

    Parameters
    ----------
    training : Training
        Distinct rows, as the models are to see them.
    keys : array of shape (n,)
        Keys of their contents.
    centers : ClassCenters
        Rows among them that are centres.
    given : array of shape (m, d) or None
        Centres that are none of the rows, as the models see them.
    kernel_of : callable
        (Training, gamma) → Kernel.
    max_rows : int
        Size of the sample.
    """

    training: Training
    keys: np.ndarray
    centers: ClassCenters
    given: Any
    kernel_of: Callable[[Training, float | None], Kernel]
    max_rows: int

    def seen(self, view: ScaledView) -> "LeftOutTrials":
        """The same rows and centres on another scale."""
        given = None if self.given is None else view.rows(self.given)
        return replace(self, training=view.of(self.training), given=given)

    def __call__(self, gammas: Sequence[float | None], alphas: Sequence[float]) -> HeldOutScores:
        """Return scores (g, a, r, c) of the sample."""
        X, y, weight = self.training.X, self.training.y, self.training.weight
        Y = (y[:, None] == np.arange(y.max() + 1)).astype(np.float32)
        rows = LabelledRows(X, Y, weight, self.keys)
        chosen = rows.sample(self.max_rows)
        kernels = [self.kernel_of(self.training, gamma) for gamma in gammas]
        Z = kernels[0].select(X, self.centers.rows) if self.given is None else self.given
        Q = left_out_scores(rows, chosen, self.centers, Z, kernels, alphas)
        return HeldOutScores(Q, y[chosen], weight[chosen])


def left_out_scores(
    rows: LabelledRows,
    chosen: np.ndarray,
    centers: ClassCenters,
    Z: Any,
    kernels: Sequence[Kernel],
    alphas: Sequence[float],
) -> np.ndarray:
    """Leave-one-out scores of some rows for all kernels and penalties.

    Parameters
    ----------
    rows : LabelledRows
        All rows.
    chosen : array of shape (r,)
        Numbers of the rows to score.
    centers : ClassCenters
        Blocks of centres.
    Z : array of shape (m, d)
        The stacked centres.
    kernels, alphas : sequences
        The grid.

    Returns
    -------
    Q : ndarray of shape (len(kernels), len(alphas), r, c)
        In single precision.
    """
    Q = np.empty((len(kernels), len(alphas), len(chosen), rows.Y.shape[1]), dtype=np.float32)
    owned = centers.owned_by(rows.keys[chosen])
    for block in centers.blocks:
        columns = kernel_columns(kernels, rows.X, Z[block.columns])
        part = LabelledRows(rows.X, rows.Y[:, block.classes], rows.weight, rows.keys)
        local = block.local(owned)
        for g in range(len(kernels)):
            Q[g][:, :, block.classes] = _scores(part, chosen, local, partial(columns, g), alphas)
    return Q


def kernel_columns(kernels: Sequence[Kernel], X: Any, Z: Any) -> Callable[..., np.ndarray]:
    """Function (g, dtype, rows) → k_g(X[rows], Z), with distances computed once where that is possible."""
    shared = all(isinstance(k, Stationary) and np.ndim(k.length_scale) == 0 for k in kernels)
    shared = shared and X.shape[0] * Z.shape[0] <= _HELD_VALUES
    held: dict[Any, np.ndarray] = {}

    def columns(g: int, dtype: Any, rows: Any) -> np.ndarray:
        if not shared:
            return kernels[g](X[rows], Z).astype(dtype, copy=False)
        if dtype not in held:
            held[dtype] = kernels[0].distances(X.astype(dtype), Z.astype(dtype))
        return kernels[g].of_distance(held[dtype][rows].copy())

    return columns


def _scores(
    rows: LabelledRows,
    chosen: np.ndarray,
    center: np.ndarray,
    columns: Callable[..., np.ndarray],
    alphas: Sequence[float],
) -> np.ndarray:
    """Scores (a, r, k) of one kernel and one block of centres, in the least precision that will do."""
    total, weight = float(rows.weight.sum()), rows.weight[chosen].astype(np.float32)
    ridge = min(alphas) * (total - rows.weight.max())
    K = columns(np.float32, chosen)
    # The trace of G = Σ s φφᵀ as the sample has it, before G itself.
    trace = total / float(weight.sum()) * float(np.vdot(K, K * weight[:, None]))
    if ridge < least_ridge(trace, np.float32):
        K = columns(np.float64, chosen)
    left_out = LeftOut(K, rows.Y[chosen].astype(K.dtype), rows.weight[chosen].astype(K.dtype), center)
    return leave_one_out_path(_equations(rows, columns, K), left_out, alphas, total)


def _equations(rows: LabelledRows, columns: Callable[..., np.ndarray], like: np.ndarray) -> NormalEquations:
    """Sums over all rows, a block at a time, with the columns and in the precision of features `like`."""
    equations = NormalEquations.empty(like.shape[1], rows.Y.shape[1], like.dtype)
    n, step = len(rows.weight), max(1, _BLOCK_VALUES // like.shape[1])
    for start in range(0, n, step):
        part = slice(start, start + step)
        root = np.sqrt(rows.weight[part]).astype(like.dtype)[:, None]
        K = columns(like.dtype.type, part)
        K *= root
        equations.add(K, root * rows.Y[part])
    return equations
