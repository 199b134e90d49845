"""The problem of a logistic function of given centres, on samples in memory and on all rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from sklearn.utils.random import sample_without_replacement

from kernelproba.estimators.kernel_logistic.exact import Options
from kernelproba.estimators.kernel_logistic.memory_plan import MemoryPlan
from kernelproba.kernels import Comparison, Kernel
from kernelproba.losses import loss_for
from kernelproba.objective import Objective
from kernelproba.penalties import FunctionNorm
from kernelproba.rows import MemoryRows
from kernelproba.rows.protocol import Rows
from kernelproba.solvers.smooth.progressive import GRAM_COST_RATIO
from kernelproba.typing import Matrix

#: Rows per centre of the first sample; of the last one, whose curvature the steps over all rows go by; and of
#: that where many centres would make its Gram matrix dearer than the steps it saves.
FIRST_SAMPLE, LAST_SAMPLE, SMALL_SAMPLE, MANY_CENTERS = 4, 20, 12, 2500
#: By how much samples grow whose kernel values are computed at every pass, and how much fewer rows they have
#: than there are: their passes together cost about as much as one over all rows, and save several.
GROWTH = 8
#: By how much the first of them must be larger than the one whose kernel values are kept.
LEAST_GROWTH = 2


@dataclass(frozen=True)
class CenteredProblem:
    """Σ ωᵢ ℓ(yᵢ, f(xᵢ) + b) + ½‖f‖² over the f spanned by centres.

    Parameters
    ----------
    kernel, Z, index : Kernel, arrays of shapes (m, d) and (m,)
        Of the function space, the centres, and the rows that they are, −1 for none.
    rows, y, weights : Rows of n rows, aligned values
        Rows, class indices and ω = C·weight.
    n_classes : int
        c.
    """

    kernel: Kernel
    Z: Matrix
    index: np.ndarray
    rows: Rows
    y: np.ndarray
    weights: np.ndarray
    n_classes: int

    def suits_samples(self, memory: int) -> bool:
        """Whether samples pay; if not, conjugate gradients on whitened features of all rows do."""
        n, m = len(self.rows), self.Z.shape[0]
        crowded = n <= LAST_SAMPLE * m and m > GRAM_COST_RATIO
        # Features in single precision, twice while they are put together, and matrices of the centres.
        return not crowded or 12 * n * m > memory


@dataclass(frozen=True)
class Levels:
    """Objectives on growing samples in memory, and on all rows if the last sample has not got them.

    Parameters
    ----------
    samples, full : list of Objective, Objective or None
        The problem on samples, weighted as all rows are, and on all rows.
    index : array of shape (s,)
        Rows of the last sample, in its order.
    larger : callable
        Makes an iterator of the problem on larger samples, whose features are computed when they are needed.
    """

    samples: list[Objective]
    full: Objective | None
    index: np.ndarray
    larger: Callable[[], Iterator[Objective]]

    @classmethod
    def of(
        cls,
        problem: CenteredProblem,
        options: Options,
        plan: MemoryPlan,
        rng: np.random.RandomState,
        *,
        larger: bool = False,
    ) -> "Levels":
        """Draw the samples, larger ones if they are asked for, and compute the features of the last.

        In double precision: coefficients of kernels are large and cancel, and the noise of single precision,
        which depends on how a store cuts its blocks, would decide where the steps end.
        """
        m, n = problem.Z.shape[0], len(problem.rows)
        compare = Comparison(problem.kernel, problem.Z, np.float64)
        penalty = FunctionNorm(_center_matrix(problem))
        loss = loss_for(problem.n_classes)
        k = loss.n_scores(problem.n_classes)

        def objective(features: Rows, y: np.ndarray, weights: np.ndarray) -> Objective:
            return Objective(features, y, weights, loss, penalty, k, options.fit_intercept)

        block_rows, largest = plan.block_rows(m), plan.sample_rows(m)
        sizes = sorted({min(n, largest, size) for size in (FIRST_SAMPLE * m, last_sample(n, m, plan))})
        most = min(n // GROWTH, plan.drawn_rows(problem.rows.width)) if larger else 0
        between = larger_sizes(sizes[-1], most)
        sample = Sample.draw(problem, max([sizes[-1], *between]), rng)
        held = compare(sample.X[: sizes[-1]])
        budget = plan.kept_features(m, held.nbytes + 8 * max(between, default=0) * problem.rows.width)

        def sampled(features: Rows, size: int) -> Objective:
            return objective(features, sample.y[:size], sample.weights[:size] * (n / size))

        def computed(rows: Rows) -> Rows:
            return rows.in_blocks(block_rows).features(compare, m, budget=budget)

        samples = [
            sampled(MemoryRows(held[:size], plan.sample_block_rows(m)), size)
            for size in sizes
            if size == sizes[-1] or 2 * size <= sizes[-1]
        ]
        full = None
        if sizes[-1] < n:
            full = objective(computed(problem.rows), problem.y, problem.weights)
        return cls(
            samples,
            full,
            sample.index[: sizes[-1]],
            lambda: (sampled(computed(MemoryRows(sample.X[:size])), size) for size in between),
        )

    def weighted(self, problem: CenteredProblem) -> Objective:
        """The objective on all rows with the weights of another problem."""
        if self.full is not None:
            features, (weights, y) = self.full.features.bearing(problem.weights, problem.y)
            return replace(self.full, features=features, y=y, weights=weights)
        order = np.argsort(self.index)
        weights = np.empty(len(order))
        weights[order] = problem.rows.pick(problem.weights, np.arange(len(order)))
        return replace(self.samples[-1], weights=weights)


def last_sample(n: int, m: int, plan: MemoryPlan) -> int:
    """Rows of the sample whose curvature preconditions the steps over all n rows.

    Its Gram matrix takes r m² operations for each score, and a step over features that are kept the time of
    some 30 n m, by the speed of memory.
    """
    return (SMALL_SAMPLE if m > MANY_CENTERS and plan.keeps(n, m) else LAST_SAMPLE) * m


def larger_sizes(kept: int, most: int) -> list[int]:
    """Rows of samples between one of which everything is kept and the most that can be drawn."""
    sizes = []
    while most >= LEAST_GROWTH * kept:
        sizes.append(most)
        most //= GROWTH
    return sizes[::-1]


@dataclass(frozen=True)
class Sample:
    """Rows in memory, in random order, with their labels, weights and numbers."""

    X: Matrix
    y: np.ndarray
    weights: np.ndarray
    index: np.ndarray

    @staticmethod
    def draw(problem: CenteredProblem, size: int, rng: np.random.RandomState) -> "Sample":
        """Take `size` rows."""
        n, rows = len(problem.rows), problem.rows
        order = rng.permutation(size)
        index = np.arange(n)
        if size < n:
            index = np.sort(sample_without_replacement(n, size, random_state=rng))
        return Sample(
            rows.take(index)[order],
            rows.pick(problem.y, index)[order],
            rows.pick(problem.weights, index)[order],
            index[order],
        )


def _center_matrix(problem: CenteredProblem) -> np.ndarray:
    """K_zz with a jitter at rounding level."""
    K = np.array(problem.kernel(problem.Z, problem.Z), dtype=np.float64)
    K = (K + K.T) / 2
    K[np.diag_indices_from(K)] += len(K) * np.finfo(np.float64).eps * float(K.diagonal().mean())
    return K
