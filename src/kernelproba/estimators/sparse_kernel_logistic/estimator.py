"""Sparse multinomial kernel logistic regression."""

from dataclasses import replace
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from kernelproba.basis.columns import KernelColumns
from kernelproba.estimators.base.atomic import atomic_fit, unfitted_copy
from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.estimators.base.kernel_machine import KernelMachine
from kernelproba.estimators.base.kernel_spec import KERNEL_CONSTRAINTS
from kernelproba.estimators.base.linear_function import LinearFunction
from kernelproba.estimators.base.logistic_scores import LogisticScores, symmetric_intercept
from kernelproba.estimators.base.solver_report import SolverReport
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.base.validation import PENALISED_C, positive_numbers
from kernelproba.estimators.sparse_kernel_logistic.path import SparsePath, default_strengths, solve_path
from kernelproba.kernels import Kernel
from kernelproba.kernels.resolve import kernel_size
from kernelproba.linalg import densify
from kernelproba.losses import loss_for
from kernelproba.number_range import strengths
from kernelproba.penalties import GroupLasso, Lasso
from kernelproba.solvers import Solution
from kernelproba.solvers.sparse import SPARSE_SOLVERS
from kernelproba.solvers.sparse.objective import SparseObjective
from kernelproba.typing import MatrixLike


