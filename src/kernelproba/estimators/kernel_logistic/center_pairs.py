"""Pairs of classes with chosen centres, for any number of rows in any store.

Every class has centres of its own, by its share of the rows; the function of a pair is spanned by those of
its two classes and fitted to their rows, by way of samples.  Where these rows do not fit into memory, all
rows are folded over, and those of other classes have no weight.  Coefficients are laid out as in `pairs`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from kernelproba.basis.centers import SAMPLE_ROWS
from kernelproba.coupling.pairs import class_pairs
from kernelproba.estimators.base.stored_training import StoredTraining
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.kernel_logistic.center_choice import AUTO_CENTERS, EXACT_ROWS, CenterChoice
from kernelproba.estimators.kernel_logistic.center_levels import CenteredProblem
from kernelproba.estimators.kernel_logistic.centers import fit_centers
from kernelproba.estimators.kernel_logistic.exact import LogisticFunction, Options
from kernelproba.estimators.kernel_logistic.memory_plan import SAMPLE, MemoryPlan
from kernelproba.estimators.kernel_logistic.pairs import LogisticPairs
from kernelproba.kernels import Kernel
from kernelproba.linalg import stacked_rows
from kernelproba.rows.store import as_rows
from kernelproba.typing import Matrix


def spans_fewer(number: int | str | None, codes: np.ndarray, plan: MemoryPlan) -> bool:
    """Whether pairs of these rows (n,) have fewer centres than rows; "auto" has where they are many."""
    if number != "auto":
        return number is not None
    sizes = np.sort(np.bincount(codes))
    pair = int(sizes[-2:].sum())
    squares = 8 * float(np.square(sizes, dtype=np.float64).sum() + pair**2)
    return pair > EXACT_ROWS or squares > plan.total


def check_settings(choice: CenterChoice, pair_Cs: object, solver: str) -> None:
    """Refuse what does not go with chosen centres."""
    if pair_Cs is not None or not isinstance(choice.rule, str) or choice.number is None:
        raise ValueError(
            "multi_class='pairwise' with fewer centres than rows chooses them itself, with one C for all "
            "pairs: set n_centers to a number or 'auto', centers to a rule, and leave pair_Cs out."
        )
    if solver not in ("auto", "progressive"):
        raise ValueError(
            f"multi_class='pairwise' with chosen centres is solved by progressive; got solver={solver!r}."
        )


@dataclass(frozen=True)
class ClassRows:
    """Rows of which each class has some.

    Parameters
    ----------
    training : Training or StoredTraining
        The rows.
    codes : array of shape (n,)
        Class indices in memory.
    """

    training: Training | StoredTraining
    codes: np.ndarray

    @classmethod
    def of(cls, training: Training | StoredTraining) -> "ClassRows":
        """Rows as a fit sees them."""
        return cls(training, np.asarray(training.y).astype(np.int32))

    def centers(self, kernel: Kernel, choice: CenterChoice) -> tuple[list[Matrix], list[np.ndarray]]:
        """Centres of each class, and the rows that they are."""
        rng, rows = check_random_state(choice.random_state), as_rows(self.training.X)
        counts = np.bincount(self.codes)
        most = min(AUTO_CENTERS, choice.plan.most_centers) if choice.number == "auto" else choice.number
        shares = np.maximum(1, np.round(most * counts / counts.sum()).astype(int))
        centers, numbers = [], []
        for label, share in enumerate(shares):
            index = np.flatnonzero(self.codes == label)
            if len(index) > (size := max(SAMPLE_ROWS, 5 * share)):
                index = index[np.sort(sample_without_replacement(len(index), size, random_state=rng))]
            Z, chosen = choice.among(kernel, as_rows(rows.take(index)), int(share))
            centers.append(Z)
            numbers.append(np.where(chosen < 0, -1, index[chosen]))
        return centers, numbers

    def pair(
        self,
        kernel: Kernel,
        centers: tuple[Matrix, np.ndarray],
        pair: tuple[int, int],
        C: float,
        memory: float,
    ) -> CenteredProblem:
        """The problem of one pair; a positive score speaks for its first class."""
        rows, (i, j) = as_rows(self.training.X), pair
        index = np.flatnonzero((self.codes == i) | (self.codes == j))
        if isinstance(self.training, Training) or 8 * len(index) * rows.width <= memory:
            labels, weight = (self.codes[index] == i).astype(int), rows.pick(self.training.weight, index)
            return CenteredProblem(kernel, *centers, as_rows(rows.take(index)), labels, C * weight, 2)
        labels = rows.map_values(partial(_is_first, i), self.training.y)
        weight = rows.map_values(partial(_pair_weight, pair), self.training.y, self.training.weight)
        return CenteredProblem(kernel, *centers, rows, labels, C * weight, 2)


def fit_center_pairs(
    kernel: Kernel,
    training: Training | StoredTraining,
    C: float,
    options: Options,
    choice: CenterChoice,
) -> tuple[LogisticPairs, Matrix]:
    """Fit every pair with centres of its classes; return the functions and all centres, sorted by class.

    Parameters
    ----------
    kernel, training
        Kernel and rows.
    C : float
        Inverse strength of the penalty.
    options : Options
        Settings of the solver.
    choice : CenterChoice
        How many centres, and how they are chosen.
    """
    rows = ClassRows.of(training)
    centers, numbers = rows.centers(kernel, choice)
    pairs = class_pairs(len(centers))
    fits = []
    for i, j in pairs:
        spanning = stacked_rows(centers[i], centers[j]), np.concatenate([numbers[i], numbers[j]])
        problem = rows.pair(kernel, spanning, (i, j), C, SAMPLE * choice.plan.total)
        with options.step("pair"):
            fits.append(fit_centers(problem, options, choice.plan, choice.random_state))
    return _joined(numbers, pairs, fits, C), stacked_rows(*centers)


def _joined(
    numbers: Sequence[np.ndarray], pairs: np.ndarray, fits: Sequence[LogisticFunction], C: float
) -> LogisticPairs:
    """The functions of pairs in one layout."""
    bounds = np.concatenate([[0], np.cumsum([len(each) for each in numbers])])
    dual = np.zeros((len(numbers) - 1, bounds[-1]))
    for (i, j), function in zip(pairs, fits, strict=True):
        parts = np.split(function.dual[:, 0], [len(numbers[i])])
        dual[j - 1, bounds[i] : bounds[i + 1]], dual[i, bounds[j] : bounds[j + 1]] = parts
    return LogisticPairs(
        order=np.concatenate(numbers),
        bounds=bounds,
        dual=dual,
        intercept=np.array([function.intercept[0] for function in fits]),
        C=np.full(len(fits), float(C)),
        solutions=[function.solution for function in fits],
    )


def _is_first(label: int, y: np.ndarray) -> np.ndarray:
    return (y == label).astype(int)


def _pair_weight(pair: tuple[int, int], y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weights of the rows of two classes, zero for others."""
    return np.where((y == pair[0]) | (y == pair[1]), weight, 0.0)
