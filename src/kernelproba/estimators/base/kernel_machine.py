"""The face of models whose scores are f(x) = Σⱼ αⱼ k(x, zⱼ) + b: how a kernel is named, kept and applied."""

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from kernelproba.estimators.base.classifier import ProbabilisticClassifier
from kernelproba.estimators.base.kernel_expansion import KernelExpansion, score_sides
from kernelproba.estimators.base.stored_training import StoredTraining, look_over
from kernelproba.estimators.base.validation import POSITIVE
from kernelproba.kernels import Kernel, resolve_kernel
from kernelproba.kernels.expansion import expansion_scores
from kernelproba.number_range import LARGEST
from kernelproba.rows import as_rows

#: What the parameters that name a kernel may be.
KERNEL_CONSTRAINTS: dict[str, list] = {
    "kernel": [str, callable, Kernel],
    "gamma": [StrOptions({"scale", "auto", "median"}), POSITIVE],
    "degree": [Interval(Real, 0, None, closed="left")],
    "coef0": [Interval(Real, -LARGEST, LARGEST, closed="both")],
    "kernel_params": [dict, None],
}
#: Kernel values held at once while predicting.
BLOCK_VALUES = 4_000_000


class KernelMachine(ProbabilisticClassifier):
    """Classifier that compares rows with centres through a kernel.

    Subclasses have the constructor parameters `kernel`, `gamma`, `degree`, `coef0`, `kernel_params` and
    `random_state`, spelled and meant as in SVC.
    """

    def _resolve_kernel(self, training: Any) -> Kernel:
        """Kernel with numbers in place of rules such as gamma='scale'."""
        if isinstance(training, StoredTraining):
            return self._resolve_stored(training)
        if self._is_precomputed():
            _check_precomputed(training.X)
        return resolve_kernel(
            self.kernel,
            training.X,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            kernel_params=self.kernel_params,
            random_state=self.random_state,
            sample_weight=training.sample_weight,
        )

    def _resolve_stored(self, training: StoredTraining) -> Kernel:
        """Do the same for rows that are not in memory, of which the variance is known."""
        scale = isinstance(self.gamma, str) and self.gamma == "scale" and training.variance > 0
        return resolve_kernel(
            self.kernel,
            training.sample(1000, self.random_state),
            gamma=1 / (training.X.width * training.variance) if scale else self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            kernel_params=self.kernel_params,
            random_state=self.random_state,
        )

    def _look_over(self, X: Any, y: Any, sample_weight: Any) -> StoredTraining:
        """Check rows that are not in memory, as `_check_fit` checks arrays."""
        if self._is_precomputed():
            raise ValueError("kernel='precomputed' needs the whole matrix in memory.")

        def factors(classes, mass):
            self.classes_ = classes
            return self._class_factors(mass)

        training, self.classes_ = look_over(X, y, sample_weight, factors)
        self.n_features_in_ = training.X.width
        return training

    def _kernel_scores(self, X: Any, dual_coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        """Scores k(X, Z) α + b (n, k); `dual_coef` is (k, m) as stored, `intercept` (k,)."""
        coef = dual_coef.T
        return self._map_kernel(X, lambda K: expansion_scores(K, coef, intercept))

    def _map_kernel(self, X: Any, scores: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Stack ``scores(k(X, Z))``, a block of rows of X at a time, in double precision."""
        block_rows = max(1, BLOCK_VALUES // max(len(self.support_), 1))
        return as_rows(X, block_rows=block_rows).map(
            lambda block: scores(self.kernel_(block, self._centers).astype(np.float64, copy=False))
        )

    def kernel_expansions(self) -> list[KernelExpansion]:
        """The scores of the fitted model as sums over centres, for `kernelproba.inspection.explain`.

        Returns
        -------
        expansions : list of KernelExpansion
            One for each set of scores with the same centres; together all scores of the model.
        """
        check_is_fitted(self)
        sides = score_sides(len(self.dual_coef_))
        return [
            KernelExpansion(
                self.kernel_, self._centers, self.support_, self.dual_coef_, self.intercept_, sides
            )
        ]

    @property
    def _centers(self) -> Any:
        """What the kernel compares with: rows, or column numbers of a precomputed matrix."""
        return self.support_ if self._is_precomputed() else self.support_vectors_

    def _store_centers(self, X: Any, chosen: np.ndarray, index: np.ndarray) -> None:
        """Keep the chosen rows of the training rows X; `index` says where those stood in the input."""
        self.support_ = index[chosen]
        self.support_vectors_ = np.empty((0, 0)) if self._is_precomputed() else X[chosen]

    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        tags.input_tags.sparse = not self._is_precomputed()
        return tags


def _check_precomputed(K: Any) -> None:
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"X must be a square matrix when kernel='precomputed', got shape {K.shape}: pass kernel(X_train, "
            "X_train) to fit and kernel(X_test, X_train) to predict."
        )
    K = check_array(K)  # a kernel matrix is dense
    if not np.allclose(K, K.T, rtol=1e-5, atol=1e-6 * np.abs(K).max(initial=0.0)):
        raise ValueError(
            "X must be symmetric when kernel='precomputed'. If it differs from its transpose only by "
            "rounding, pass (K + K.T) / 2."
        )