class SparseKernelLogisticRegression(LinearFunction, LogisticScores, KernelMachine, SolverReport):
    """Logistic regression on kernels of which few are kept: sparse multinomial kernel logistic regression.

    Minimises, over the coefficients α of the kernels around all rows and free intercepts b::

        C Σᵢ sᵢ ℓ(yᵢ, Σⱼ αⱼ k(xᵢ, xⱼ) + b) + pen(α)

    with the logistic loss on one score for two classes and softmax on one score per class otherwise.
    ``pen`` is ‖α‖₁, a Laplacian prior [1]_, or Σⱼ ‖αⱼ‖, which removes whole centres.  The λ of [1]_ is 1/C.
    There the coefficients of the last class are fixed at zero; here all classes are alike: adding a
    constant to the scores of a row changes nothing, and of all such models the penalty picks the sparsest.

    Columns of the kernel matrix are computed for centres that come into question only, so memory grows with
    the number of rows times the number of kernels kept (up to 4000 rows the whole matrix is held).
    Prediction evaluates the kernels kept and no others.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty, as in LogisticRegression.  Below `min_C` no kernel is kept.
    penalty : {"l1", "group"}, default="l1"
        Absolute values, or one norm per centre over the classes.
    kernel : str, callable, Kernel or scikit-learn Gaussian-process kernel, default="rbf"
        As in `KernelLogisticRegression`; the kernel need not be positive definite.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Coefficient of the named kernels, as in SVC; "median" is 1/(2·median distance²).
    degree : float, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    kernel_params : dict, optional
        Further keyword arguments of a callable kernel.
    class_weight : dict or "balanced", optional
        Factors on `sample_weight` per class.
    fit_intercept : bool, default=True
        Whether to add free intercepts.
    solver : {"working-set", "bound", "bound-newton"}, default="working-set"
        "working-set": proximal Newton steps on the centres that come into question.  "bound": the bound
        optimisation of [1]_, eq. (3.8); "bound-newton": eq. (3.6), with the Hessian in place of its bound.
        These two are dense and slow, and reach the same minimum.
    tol : float, default=1e-3
        Bound on the violation of the optimality conditions, relative to the slope 1 of the penalty.
    max_iter : int, default=1000
        Most iterations of the solver.
    random_state : int, RandomState or None, default=None
        Draws the sample behind ``gamma="median"``.

    Attributes
    ----------
    classes_ : ndarray of shape (c,)
        Labels.
    support_ : ndarray of shape (m,)
        Row numbers of the kernels kept: those that some class uses.
    support_vectors_ : ndarray of shape (m, d)
        Their rows; empty for a precomputed kernel.
    n_kernels_ : int
        m.
    dual_coef_ : csr_array of shape (1, m) or (c, m)
        α of the kernels kept.
    intercept_ : ndarray of shape (1,) or (c,)
        b.
    coef_ : ndarray of shape (1, d) or (c, d)
        Linear kernel only: coefficients of the features.
    kernel_ : Kernel
        The kernel in use, with numbers in place of rules.
    n_iter_ : int
        Iterations of the solver.
    objective_ : float
        Value of the minimised expression.
    residual_ : float
        The quantity that `tol` bounds.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    SparseKernelLogisticRegressionCV : Chooses C along the path.
    KernelLogisticRegression : All rows as centres.
    kernelproba.inspection.PathDisplay : Coefficients and number of centres for all C.

    References
    ----------
    .. [1] J. Shim, J. Bae and C. Hwang, "Sparse multinomial kernel logistic regression", Communications of
       the Korean Statistical Society 15, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba.estimators.sparse_kernel_logistic.estimator import SparseKernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SparseKernelLogisticRegression(C=10).fit(X, y)
    >>> bool(model.n_kernels_ < 20), bool(model.score(X, y) > 0.95)
    (True, True)
    """

    _parameter_constraints: ClassVar[dict] = {
        "C": [PENALISED_C],
        "penalty": [StrOptions({"l1", "group"})],
        **KERNEL_CONSTRAINTS,
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "fit_intercept": ["boolean"],
        "solver": [StrOptions(set(SPARSE_SOLVERS))],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C=1.0,
        *,
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
        self.C = C
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
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "SparseKernelLogisticRegression":
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or (n, n) for a precomputed kernel
            Training rows.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights; a weight of two is a row seen twice.

        Returns
        -------
        self : SparseKernelLogisticRegression
            The fitted model.
        """
        training = self._check_fit(X, y, sample_weight, self.class_weight)
        kernel = self._resolve_kernel(training)
        objective = self._objective(kernel, training, self.C)
        solve = SPARSE_SOLVERS[self.solver]
        solution = solve(objective, objective.null_model(), tol=self.tol, max_iter=self.max_iter)
        self._store(solution, kernel, training)
        return self

    def path(
        self, X: MatrixLike, y: ArrayLike, Cs: int | ArrayLike = 20, sample_weight: ArrayLike | None = None
    ) -> SparsePath:
        """Fit models along the penalty, each from the one before.

        Parameters
        ----------
        X, y
            As in `fit`.
        Cs : int or array-like, default=20
            Strengths, or the length of a geometric grid of them that begins at `min_C`.
        sample_weight : array-like of shape (n,), optional
            As in `fit`.

        Returns
        -------
        path : SparsePath
            The models, in the order of increasing C.
        """
        self._validate_params()
        draft = unfitted_copy(self)
        return draft._path(*draft._solve_along(X, y, Cs, sample_weight))

    def _solve_along(
        self, X: MatrixLike, y: ArrayLike, Cs: int | ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[list[Solution], np.ndarray, Kernel, Training]:
        """Solutions, their strengths, the kernel and the rows."""
        training = self._check_fit(X, y, sample_weight, self.class_weight)
        kernel = self._resolve_kernel(training)
        objective = self._objective(kernel, training, 1.0)
        strengths, solve = self._strengths(Cs, objective), SPARSE_SOLVERS[self.solver]
        solutions = solve_path(objective, strengths, solve, tol=self.tol, max_iter=self.max_iter)
        return solutions, strengths, kernel, training

    def _strengths_for(
        self, X: MatrixLike, y: ArrayLike, Cs: int | ArrayLike, sample_weight: ArrayLike | None
    ) -> np.ndarray:
        """Strengths that `path` would fit."""
        draft = unfitted_copy(self)
        training = draft._check_fit(X, y, sample_weight, self.class_weight)
        return draft._strengths(Cs, draft._objective(draft._resolve_kernel(training), training, 1.0))

    def _fit_along(
        self, X: MatrixLike, y: ArrayLike, Cs: int | ArrayLike, sample_weight: ArrayLike | None
    ) -> SparsePath:
        """Fit models along the penalty and be the last of them, whose strength is C."""
        solutions, strengths, kernel, training = self._solve_along(X, y, Cs, sample_weight)
        self._store(solutions[-1], kernel, training)
        return self._path(solutions, strengths, kernel, training)

    def min_C(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Largest C at which no kernel is kept: ``1 / max |Kᵀ s(p̄ − y)|`` with p̄ the class frequencies.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        """
        self._validate_params()
        draft = unfitted_copy(self)
        training = draft._check_fit(X, y, sample_weight, self.class_weight)
        slope = draft._objective(draft._resolve_kernel(training), training, 1.0).largest_slope()
        return 1.0 / slope if slope > 0 else np.inf

    def _objective(self, kernel: Kernel, training: Training, C: float) -> SparseObjective:
        c = len(self.classes_)
        loss = loss_for(c)
        return SparseObjective(
            columns=KernelColumns(kernel, training.X),
            y=training.y,
            weights=strengths(C, training.weight, kernel_size(kernel, training.X)),
            loss=loss,
            # With one score a norm per centre is an absolute value.
            penalty=GroupLasso() if self.penalty == "group" and c > 2 else Lasso(),
            n_scores=loss.n_scores(c),
            fit_intercept=self.fit_intercept,
        )

    def _strengths(self, Cs: int | ArrayLike, objective: SparseObjective) -> np.ndarray:
        if isinstance(Cs, Integral):
            return default_strengths(objective, 1.0, int(Cs))
        return np.unique(positive_numbers(Cs, "Cs"))

    def _path(
        self, solutions: list[Solution], strengths: np.ndarray, kernel: Kernel, training: Training
    ) -> SparsePath:
        thetas = np.stack([solution.coef for solution in solutions])
        n = len(training.y)
        used = np.flatnonzero(thetas[:, :n].any(axis=(0, 2)))
        return SparsePath(
            classes=self.classes_,
            Cs=strengths,
            kernel=kernel,
            centers=training.index[used] if self._is_precomputed() else kernel.select(training.X, used),
            support=training.index[used],
            dual_coef=np.ascontiguousarray(thetas[:, used].transpose(0, 2, 1)),
            intercept=np.stack([self._intercept(solution, n) for solution in solutions]),
            objective=np.array([solution.value for solution in solutions]),
            residual=np.array([solution.residual for solution in solutions]),
        )

    def _intercept(self, solution: Solution, n: int) -> np.ndarray:
        if not self.fit_intercept:
            return np.zeros(solution.coef.shape[1])
        return symmetric_intercept(solution.coef[n])

    def _store(self, solution: Solution, kernel: Kernel, training: Training) -> None:
        self._report([solution])
        n = len(training.y)
        used = np.flatnonzero(solution.coef[:n].any(axis=1))
        self.kernel_ = kernel
        self._store_centers(training.X, used, training.index)
        self.dual_coef_ = sp.csr_array(solution.coef[used].T)
        self.intercept_ = self._intercept(solution, n)
        self.n_kernels_ = len(used)

    def kernel_expansions(self) -> list[KernelExpansion]:
        """The scores as sums over the kernels kept, for `kernelproba.inspection.explain`."""
        return super().kernel_expansions()

    def _expansion(self) -> KernelExpansion:
        return replace(super()._expansion(), coef=densify(self.dual_coef_))

    def _scores(self, X: MatrixLike) -> np.ndarray:
        check_is_fitted(self)
        return self._expansion().scores(self._check_predict(X))
