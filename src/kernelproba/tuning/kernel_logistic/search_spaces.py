"""What is to be chosen for each kernel, by the parameters of the user."""

import re
from collections.abc import Callable
from functools import partial
from numbers import Integral

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from kernelproba.estimators.base.stored_training import StoredTraining
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.base.validation import positive_numbers
from kernelproba.estimators.kernel_logistic.center_choice import EXACT_ROWS, chooses_fewer
from kernelproba.estimators.kernel_logistic.exact import Options
from kernelproba.estimators.kernel_logistic.memory_plan import MemoryPlan
from kernelproba.kernels import Kernel, resolve_kernel
from kernelproba.kernels.resolve import KernelLike
from kernelproba.rows.duplicates import Duplicates, count_distinct
from kernelproba.rows.folds import CrossValidation, make_folds
from kernelproba.tuning.grids import given_gammas
from kernelproba.tuning.kernel_logistic.candidates import Folds
from kernelproba.tuning.kernel_logistic.growth import Searched
from kernelproba.tuning.kernel_logistic.matrix_room import MatrixRoom
from kernelproba.tuning.kernel_logistic.pooled_kernels import POOLED_KERNELS, is_wide, suited_scales
from kernelproba.tuning.kernel_logistic.stages import SearchSpace
from kernelproba.tuning.observations import Observations, find_copies
from kernelproba.tuning.scaled_features import ScaledFeatures
from kernelproba.tuning.scaling import has_two_values
from kernelproba.typing import Matrix, MatrixLike

#: Tolerance of the fits of a search: their losses need fewer digits than the final fit.
SEARCH_TOL = 5e-2
#: Rows from which on its kernel matrices may be in single precision, in which small products are faster, too.
SINGLE_ROWS = 100

#: Features of more than two values up to which a Laplacian kernel weighs them: no matrix product computes its
#: slopes along those.
LAPLACIAN_FEATURES = 200

#: Share of the memory limit that rows of a store may take that are read because they repeat themselves.
READ_SHARE = 0.25

#: Parameters that the final models have from the search.
SHARED = (
    "degree",
    "coef0",
    "kernel_params",
    "class_weight",
    "fit_intercept",
    "n_centers",
    "memory_limit",
    "tol",
    "max_iter",
    "random_state",
)


