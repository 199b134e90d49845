"""Sparse kernel logistic regression whose penalty is chosen by cross-validation."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.model_selection import check_cv
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _check_sample_weight

from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.classifier import Training
from kernelproba.estimators.sparse_kernel_logistic.estimator import SparseKernelLogisticRegression
from kernelproba.estimators.sparse_kernel_logistic.path import SparsePath, solve_path
from kernelproba.solvers.sparse import SPARSE_SOLVERS

#: Log-probability of a class that a training fold did not contain.
UNSEEN = float(np.log(np.finfo(float).eps))


class SparseKernelLogisticRegressionCV(SparseKernelLogisticRegression):
    """`SparseKernelLogisticRegression` with C chosen by cross-validation along its path.

    In each fold the models for all strengths are fitted one from the other and judged on the rows left out.
    The model is then fitted to all rows with the chosen strength.

    Parameters
    ----------
    Cs : int or array-like, default=20
        Strengths, or the length of a geometric grid that begins where the first kernel enters.
    cv : int, splitter or iterable, default=5
        Folds, as everywhere in scikit-learn; stratified if a number.
    scoring : {"log_loss", "error"}, default="log_loss"
        What is minimised: the mean negative log-probability of the true class, or the error rate.
    one_standard_error : bool, default=False
        Whether to choose, instead of the best strength, the strongest penalty whose mean loss is within one
        standard error (over the folds) of the best: fewer kernels for a difference that is within noise.
    penalty, kernel, gamma, degree, coef0, kernel_params, class_weight, fit_intercept
        As in `SparseKernelLogisticRegression`.
    solver, tol, max_iter, random_state
        As there.

    Attributes
    ----------
    C_ : float
        Chosen strength.
    Cs_ : ndarray of shape (q,)
        Strengths tried, increasing.
    losses_ : ndarray of shape (folds, q)
        Loss on the rows left out.
    path_ : SparsePath
        Models of all rows, for the strengths up to `C_`.
    classes_, support_, support_vectors_, n_kernels_, dual_coef_, intercept_, kernel_
        As in `SparseKernelLogisticRegression`, and its further attributes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba.tuning.grid.sparse_cv import SparseKernelLogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SparseKernelLogisticRegressionCV(Cs=8, one_standard_error=True).fit(X, y)
    >>> bool(model.n_kernels_ < 30)
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        **{k: v for k, v in SparseKernelLogisticRegression._parameter_constraints.items() if k != "C"},
        "Cs": [Interval(Integral, 2, None, closed="left"), "array-like"],
        "cv": ["cv_object"],
        "scoring": [StrOptions({"log_loss", "error"})],
        "one_standard_error": ["boolean"],
    }

    def __init__(
        self,
        Cs=20,
        *,
        cv=5,
        scoring="log_loss",
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
        random_state=None,
    ):
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
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
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "SparseKernelLogisticRegressionCV":
        """Choose C and fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or (n, n) for a precomputed kernel
            Training rows.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights, in the fits and in the losses.

        Returns
        -------
        self : SparseKernelLogisticRegressionCV
            The fitted model.
        """
        training = self._check_fit(X, y, sample_weight)
        kernel = self._resolve_kernel(training)
        objective = self._objective(kernel, training, 1.0)
        self.Cs_ = self._strengths(self.Cs, objective)
        self.losses_ = self._fold_losses(training)
        self.C_ = float(self.Cs_[self._choice()])
        strengths = self.Cs_[self.Cs_ <= self.C_]
        options = {"tol": self.tol, "max_iter": self.max_iter}
        solutions = solve_path(objective, strengths, SPARSE_SOLVERS[self.solver], **options)
        self.path_ = self._path(solutions, strengths, kernel, training)
        self._store(solutions[-1], kernel, training)
        return self

    def _fold_losses(self, training: Training) -> np.ndarray:
        labels = self.classes_[training.y]
        return np.stack([self._fold_loss(training, labels, *fold) for fold in self._folds(training, labels)])

    def _folds(self, training: Training, labels: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Rows of the training data to fit and to judge on; rows of weight zero are in none."""
        if self.cv is None or isinstance(self.cv, Integral) or hasattr(self.cv, "split"):
            return list(check_cv(self.cv, labels, classifier=True).split(training.X, labels))
        # Given splits number the rows as they came.
        position = {row: i for i, row in enumerate(training.index.tolist())}
        folds = [
            tuple(
                np.array([position[i] for i in np.asarray(part).tolist() if i in position]) for part in fold
            )
            for fold in self.cv
        ]
        return [(train, test) for train, test in folds if len(test)]

    def _fold_loss(
        self, training: Training, labels: np.ndarray, train: np.ndarray, test: np.ndarray
    ) -> np.ndarray:
        """Loss (q,) on the rows `test` of the models of the rows `train`."""
        names = [name for name in SparseKernelLogisticRegression._parameter_constraints if name != "C"]
        model = SparseKernelLogisticRegression(**{name: getattr(self, name) for name in names})
        X_train, y_train = _safe_split(model, training.X, labels, train)
        X_test, _ = _safe_split(model, training.X, labels, test, train)
        path = model.path(X_train, y_train, self.Cs_, sample_weight=training.sample_weight[train])
        log_P = self._align(path, X_test)
        y, weight = training.y[test], _check_sample_weight(training.weight[test], X_test)
        if self.scoring == "error":
            losses = (log_P.argmax(axis=2) != y) * 1.0
        else:
            losses = -np.maximum(log_P[:, np.arange(len(y)), y], UNSEEN)
        return np.average(losses, axis=1, weights=weight)

    def _align(self, path: SparsePath, X: Any) -> np.ndarray:
        """Log-probabilities (q, n, c) of all classes, though a fold may lack some."""
        known = path.log_probabilities(X)
        log_P = np.full((*known.shape[:2], len(self.classes_)), -np.inf)
        log_P[:, :, np.searchsorted(self.classes_, path.classes)] = known
        return log_P

    def _choice(self) -> int:
        """Position of the chosen strength in `Cs_`; of equals the strongest penalty."""
        mean = self.losses_.mean(axis=0)
        best = int(mean.argmin())
        if not self.one_standard_error or len(self.losses_) < 2:
            return best
        error = self.losses_[:, best].std(ddof=1) / np.sqrt(len(self.losses_))
        return int(np.flatnonzero(mean <= mean[best] + error)[0])
