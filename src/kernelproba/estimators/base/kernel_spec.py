"""A kernel as users name it, and how it becomes one with numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, StrOptions

from kernelproba.estimators.base.stored_training import StoredTraining
from kernelproba.estimators.base.training import WeightedMatrix
from kernelproba.estimators.base.validation import POSITIVE
from kernelproba.kernels import GAMMA_RULES, Kernel, resolve_kernel
from kernelproba.kernels.bandwidth import scale_gamma
from kernelproba.kernels.resolve import KernelLike
from kernelproba.number_range import LARGEST
from kernelproba.typing import Matrix, RandomState

#: What the parameters that name a kernel may be.
KERNEL_CONSTRAINTS: dict[str, list] = {
    "kernel": [str, callable, Kernel],
    "gamma": [StrOptions({*GAMMA_RULES}), POSITIVE],
    "degree": [Interval(Real, 0, None, closed="left")],
    "coef0": [Interval(Real, -LARGEST, LARGEST, closed="both")],
    "kernel_params": [dict, None],
}
#: Rows of a store from which a kernel's width is read.
SAMPLE_ROWS = 1000


@dataclass(frozen=True)
class KernelSpec:
    """The parameters that name a kernel, spelled and meant as in SVC.

    Attributes
    ----------
    kernel : str, callable, Kernel or Gaussian-process kernel
        A name, a function or an object.
    gamma : {"scale", "auto", "median"} or float
        Coefficient of the named kernels.
    degree, coef0 : float
        Of the polynomial and sigmoid kernels.
    kernel_params : mapping, optional
        Further parameters.
    random_state : int, RandomState or None
        Draws the rows of ``gamma="median"``.
    """

    kernel: KernelLike
    gamma: float | str = "scale"
    degree: float = 3
    coef0: float = 0.0
    kernel_params: Mapping[str, object] | None = None
    random_state: RandomState = None

    @classmethod
    def of(cls, attributes: Mapping[str, Any]) -> "KernelSpec":
        """Take those of an estimator's attributes that name a kernel; it need not have them all."""
        return cls(
            **{field.name: attributes[field.name] for field in fields(cls) if field.name in attributes}
        )

    def with_gamma(self, gamma: float | str) -> "KernelSpec":
        """The same kernel with another coefficient."""
        return replace(self, gamma=gamma)

    @property
    def is_precomputed(self) -> bool:
        """Whether rows are those of a kernel matrix."""
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def resolve(self, training: WeightedMatrix | StoredTraining) -> Kernel:
        """Kernel with numbers in place of rules, from anything with rows `X` and their `sample_weight`."""
        if isinstance(training, StoredTraining):
            return self._resolve_stored(training)
        if self.is_precomputed:
            check_kernel_matrix(training.X)
        return self._resolve(training.X, self.gamma, training.sample_weight)

    def _resolve_stored(self, training: StoredTraining) -> Kernel:
        """Do the same for rows that are not in memory, of which the variance is known."""
        scale = isinstance(self.gamma, str) and self.gamma == "scale"
        gamma = scale_gamma(training.X.width, training.variance) if scale else self.gamma
        return self._resolve(training.sample(SAMPLE_ROWS, self.random_state), gamma, None)

    def _resolve(self, X: Matrix, gamma: float | str, sample_weight: np.ndarray | None) -> Kernel:
        return resolve_kernel(
            self.kernel,
            X,
            gamma=gamma,
            degree=self.degree,
            coef0=self.coef0,
            kernel_params=self.kernel_params,
            random_state=self.random_state,
            sample_weight=sample_weight,
        )


def check_square_kernel(K: Matrix) -> None:
    """Refuse a matrix whose rows and columns cannot be the same training rows."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"X must be a square matrix when kernel='precomputed', got shape {K.shape}: pass kernel(X_train, "
            "X_train) to fit and kernel(X_test, X_train) to predict."
        )


def check_kernel_matrix(K: Matrix) -> None:
    """Refuse a matrix that cannot be the kernel matrix of training rows."""
    check_square_kernel(K)
    K = check_array(K)  # a kernel matrix is dense
    if not np.allclose(K, K.T, rtol=1e-5, atol=1e-6 * np.abs(K).max(initial=0.0)):
        raise ValueError(
            "X must be symmetric when kernel='precomputed'. If it differs from its transpose only by "
            "rounding, pass (K + K.T) / 2."
        )
