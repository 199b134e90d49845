"""The face of models whose scores are f(x) = Σⱼ αⱼ k(x, zⱼ) + b."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from kernelproba.estimators.base.classifier import ProbabilisticClassifier
from kernelproba.estimators.base.feature_names import set_features
from kernelproba.estimators.base.kernel_expansion import KernelCenters, KernelExpansion, score_sides
from kernelproba.estimators.base.kernel_spec import KernelSpec
from kernelproba.estimators.base.stored_training import StoredTraining, scan_stored
from kernelproba.estimators.base.training import Training, WeightedMatrix
from kernelproba.kernels import Kernel
from kernelproba.kernels.resolve import KernelLike
from kernelproba.rows.store import stored_rows
from kernelproba.typing import ClassWeight, Matrix, MatrixLike


class KernelMachine(ProbabilisticClassifier):
    """Classifier that compares rows with centres through a kernel.

    Subclasses have the constructor parameter `kernel`, and of `gamma`, `degree`, `coef0`, `kernel_params` and
    `random_state` those that mean something for them (`KernelSpec`).
    """

    kernel: KernelLike
    kernel_: Kernel
    support_: np.ndarray
    support_vectors_: Matrix
    dual_coef_: Matrix
    intercept_: np.ndarray

    def _kernel_spec(self) -> KernelSpec:
        return KernelSpec.of(vars(self))

    def _resolve_kernel(
        self, training: WeightedMatrix | StoredTraining, gamma: float | str | None = None
    ) -> Kernel:
        """Kernel with numbers in place of rules such as gamma='scale', or with a given gamma."""
        spec = self._kernel_spec()
        return (spec if gamma is None else spec.with_gamma(gamma)).resolve(training)

    def _check_rows(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None, class_weight: ClassWeight
    ) -> Training | StoredTraining:
        """Do what `_check_fit` does, and leave rows that are not in memory where they are."""
        rows = stored_rows(X)
        if rows is None:
            return self._check_fit(X, y, sample_weight, class_weight)
        if self._is_precomputed():
            raise ValueError("kernel='precomputed' needs the whole matrix in memory.")
        training, self.classes_ = scan_stored(rows, y, sample_weight, class_weight)
        set_features(self, rows)
        self._accepts_sparse_ = True
        return training

    def _kernel_centers(self) -> KernelCenters:
        """What rows to be predicted are compared with."""
        return KernelCenters(self.kernel_, self._centers, self.support_)

    def _expansion(self) -> KernelExpansion:
        """The scores of the fitted model as sums over centres."""
        coef, sides = self.dual_coef_, score_sides(self.dual_coef_.shape[0])
        return KernelExpansion(self.kernel_, self._centers, self.support_, coef, self.intercept_, sides)

    def kernel_expansions(self) -> list[KernelExpansion]:
        """The scores of the fitted model as sums over centres, for `kernelproba.inspection.explain`.

        Returns
        -------
        expansions : list of KernelExpansion
            One for each set of scores with the same centres; together all scores of the model.
        """
        check_is_fitted(self)
        return [self._expansion()]

    @property
    def _centers(self) -> Matrix:
        """What the kernel compares with: rows, or column numbers of a precomputed matrix, which has none."""
        return self.support_vectors_ if self.support_vectors_.shape[1] else self.support_

    def _store_centers(self, X: Matrix, chosen: np.ndarray, index: np.ndarray) -> None:
        """Keep the chosen rows of the training rows X; `index` says where those stood in the input."""
        self.support_ = index[chosen]
        self.support_vectors_ = np.empty((0, 0)) if self._is_precomputed() else X[chosen]

    def _is_precomputed(self) -> bool:
        """Whether the next fit is given a kernel matrix."""
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        tags.input_tags.sparse = not self._is_precomputed()
        return tags
