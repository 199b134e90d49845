"""Kernel logistic regression, binary and multinomial."""

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..basis import KernelBasis, span_rows
from ..kernels import Kernel
from ..losses import loss_for
from ..objective import Objective
from ..penalties import Ridge
from ..rows import as_rows
from ..solvers import SOLVERS, Solution
from .kernel_machine import KernelMachine
from .logistic_scores import LogisticScores


class KernelLogisticRegression(LogisticScores, KernelMachine):
    """Classification with native probabilities: logistic regression in a kernel's function space.

    Minimises, over functions f of the reproducing kernel Hilbert space and free intercepts b::

        C Σᵢ sᵢ ℓ(yᵢ, f(xᵢ) + b) + ½‖f‖²

    with the logistic loss on one score for two classes and softmax on one score per class otherwise, so
    `C`, `kernel`, `gamma`, `degree` and `coef0` mean what they mean in ``SVC``.  The minimum is unique and
    every solver reaches it.  All rows are centres: time grows as n³/3 plus a few passes of 4n²c, memory as
    16n² bytes.

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
    solver : {"auto", "irls", "newton-cg", "newton-cholesky", "lbfgs"}, default="auto"
        "irls": re-weighted least squares in the dual by conjugate gradients [1]_; "newton-cg": Newton's
        method with preconditioned conjugate gradients; "newton-cholesky": full Hessian, for small
        problems; "lbfgs": quasi-Newton.  "auto" takes newton-cholesky for at most 300 coefficients,
        else newton-cg.
    tol : float, default=1e-4
        Bound on the error of an average score relative to the size of the function, certified by the
        gradient: ``√k̄ ‖∇J‖ ≤ tol (1 + √k̄ ‖f‖)`` with k̄ the mean of k(x, x).
    max_iter : int, default=200
        Most iterations of the solver.
    warm_start : bool, default=False
        Start from the previous fit, whatever its C, kernel or rows, if the classes are the same.
    random_state : int, RandomState or None, default=None
        Draws the sample behind ``gamma="median"``.

    Attributes
    ----------
    classes_ : ndarray of shape (c,)
        Labels.
    dual_coef_ : ndarray of shape (1, m) or (c, m)
        Kernel coefficients α of the centres; where no row is redundant they equal C·sᵢ·(onehot(yᵢ) − pᵢ).
    intercept_ : ndarray of shape (1,) or (c,)
        b.
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
           [0.97, 0.03, 0.  ]])
    """

    _parameter_constraints: ClassVar[dict] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "kernel": [str, callable, Kernel],
        "gamma": [StrOptions({"scale", "auto", "median"}), Interval(Real, 0, None, closed="neither")],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "kernel_params": [dict, None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "undo_weights": ["boolean", StrOptions({"class_weight"})],
        "fit_intercept": ["boolean"],
        "solver": [StrOptions({"auto", *SOLVERS})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
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
        solver="auto",
        tol=1e-4,
        max_iter=200,
        warm_start=False,
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
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KernelLogisticRegression":
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
        self : KernelLogisticRegression
            The fitted model.
        """
        previous = self._previous_function()
        training = self._check_fit(X, y, sample_weight)
        kernel = self._resolve_kernel(training)
        basis, Phi = span_rows(kernel, training.X)
        objective = self._objective(Phi, training)
        start = self._start(objective, basis, training, previous)
        solve = SOLVERS[self._solver_name(objective)]
        solution = solve(objective, start, tol=self.tol, max_iter=self.max_iter)
        self._store(solution, objective, basis, kernel, training)
        self._undo_weights(training)
        return self

    def _objective(self, Phi: np.ndarray, training) -> Objective:
        c = len(self.classes_)
        loss = loss_for(c)
        return Objective(
            features=as_rows(Phi),
            y=training.y,
            weights=self.C * training.weight,
            loss=loss,
            penalty=Ridge(),
            n_scores=loss.n_scores(c),
            fit_intercept=self.fit_intercept,
        )

    def _solver_name(self, objective: Objective) -> str:
        if self.solver != "auto":
            return self.solver
        return "newton-cholesky" if np.prod(objective.shape) <= 300 else "newton-cg"

    def _store(self, solution: Solution, objective: Objective, basis: KernelBasis, kernel, training) -> None:
        if not solution.converged:
            warnings.warn(
                f"The solver stopped after {solution.n_iter} iterations with a residual of "
                f"{solution.residual:.1e}, above tol={self.tol:g}. Raise max_iter or tol, lower C, or scale "
                "the features.",
                ConvergenceWarning,
                stacklevel=4,
            )
        W, b = objective.split(solution.coef)
        self.kernel_ = kernel
        self._store_centers(training.X, basis.index, training.index)
        self.dual_coef_ = np.ascontiguousarray(basis.dual(W).T)
        # Softmax scores are free up to a constant: the symmetric choice sums to zero.
        self.intercept_ = b - b.mean() if len(b) > 1 else b.copy()
        self.n_iter_ = solution.n_iter
        self.objective_ = solution.value
        self.residual_ = solution.residual

    def _previous_function(self):
        """(classes, scores without intercept, intercept) of the last fit, for a warm start."""
        if not (self.warm_start and hasattr(self, "dual_coef_")) or self._is_precomputed():
            return None
        kernel, Z, coef = self.kernel_, self.support_vectors_, self.dual_coef_
        intercept = self.intercept_ + self._score_shift()  # as the weighted fit had it
        return self.classes_, self.n_features_in_, lambda X: kernel(X, Z) @ coef.T, intercept

    def _start(self, objective: Objective, basis: KernelBasis, training, previous) -> np.ndarray:
        """Θ of the previous function interpolated at the new centres, or zero."""
        start = objective.start()
        if previous is None:
            return start
        classes, n_features, function, intercept = previous
        if n_features == self.n_features_in_ and np.array_equal(classes, self.classes_):
            start[: objective.features.width] = basis.coordinates(function(training.X[basis.index]))
            if self.fit_intercept:
                start[-1] = intercept
        return start

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._kernel_scores(self._check_predict(X), self.dual_coef_, self.intercept_)
