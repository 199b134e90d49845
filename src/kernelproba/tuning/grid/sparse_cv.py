"""Sparse kernel logistic regression whose penalty is chosen by cross-validation."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval

from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.linear_function import TunedLinearFunction
from kernelproba.estimators.sparse_kernel_logistic.estimator import SparseKernelLogisticRegression
from kernelproba.rows.folds import Fold
from kernelproba.tuning.grid.grid_classifier import GRID_CONSTRAINTS, GridTunedClassifier
from kernelproba.tuning.grid.grid_search import FoldOutcome, Grid
from kernelproba.tuning.observations import Observations
from kernelproba.typing import MatrixLike


class SparseKernelLogisticRegressionCV(TunedLinearFunction, GridTunedClassifier):
    """`SparseKernelLogisticRegression` with C chosen by cross-validation along its path.

    In each fold the models for all strengths are fitted one from the other and judged on the rows left out.
    The model is then fitted to all rows with the chosen strength.

    Parameters
    ----------
    Cs : int or array-like, default=20
        Strengths, or the length of a geometric grid that begins where the first kernel enters.
    scoring : {"log_loss", "brier", "accuracy"}, str or callable, default="log_loss"
        What is to be best on held-out rows; or any scorer of scikit-learn.  "log_loss" counts a quarter of
        a row more, of which any class is true.  Equal scores are told apart by the log loss.
    cv : int, cross-validation splitter, iterable or None, default=5
        Folds.  A number makes stratified folds that depend on the contents of rows, not on their order;
        copies of a row are different observations, and so is what a weight has beyond one, if all weights are
        whole numbers.  None makes five.  A class without rows outside a fold is trained on the rows it has.
    one_standard_error : bool, default=False
        Whether to take, of all strengths whose score is within one standard error (over the folds) of the
        best, the one with the fewest kernels.
    penalty, kernel, gamma, degree, coef0, kernel_params, class_weight, fit_intercept
        As in `SparseKernelLogisticRegression`.
    solver, tol, max_iter
        As there.
    n_jobs : int, optional
        Folds tried at once, as in joblib.
    random_state : int, RandomState instance or None, default=None
        As in `SparseKernelLogisticRegression`.

    Attributes
    ----------
    best_estimator_ : SparseKernelLogisticRegression
        The model with the best strength, fitted to all rows.
    C_ : float
        The best strength.
    best_params_, best_score_, best_index_
        The same as a dict, its mean score, and its line in `cv_results_`.
    cv_results_ : dict
        All strengths in the layout of GridSearchCV, increasing, with ``mean_support``, the share of rows
        whose kernels are kept; ``cv_results_.frame()`` is a table of them.
    path_ : SparsePath
        Models of all rows, for the strengths up to `C_`.
    n_iter_ : int
        Iterations of the last fit.
    coef_, intercept_ : ndarrays of shape (k, d) and (k,)
        Linear kernel only: those of `best_estimator_`.
    classes_ : ndarray of shape (c,)
        Labels.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    SparseKernelLogisticRegression : The model with a given C.
    kernelproba.inspection.PathDisplay : Coefficients and number of centres for all C.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba.tuning.grid.sparse_cv import SparseKernelLogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SparseKernelLogisticRegressionCV(Cs=8, one_standard_error=True).fit(X, y)
    >>> bool(model.best_estimator_.n_kernels_ < 30)
    True
    """

    _estimator_type = SparseKernelLogisticRegression
    _parameter_constraints: ClassVar[dict] = {
        **{k: v for k, v in SparseKernelLogisticRegression._parameter_constraints.items() if k != "C"},
        "Cs": [Interval(Integral, 2, None, closed="left"), "array-like"],
        **GRID_CONSTRAINTS,
    }

    def __init__(
        self,
        Cs=20,
        *,
        scoring="log_loss",
        cv=5,
        one_standard_error=False,
        penalty="l1",
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        kernel_params=None,
        class_weight=None,
        fit_intercept=True,
        solver="working-set",
        tol=1e-3,
        max_iter=1000,
        n_jobs=None,
        random_state=None,
    ):
        self.Cs = Cs
        self.scoring = scoring
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.penalty = penalty
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "SparseKernelLogisticRegressionCV":
        """Choose C and fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or (n, n) for a precomputed kernel
            Training rows.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights, in the fits and in the scores.

        Returns
        -------
        self : SparseKernelLogisticRegressionCV
            The fitted model.
        """
        self._fit_grid(X, y, sample_weight)
        self.C_, self.n_iter_ = self.best_params_["C"], self.best_estimator_.n_iter_
        return self

    def _grid(self, rows: Observations) -> Grid:
        return Grid([{}], "C", self._strengths(rows))

    def _strengths(self, rows: Observations) -> np.ndarray:
        """Values of C, increasing."""
        return self._estimator()._strengths_for(rows.X, self.classes_[rows.y], self.Cs, rows.sample_weight)

    def _assess(self, grid: Grid, rows: Observations, width: int, fold: Fold) -> FoldOutcome:  # noqa: ARG002
        train = rows.train(fold)
        # The weights of the rows have those of their classes in them.
        model = self._estimator().set_params(class_weight=None)
        path = model.path(train.X, self.classes_[train.y], grid.strengths, sample_weight=train.weight)
        return FoldOutcome(path.log_probabilities(rows.test(fold)), path.n_kernels / len(train.y))

    def _fit_best(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        strengths = np.asarray(self.cv_results_["param_C"])
        strengths = strengths[strengths <= self.best_params_["C"]]
        self.path_ = self.best_estimator_._fit_along(X, y, strengths, sample_weight)
