"""What a warm start keeps of the last fit, and where the next one may begin."""

from dataclasses import dataclass

import numpy as np

from kernelproba.estimators.kernel_logistic.exact import KernelFunction
from kernelproba.estimators.kernel_logistic.pair_scores import PairScores
from kernelproba.rows.row_hash import places
from kernelproba.typing import Matrix


@dataclass(frozen=True)
class PreviousFit:
    """A fitted function: its classes (c,), centres (m, d), dual (m, k) and intercept (k,)."""

    classes: np.ndarray
    centers: Matrix
    dual: np.ndarray
    intercept: np.ndarray

    @classmethod
    def of(cls, model: PairScores) -> "PreviousFit | None":
        """The function of a model, if it has fitted one with all classes in it."""
        if not hasattr(model, "dual_coef_") or model._has_pairs:
            return None
        weighted = model.intercept_ + model._score_shift()  # as the weighted fit had it
        return cls(model.classes_, model.support_vectors_, model.dual_coef_.T, weighted)

    def start(self, classes: np.ndarray, X: Matrix) -> KernelFunction | None:
        """The function in terms of rows X, if its classes are these and its centres are among the rows."""
        if not np.array_equal(self.classes, classes):
            return None
        index = places(self.centers, X)
        return None if index is None else KernelFunction(index, self.dual, self.intercept)
