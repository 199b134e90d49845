"""Features chosen one after the other by a leave-one-out criterion."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, _fit_context
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.blockwise import by_rows
from kernelproba.estimators.base.feature_names import in_memory, set_features
from kernelproba.estimators.base.numeric_rows import numeric_rows
from kernelproba.estimators.base.validation import POSITIVE, check_labels
from kernelproba.typing import Matrix, MatrixLike

#: Prior variance of the intercept relative to that of a coefficient: it is all but free.
INTERCEPT_VARIANCE = 1e3
#: What is below this in M, whose diagonal begins near one, is rounding.
ROUNDING = 1e-12


class RecursiveFeatureAddition(SelectorMixin, BaseEstimator):
    """Choose features for classification: always add the one that leaves the least leave-one-out loss.

    The loss is that of ridge regression on the indicators of the classes, whose leave-one-out residuals are
    in closed form.  With Y (n, c) the indicators, X the standardised features chosen so far and
    M = (XXᵀ/α + v11ᵀ + I)⁻¹,

        residual of row i without row i = (MY)ᵢ / M_ii

    and one more feature x changes M by −Mx xᵀM/(α + xᵀMx).  One round therefore judges *all* features by
    two products with M, and thousands of features (genes) need no filter beforehand.  As part of a pipeline
    the choice happens inside the training fold.

    Parameters
    ----------
    n_features_to_select : int, default=20
        How many to choose; all if there are no more.
    criterion : {"squared", "error"}, default="squared"
        Mean squared residual, or the rate of rows whose class has not the largest predicted indicator, ties
        decided by the former.
    alpha : float, default=1.0
        Strength α of the ridge.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features_to_select,)
        Features in the order in which they were chosen.
    scores_ : ndarray of shape (n_features_to_select,)
        Leave-one-out loss after each choice.
    support_ : ndarray of shape (d,)
        Mask of the features chosen.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    KernelLogisticRegressionCV : Weighs features as part of its search.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from kernelproba.estimators.feature_addition import RecursiveFeatureAddition
    >>> X, y = load_wine(return_X_y=True)
    >>> RecursiveFeatureAddition(3).fit_transform(X, y).shape
    (178, 3)
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_features_to_select": [Interval(Integral, 1, None, closed="left")],
        "criterion": [StrOptions({"squared", "error"})],
        "alpha": [POSITIVE],
    }

    def __init__(self, n_features_to_select=20, *, criterion="squared", alpha=1.0):
        self.n_features_to_select = n_features_to_select
        self.criterion = criterion
        self.alpha = alpha

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> "RecursiveFeatureAddition":
        """Choose the features.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        y : array-like of shape (n,)
            Labels.

        Returns
        -------
        self : RecursiveFeatureAddition
            The fitted transformer.
        """
        given, rows = in_memory(X)
        data, labels = numeric_rows(self, given, y, dtype=np.float64, ensure_min_samples=2)
        if rows is not None:
            set_features(self, rows)
        check_labels(labels)
        _, codes = np.unique(labels, return_inverse=True)
        rounds = _Rounds(_standardise(data), codes, self.alpha, self.criterion)
        count = min(self.n_features_to_select, data.shape[1])
        chosen = [rounds.add_best() for _ in range(count)]
        self.ranking_ = np.array([feature for feature, _ in chosen])
        self.scores_ = np.array([loss for _, loss in chosen])
        self.support_ = np.isin(np.arange(data.shape[1]), self.ranking_)
        return self

    @by_rows
    @np.errstate(invalid="ignore")  # sums of the largest numbers
    def transform(self, X: MatrixLike) -> Matrix:
        """Return the chosen features of X (n, d), in the order in which X has them.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        """
        return super().transform(X)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class _Rounds:
    """M for the features chosen so far, and the judgement of one more."""

    def __init__(self, X: np.ndarray, codes: np.ndarray, alpha: float, criterion: str):
        n = len(codes)
        self.X, self.codes, self.alpha, self.criterion = X, codes, alpha, criterion
        self.Y = np.eye(codes.max() + 1)[codes]
        # (I + v11ᵀ)⁻¹ = I − v11ᵀ/(1 + vn)
        self.M = np.eye(n) - INTERCEPT_VARIANCE / (1 + INTERCEPT_VARIANCE * n)
        self.chosen = np.zeros(X.shape[1], dtype=bool)

    def add_best(self) -> tuple[int, float]:
        """Add the feature with the least loss; return it and the loss."""
        MX = self.M @ self.X
        # Positive but for rounding, which takes over where α is tiny and features repeat one another.
        scale = self.alpha + np.maximum(np.einsum("ij,ij->j", self.X, MX), ROUNDING)
        squared, error = self._losses(MX, scale)
        squared[self.chosen] = error[self.chosen] = np.inf
        order = (
            np.lexsort((squared, error)) if self.criterion == "error" else np.argsort(squared, kind="stable")
        )
        best = int(order[0])
        self.M -= np.outer(MX[:, best], MX[:, best]) / scale[best]
        self.chosen[best] = True
        return best, float((error if self.criterion == "error" else squared)[best])

    def _losses(self, MX: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean squared residual and error rate with each feature added, (d,) both."""
        share = MX / scale
        diagonal = np.maximum(self.M.diagonal()[:, None] - MX * share, ROUNDING)
        squared, largest, own = np.zeros(MX.shape[1]), np.full(MX.shape, -np.inf), np.empty(MX.shape)
        MY = self.M @ self.Y
        for k, y in enumerate(self.Y.T):
            # residual (M′y)ᵢ/M′ᵢᵢ, prediction y − residual
            residual = (MY[:, [k]] - share * (MX.T @ y)) / diagonal
            squared += np.mean(residual**2, axis=0)
            predicted = y[:, None] - residual
            mine = self.codes == k
            own[mine] = predicted[mine]
            largest[~mine] = np.maximum(largest[~mine], predicted[~mine])
        return squared, np.mean(largest >= own, axis=0)


def _standardise(X: np.ndarray) -> np.ndarray:
    """Centre and scale the features; constant ones become zero."""
    # In units of its largest entry, by powers of two, no column overflows.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=0, initial=0.0))[1].astype(int))
    centred = X - X.mean(axis=0)
    scale = np.sqrt(np.mean(centred**2, axis=0))
    # What is left of a constant after centring is rounding.
    constant = scale <= 1e-12
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, scale))