class SearchSpaces(ScaledFeatures):
    """Estimator with the parameters of a search, and what these leave to be chosen."""

    Cs: str | ArrayLike
    gammas: str | ArrayLike
    feature_weights: str | None
    kernel: KernelLike
    degree: float
    coef0: float
    kernel_params: dict | None
    fit_intercept: bool
    scoring: str | Callable[..., float]
    cv: CrossValidation
    max_rows: int
    n_centers: int | str | None
    memory_limit: float | str | None
    tol: float
    max_iter: int

    def _searched(self) -> Searched:
        """Whether gamma, C, the number of centres and the features may change with the number of rows."""
        gamma, C, n_centers = (isinstance(each, str) for each in (self.gammas, self.Cs, self.n_centers))
        return Searched(gamma, C, n_centers, features=self._may_weigh())

    def _searched_rows(self) -> int:
        """`max_rows`, or as many as the memory limit has room for."""
        return min(self.max_rows, MemoryPlan.within(self.memory_limit).search_rows)

    def _is_large(self, n: int) -> bool:
        """Whether n rows are too many to be searched, and to be centres; else all are looked at."""
        plan = MemoryPlan.within(self.memory_limit)
        fewer = chooses_fewer(self.n_centers, n, plan) or (self.n_centers == "auto" and n > plan.search_rows)
        if n <= self._searched_rows() or not fewer or self._is_precomputed():
            return False
        # Splits are of rows in memory, and centres are for kernels that are known to be definite.
        countable = self.cv is None or isinstance(self.cv, Integral)
        return countable and self._kernel_of(self._single_kernel(), np.eye(2), 1.0).definite

    def _copies(self, given: Training | StoredTraining) -> Duplicates | None:
        """Which rows are the same; None if distinct rows are too many to be centres."""
        if isinstance(given, StoredTraining):
            return None
        copies = find_copies(given, precomputed=self._is_precomputed())
        return None if self._is_large(len(copies)) else copies

    def _repeats_few_rows(self, given: StoredTraining) -> bool:
        """Whether many stored rows are copies of a few, and are read like those few: in memory, if they fit.

        Copies of a row in an array are so many observations of it, and what is distinct is searched whole.
        """
        n, rows = len(given.X), given.X
        if 8 * n * rows.width > READ_SHARE * MemoryPlan.within(self.memory_limit).total:
            return False
        most = self._searched_rows() + 1
        while most < n and not self._is_large(most):
            most = min(2 * most, n)
        return not self._is_large(count_distinct(rows, given.y, given.weight, most))

    def _least_rows(self) -> int:
        """Rows of which centres are chosen in any case."""
        least = 2 * self.n_centers if isinstance(self.n_centers, int) else EXACT_ROWS + 1
        return max(least, 2 * self._searched_rows())

    def _observed_spaces(
        self, X: MatrixLike, y: ArrayLike, given: Training, copies: Duplicates
    ) -> tuple[Observations, list[SearchSpace]]:
        """Distinct rows, and what is to be chosen on them for each kernel."""
        rows = Observations.of(given, copies, precomputed=self._is_precomputed())
        folds = None if self.cv is None else make_folds(self.cv, X, y, given, copies)
        return rows, self._spaces(rows.X, folds)

    def _spaces(self, X: Matrix, folds: Folds) -> list[SearchSpace]:
        """What is to be chosen for each kernel."""
        pooled_kernels = self.kernel == "auto" and isinstance(self.gammas, str) and not sp.issparse(X)
        room = MatrixRoom(MemoryPlan.within(self.memory_limit).total)
        if pooled_kernels and is_wide(X):  # beside a linear function others know nothing more
            return [self._space("linear", self._rules(), X, folds, room)]
        if pooled_kernels:
            scales = suited_scales(X, self.scale)
            return [self._space(name, scales[name], X, folds, room) for name in POOLED_KERNELS]
        return [self._space(self._single_kernel(), self._rules(), X, folds, room)]

    def _space(
        self, kernel: KernelLike, scales: list[str | None], X: Matrix, folds: Folds, room: MatrixRoom
    ) -> SearchSpace:
        kernel_of = partial(self._kernel_of, kernel)
        gammas = given_gammas(self.gammas, kernel, partial(kernel_of, X))
        Cs = None if isinstance(self.Cs, str) else positive_numbers(self.Cs, "Cs")
        options = Options(
            "irls", max(self.tol, SEARCH_TOL), self.max_iter, self.fit_intercept, single_rows=SINGLE_ROWS
        )
        # Without places in memory, which differ where a fit goes on from a checkpoint.
        name = re.sub(" at 0x[0-9a-fA-F]+", "", str(kernel))
        weighable, max_rows = self._is_weighable(kernel, X), self._searched_rows()
        return SearchSpace(name, kernel_of, options, gammas, Cs, scales, max_rows, folds, weighable, room)

    def _single_kernel(self) -> KernelLike:
        return "rbf" if isinstance(self.kernel, str) and self.kernel == "auto" else self.kernel

    def _kernel_of(self, kernel: KernelLike, X: Matrix, gamma: float | None) -> Kernel:
        return resolve_kernel(
            kernel,
            X,
            gamma="scale" if gamma is None else gamma,
            degree=self.degree,
            coef0=self.coef0,
            kernel_params=self.kernel_params,
        )

    def _may_weigh(self) -> bool:
        """Whether weights of features are left to be found, and judged by what they are for."""
        free = self.feature_weights == "auto" and isinstance(self.gammas, str)
        return free and self.cv is None and self.scoring == "log_loss"

    def _is_weighable(self, kernel: KernelLike, X: Matrix) -> bool:
        """Whether features may be weighed, and whether that can be told."""
        if not (self._may_weigh() and isinstance(kernel, str)) or sp.issparse(X) or X.shape[1] <= 2:
            return False
        many = int((~has_two_values(X)).sum()) > LAPLACIAN_FEATURES
        return kernel == "rbf" or (kernel == "laplacian" and not many)
