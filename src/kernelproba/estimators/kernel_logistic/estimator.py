"""Kernel logistic regression, binary and multinomial."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from kernelproba.basis import RULES
from kernelproba.coupling import METHODS
from kernelproba.coupling.pairs import class_pairs
from kernelproba.estimators.base.atomic import atomic_update, forget_fit
from kernelproba.estimators.base.callbacks import ObservableFit
from kernelproba.estimators.base.class_weights import weight_shift
from kernelproba.estimators.base.kernel_spec import KERNEL_CONSTRAINTS
from kernelproba.estimators.base.linear_function import LinearFunction
from kernelproba.estimators.base.logistic_scores import symmetric_intercept
from kernelproba.estimators.base.solver_report import SolverReport
from kernelproba.estimators.base.stored_training import StoredTraining
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.base.validation import PENALISED_C, positive_numbers
from kernelproba.estimators.kernel_logistic.center_choice import CenterChoice, check_square, rows_in_memory
from kernelproba.estimators.kernel_logistic.center_levels import CenteredProblem
from kernelproba.estimators.kernel_logistic.center_pairs import check_settings, fit_center_pairs, spans_fewer
from kernelproba.estimators.kernel_logistic.centers import fit_centers
from kernelproba.estimators.kernel_logistic.exact import LogisticFunction, Options, fit_function
from kernelproba.estimators.kernel_logistic.kept_rows import UncertainFunction
from kernelproba.estimators.kernel_logistic.memory_plan import MemoryPlan
from kernelproba.estimators.kernel_logistic.pair_scores import PairScores
from kernelproba.estimators.kernel_logistic.pairs import LogisticPairs, fit_pairs, pair_masses
from kernelproba.estimators.kernel_logistic.warm_start import PreviousFit
from kernelproba.kernels.resolve import kernel_size
from kernelproba.losses import loss_for
from kernelproba.number_range import strengths
from kernelproba.rows.store import as_rows
from kernelproba.solvers import SOLVERS
from kernelproba.typing import Matrix, MatrixLike


class KernelLogisticRegression(PairScores, UncertainFunction, LinearFunction, ObservableFit, SolverReport):
    """Classification with native probabilities: logistic regression in a kernel's function space.

    Minimises, over functions f of the reproducing kernel Hilbert space and free intercepts b::

        C Σᵢ sᵢ ℓ(yᵢ, f(xᵢ) + b) + ½‖f‖²

    with the logistic loss on one score for two classes and softmax on one score per class otherwise, so
    `C`, `kernel`, `gamma`, `degree` and `coef0` mean what they mean in ``SVC``.  The minimum is unique and
    every solver reaches it.  With all rows as centres the time is that of n² kernel values and of some 50 to
    200 products with the kernel matrix, 2n²c operations each, and memory is 4n² bytes (8n² up to 1000 rows or
    at ``tol < 1e-4``); for more rows see `n_centers`.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty.
    kernel : str, callable, Kernel or scikit-learn Gaussian-process kernel, default="rbf"
        A name that scikit-learn knows ("linear", "poly", "rbf", "laplacian", "sigmoid", "cosine", "chi2",
        "additive_chi2"), "precomputed", an object of `kernelproba.kernels`, or ``f(X, Z) -> matrix``.
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
    undo_weights : bool or "class_weight", default=False
        Whether to take out of the probabilities what the weights have done to the class frequencies:
        True: they refer to the frequencies of the rows counted once each; "class_weight": to those counted
        by `sample_weight`.  The weights then decide only where the model takes care.
    fit_intercept : bool, default=True
        Whether to add free intercepts.
    n_centers : int, "auto" or None, default="auto"
        Number m of centres that span the function.  None: all rows.  "auto": all rows up to 10,000 of them if
        their kernel matrix fits into the memory limit; beyond, as many as explain 99 % of the kernel on a
        sample, 4000 at most.  With fewer centres than rows a fit makes about ten passes over the rows, 4nmc
        operations each and n·m kernel values where these are not kept.
    centers : {"rpcholesky", "k-means++", "k-means", "uniform"} or array of shape (m, d), default="rpcholesky"
        How `n_centers` centres are chosen: randomly pivoted Cholesky, rows far apart, means of clusters, any
        rows; or the centres themselves.
    memory_limit : int or str, optional
        Bytes that a fit may take beside the data, such as ``"2GB"``; half of the machine's memory by default.
        Kernel values that do not fit are computed anew at every pass; a number of centres whose matrices do
        not fit is refused with the least limit that they need.
    multi_class : {"multinomial", "pairwise"}, default="multinomial"
        "pairwise" fits one function per pair of classes and couples their probabilities, kLOGREG of [1]_: for
        many classes faster, and often more accurate, than one softmax.  Needs a positive definite kernel.
        With fewer centres than rows each class has its share of them, and a pair those of its two classes;
        "auto" then chooses centres where two classes have more than 10,000 rows, or rows are in a store.
    coupling : {"wu-lin-weng", "hastie-tibshirani"}, default="wu-lin-weng"
        How pairwise probabilities become one distribution, see `kernelproba.coupling.couple`.
    pair_Cs : array-like of float, optional
        Values among which each pair chooses its own C by its approximate leave-one-out log loss, instead of
        `C` for all.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        With more than two classes `decision_function` gives a score for each class, or the log-odds of each
        pair of classes (`pairwise_decision_function`), shaped as in SVC.
    solver : {"auto", "irls", "progressive", "newton-cg", "newton-cholesky", "lbfgs"}, default="auto"
        "irls": re-weighted least squares in the kernel coefficients by conjugate gradients [1]_.  The
        others work in features from the Cholesky factor of the kernel matrix, n³/3 operations: "newton-cg":
        Newton's method with conjugate gradients; "newton-cholesky": with the full Hessian, for small
        problems; "lbfgs": quasi-Newton.  "progressive", for fewer centres than rows: quasi-Newton steps
        preconditioned by the curvature of a sample.  "auto" is progressive with fewer centres than rows, but
        preconditioned newton-cg where there are few rows per centre; with all rows as centres
        irls, or newton-cg for the linear kernel, which has few features, and for kernels that are precomputed
        or not known to be definite.
    tol : float, default=1e-2
        Bound on the error of an average score relative to the size of the function, certified by the
        gradient: ``√k̄ ‖∇J‖ ≤ tol (1 + √k̄ ‖f‖)`` with k̄ the mean of k(x, x).  The objective is then within
        about tol² of its least value, relatively; what fits reach is closer by far.
    max_iter : int, default=200
        Most iterations of the solver.
    warm_start : bool, default=False
        Start from the previous fit, whatever its C or kernel, if the classes are the same and its centres
        are among the rows.  Pairwise fits start anew.
    n_jobs : int, optional
        Threads that share the pairs of a pairwise fit.
    random_state : int, RandomState or None, default=None
        Draws the sample behind ``gamma="median"``.

    Attributes
    ----------
    classes_ : ndarray of shape (c,)
        Labels.
    dual_coef_ : ndarray of shape (1, m) or (c, m)
        Kernel coefficients α of the centres; where no row is redundant they equal C·sᵢ·(onehot(yᵢ) − pᵢ).
        Pairwise: (c − 1, m), laid out as in SVC.
    intercept_ : ndarray of shape (1,) or (c,)
        b; one per pair for pairwise models.
    coef_ : ndarray of shape (1, d), (c, d) or (c (c − 1) / 2, d)
        Linear kernel only: coefficients of the features, so that scores are ``X @ coef_.T + intercept_``.
    n_support_ : ndarray of shape (c,)
        Pairwise only: centres of each class; they are sorted by class.
    pair_C_ : ndarray of shape (c (c − 1) / 2,)
        Pairwise only: the C of each pair.
    weight_shift_ : ndarray of shape (c,)
        What `undo_weights` has taken off the log-probabilities, as part of `intercept_`; sums to zero.
    support_ : ndarray of shape (m,)
        Row numbers of the centres in the training data.
    support_vectors_ : ndarray of shape (m, d)
        The centres; empty for a precomputed kernel.
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
    KernelLogisticRegressionCV : Chooses kernel, gamma and C by itself.
    SparseKernelLogisticRegression : The same model with few centres.
    BasisLogisticRegression : Fixed functions, and standard errors of their coefficients.

    References
    ----------
    .. [1] V. Roth, "Probabilistic discriminative kernel classifiers for multi-class problems", DAGM 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelLogisticRegression(C=10).fit(X, y)
    >>> model.predict_proba(X[:2]).round(2)
    array([[0.99, 0.01, 0.  ],
           [0.99, 0.01, 0.  ]])
    """

    _parameter_constraints: ClassVar[dict] = {
        "C": [PENALISED_C],
        **KERNEL_CONSTRAINTS,
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "undo_weights": ["boolean", StrOptions({"class_weight"})],
        "fit_intercept": ["boolean"],
        "n_centers": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
        "centers": [StrOptions({*RULES, "k-means", "uniform"}), "array-like"],
        "memory_limit": [Interval(Real, 0, None, closed="neither"), str, None],
        "multi_class": [StrOptions({"multinomial", "pairwise"})],
        "coupling": [StrOptions(set(METHODS))],
        "pair_Cs": ["array-like", None],
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
        "solver": [StrOptions({"auto", "irls", "progressive", *SOLVERS})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C=1.0,
        *,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        kernel_params=None,
        class_weight=None,
        undo_weights=False,
        fit_intercept=True,
        n_centers="auto",
        centers="rpcholesky",
        memory_limit=None,
        multi_class="multinomial",
        coupling="wu-lin-weng",
        pair_Cs=None,
        decision_function_shape="ovr",
        solver="auto",
        tol=1e-2,
        max_iter=200,
        warm_start=False,
        n_jobs=None,
        random_state=None,
    ):
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.class_weight = class_weight
        self.undo_weights = undo_weights
        self.fit_intercept = fit_intercept
        self.n_centers = n_centers
        self.centers = centers
        self.memory_limit = memory_limit
        self.multi_class = multi_class
        self.coupling = coupling
        self.pair_Cs = pair_Cs
        self.decision_function_shape = decision_function_shape
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    @atomic_update  # a warm start builds on the earlier fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "KernelLogisticRegression":
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or (n, n) for a precomputed kernel
            Training rows; also a store of `kernelproba.rows` or a Dask array or data frame, for rows that are
            not in memory.
        y : array-like of shape (n,)
            Labels; a Dask array where X is one.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights; a weight of two is a row seen twice.

        Returns
        -------
        self : KernelLogisticRegression
            The fitted model.
        """
        previous = PreviousFit.of(self) if self.warm_start else None
        training = self._begin_fit(X, y, sample_weight)
        c = len(self.classes_)
        pairwise = self.multi_class == "pairwise" and c > 2
        with self._observed(X, y, c * (c - 1) // 2 if pairwise else None) as step:
            options = Options(self.solver, self.tol, self.max_iter, self.fit_intercept, step)
            if pairwise:
                self._fit_pairs(training, options)
            elif (centers := self._choose_centers(training)) is None:
                rows = self._spanning_rows(training, options)
                start = None if previous is None else previous.start(self.classes_, rows.X)
                weights = self._strengths(rows, self.C)
                self._store_rows(fit_function(self.kernel_, rows.X, rows.y, weights, options, start), rows)
            else:
                problem = self._centered_problem(training, *centers)
                plan = self._memory_plan(len(training.y))
                fit = fit_centers(problem, options, plan, self.random_state)
                self._store_centered(fit, problem.Z, training)
        return self

    def _begin_fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> Training | StoredTraining:
        """Forget an earlier fit; return checked rows, and know classes and kernel."""
        forget_fit(self)
        training = self._check_rows(X, y, sample_weight, self.class_weight)
        self.kernel_, self._decision_shape_ = self._resolve_kernel(training), self.decision_function_shape
        return training

    def _choose_centers(self, training: Training | StoredTraining) -> tuple[Matrix, np.ndarray] | None:
        """Centres and their row numbers, or None where all rows are centres."""
        plan = self._memory_plan(len(training.y))
        choice = CenterChoice(self.n_centers, self.centers, plan, self.random_state, self.C)
        eligible = self.kernel_.definite and not self._is_precomputed()
        return choice.choose(self.kernel_, training, eligible=eligible)

    def _memory_plan(self, n: int) -> MemoryPlan:
        """How much memory a fit to n rows may take for what."""
        c = len(self.classes_)
        return MemoryPlan.within(self.memory_limit, loss_for(c).n_scores(c), n)

    def _spanning_rows(self, training: Training | StoredTraining, options: Options) -> Training:
        """All rows, which are to span the function, and a solver that takes them."""
        if self.solver == "progressive":
            raise ValueError("solver='progressive' is for fewer centres than rows: set n_centers.")
        return rows_in_memory(training, options.precision(len(training.y)), self.memory_limit)

    def _centered_problem(
        self, training: Training | StoredTraining, Z: Matrix, index: np.ndarray
    ) -> CenteredProblem:
        """What is minimised over the functions that chosen centres span."""
        weights, c = self._strengths(training, self.C), len(self.classes_)
        return CenteredProblem(self.kernel_, Z, index, as_rows(training.X), training.y, weights, c)

    def _store_rows(self, fit: LogisticFunction, training: Training) -> None:
        """One function with all classes in it, spanned by all rows."""
        self._spans_all_rows_ = True
        self._store_centers(training.X, fit.index, training.index)
        self._keep_rows(training, fit.index)
        self._store_function(fit, training)

    def _store_centered(self, fit: LogisticFunction, Z: Matrix, training: Training | StoredTraining) -> None:
        """One function with all classes in it, spanned by chosen centres."""
        self._spans_all_rows_ = False
        self.support_vectors_, self.support_ = Z, training.numbers(fit.index)
        self._keep_rows(training)
        self._store_function(fit, training)

    def _store_function(self, fit: LogisticFunction, training: Training | StoredTraining) -> None:
        """Coefficients and intercepts, without what weights of classes did to them."""
        self.dual_coef_ = np.ascontiguousarray(fit.dual.T)
        self.intercept_ = symmetric_intercept(fit.intercept)
        self._undo_weights(training, self.undo_weights)
        self._report([fit.solution])

    def _strengths(self, training: Training | StoredTraining, C: float) -> np.ndarray:
        """ω = C·weight, aligned with the rows."""
        if isinstance(training, StoredTraining):
            return C * training.weight
        return strengths(C, training.weight, kernel_size(self.kernel_, training.X))

    def _fit_pairs(self, training: Training | StoredTraining, options: Options) -> None:
        """One function per pair of classes."""
        if not self.kernel_.definite or self._is_precomputed():
            raise ValueError(
                "multi_class='pairwise' needs a kernel that is known to be positive definite; wrap "
                "KernelLogisticRegression in PairwiseCouplingClassifier for any other."
            )
        plan = MemoryPlan.within(self.memory_limit)
        if isinstance(training, StoredTraining) or spans_fewer(self.n_centers, training.y, plan):
            fit = self._fit_center_pairs(training, options, plan)
        else:
            fit = self._fit_row_pairs(training, options)
        self.n_support_, self._coupling_ = np.diff(fit.bounds), self.coupling
        self.dual_coef_, self.pair_C_ = fit.dual, fit.C
        self.pair_weights_ = pair_masses(training.class_weights(len(self.classes_)))
        self.weight_shift_ = weight_shift(self.undo_weights, training, len(self.classes_))
        first, second = class_pairs(len(self.classes_)).T
        self.intercept_ = fit.intercept - (self.weight_shift_[first] - self.weight_shift_[second])
        self._report(fit.solutions)

    def _fit_row_pairs(self, training: Training, options: Options) -> LogisticPairs:
        """Functions of pairs that are spanned by all rows of two classes."""
        if self.solver not in ("auto", "irls"):
            raise ValueError(f"multi_class='pairwise' is solved by irls; got solver={self.solver!r}.")
        largest = int(np.sort(np.bincount(training.y))[-2:].sum())
        check_square(largest, options.precision(len(training.y)), self.memory_limit)
        Cs = [self.C] if self.pair_Cs is None else positive_numbers(self.pair_Cs, "pair_Cs")
        for C in Cs:
            self._strengths(training, C)
        fit = fit_pairs(self.kernel_, training.X, training.y, training.weight, Cs, options, self.n_jobs)
        self._store_centers(training.X, fit.order, training.index)
        self._keep_rows(training, fit.order)
        return fit

    def _fit_center_pairs(
        self, training: Training | StoredTraining, options: Options, plan: MemoryPlan
    ) -> LogisticPairs:
        """Functions of pairs that are spanned by chosen centres of two classes."""
        choice = CenterChoice(self.n_centers, self.centers, plan, self.random_state, self.C)
        check_settings(choice, self.pair_Cs, self.solver)
        fit, self.support_vectors_ = fit_center_pairs(self.kernel_, training, self.C, options, choice)
        self.support_ = training.numbers(fit.order)
        self._keep_rows(training)
        return fit
