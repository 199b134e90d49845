"""Rows that are too many to be centres, in memory or in a store: samples by row number, scales, folds.

Everything is drawn by the numbers of rows, so that memory, files and clusters give the same samples and folds
under one `random_state`.  Class indices of all rows are held in memory, a byte or two each.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.utils.random import sample_without_replacement

from kernelproba.estimators.base.stored_training import StoredTraining
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.kernel_logistic.memory_plan import MemoryPlan
from kernelproba.losses import loss_for
from kernelproba.rows import MemoryRows
from kernelproba.rows.protocol import Rows
from kernelproba.rows.store import as_rows
from kernelproba.tuning.scaling import ScaledView
from kernelproba.typing import MatrixLike

#: Rows that a sample has of every class that has as many.
CLASS_ROWS = 2
#: Rows held out to judge settings by: a share, and so many at most.
JUDGED_SHARE, JUDGED_ROWS = 0.2, 10_000


@dataclass(frozen=True)
class ManyRows:
    """n rows that carry weight, wherever they are.

    Parameters
    ----------
    rows : Rows of shape (n, d)
        The rows.
    y, weight, sample_weight : aligned values of n rows
        Class indices, and weights with and without those of the classes.
    codes : array of shape (n,)
        The class indices in memory.
    """

    rows: Rows
    y: np.ndarray
    weight: np.ndarray
    sample_weight: np.ndarray
    codes: np.ndarray

    @classmethod
    def of(cls, training: Training | StoredTraining) -> "ManyRows":
        """Checked rows."""
        y = np.asarray(training.y)
        codes = y.astype(np.min_scalar_type(-1 - int(y.max())))
        return cls(as_rows(training.X), training.y, training.weight, training.sample_weight, codes)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def class_counts(self) -> np.ndarray:
        """Rows of each class (c,)."""
        return np.bincount(self.codes)

    def memory_plan(self, memory_limit: float | str | None) -> MemoryPlan:
        """How much memory a fit to the rows may take for what."""
        c = len(self.class_counts)
        return MemoryPlan.within(memory_limit, loss_for(c).n_scores(c), len(self))

    def draw(self, size: int, rng: np.random.RandomState) -> np.ndarray:
        """Numbers, in random order, of so many rows."""
        n = len(self)
        index = sample_without_replacement(n, min(size, n), random_state=rng)
        # The order of all rows is kept: four bytes each do, up to two thousand million of them.
        return rng.permutation(index.astype(np.min_scalar_type(-max(n, 2**31 - 1)), copy=False))

    def with_rare(self, index: np.ndarray) -> np.ndarray:
        """Numbers of rows in ascending order, and of two rows of every class that lacks them there."""
        counts = self.class_counts
        wanted = np.minimum(counts, CLASS_ROWS)
        rare = np.flatnonzero(np.bincount(self.codes[index], minlength=len(counts)) < wanted)
        more = [np.flatnonzero(self.codes == label)[:CLASS_ROWS] for label in rare]
        return np.unique(np.concatenate([index, *more]))

    def at(self, index: np.ndarray) -> Training:
        """Rows at ascending numbers, in memory."""
        y, sample_weight, weight = (
            self.rows.pick(values, index) for values in (self.y, self.sample_weight, self.weight)
        )
        return Training(self.rows.take(index), y, sample_weight, weight, index)

    def part(self, index: np.ndarray) -> "ManyRows":
        """Rows at ascending numbers, in memory, as if they were all."""
        chosen = self.at(index)
        return ManyRows(as_rows(chosen.X), chosen.y, chosen.weight, chosen.sample_weight, self.codes[index])

    def seen(self, view: ScaledView) -> Rows:
        """The rows on the scale on which they are compared."""
        if view.scaling is None:
            return self.rows
        if isinstance(self.rows, MemoryRows) and sp.issparse(self.rows.data):
            return MemoryRows(view.rows(self.rows.data))
        return self.rows.features(view.rows, view.width(self.rows.width), budget=0)

    def folds(self, n_folds: int, rng: np.random.RandomState) -> np.ndarray:
        """Fold (n,) of every row, dealt class by class; −1 for the only row of a class.

        Without it nothing would be known of its class; two rows are in two folds, and neither is judged by
        itself.
        """
        fold = np.zeros(len(self), dtype=np.int8)
        for label, count in enumerate(self.class_counts):
            dealt = (rng.permutation(count) + label) % n_folds if count > 1 else -1
            fold[self.codes == label] = dealt
        return fold


@dataclass(frozen=True)
class RowOrder:
    """In which order rows are looked at: some are held out, and the samples of the others are nested.

    Parameters
    ----------
    many : ManyRows
        All rows.
    judged : array of shape (h,)
        Numbers of the rows held out, ascending.
    others : array of shape (r,)
        Numbers of other rows, in random order.
    first : int
        Rows of the first sample.
    """

    many: ManyRows
    judged: np.ndarray
    others: np.ndarray
    first: int

    @classmethod
    def draw(cls, many: ManyRows, first: int, rng: np.random.RandomState) -> "RowOrder":
        """Draw the rows to be held out, and an order of the others."""
        held_out = min(int(JUDGED_SHARE * len(many)), JUDGED_ROWS)
        index = many.draw(len(many), rng)
        return cls(many, np.sort(index[:held_out]), index[held_out:], first)

    def sample(self, size: int) -> np.ndarray:
        """Numbers of a sample of so many rows, ascending; it has rows of all classes."""
        return self.many.with_rare(self.others[:size])

    def part(self, size: int) -> np.ndarray | None:
        """Numbers of so many rows, ascending, those held out among the last; None for all of them."""
        if size >= len(self.many):
            return None
        return self.many.with_rare(np.concatenate([self.others, self.judged])[:size])


def fit_input(rows: Rows) -> MatrixLike:
    """What `fit` takes: the store itself, or the sparse matrix in it."""
    return rows.data if isinstance(rows, MemoryRows) and sp.issparse(rows.data) else rows
