"""The relevance vector machine for classification."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_expit, log_softmax
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from kernelproba.basis.columns import KernelColumns
from kernelproba.caller_warning import warn_caller
from kernelproba.coupling import couple_log_odds
from kernelproba.coupling.pairs import class_pairs
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.blockwise import by_rows
from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.estimators.base.kernel_machine import KernelMachine
from kernelproba.estimators.base.kernel_spec import KERNEL_CONSTRAINTS
from kernelproba.estimators.base.linear_function import LinearFunction
from kernelproba.estimators.base.training import Training
from kernelproba.kernels.expansion import expansion_scores
from kernelproba.solvers.evidence.moderation import moderated_scores, moderation, score_deviation
from kernelproba.solvers.evidence.pool import maximise_evidence_in_pools
from kernelproba.solvers.evidence.sequential import EvidenceSolution
from kernelproba.typing import MatrixLike


@dataclass(frozen=True)
class _Task:
    """A problem of two classes: the rows of `positive` against those of `negative` (None: all others)."""

    positive: int
    negative: int | None

    def rows(self, y: np.ndarray) -> np.ndarray:
        """Rows that take part."""
        return np.flatnonzero((y == self.positive) | (self.negative is None) | (y == self.negative))


class _Features:
    """Kernels around some rows, at these rows, and behind them the constant if it is wanted."""

    def __init__(self, columns: KernelColumns, rows: np.ndarray, *, constant: bool):
        self._columns, self._rows, self._constant = columns.at(rows), rows, constant

    def __len__(self) -> int:
        return len(self._rows) + self._constant

    def take(self, index: np.ndarray) -> np.ndarray:
        """Return the features at `index`, (n, len(index))."""
        is_kernel = index < len(self._rows)
        if is_kernel.all():
            return self._columns(self._rows[index])
        Phi = np.ones((len(self._rows), len(index)))
        Phi[:, is_kernel] = self._columns(self._rows[index[is_kernel]])
        return Phi


class RelevanceVectorClassifier(LinearFunction, KernelMachine):
    """Few kernels, chosen by the evidence, and outputs that know their uncertainty.

    The weight of each kernel has a prior w ~ N(0, 1/a) of its own, and all a are set where Laplace's
    approximation to the evidence is largest; there most are infinite and their kernels gone [1]_, [2]_.
    It tunes itself: there is no penalty to choose, and `evidence_` stands in the place of `best_score_`; the
    kernel's width is left to a search.  Probabilities are averaged over the posterior of the weights: a score
    f of variance s² gives σ(f / √(1 + πλs²/8)) with λ = 1, or less where the training rows say that Laplace's
    approximation overstates the variance, as it does for classes that can be separated.

    Without an intercept (the default) scores fade to zero, and probabilities to even odds, away from the
    relevance vectors of a local kernel.  An intercept is one more feature with a prior of its own; far
    from the data it alone decides.

    Parameters
    ----------
    kernel : str, callable, Kernel or scikit-learn Gaussian-process kernel, default="rbf"
        As in `KernelLogisticRegression`.
    gamma : {"scale", "auto", "median"} or float, default="scale"
        Coefficient of the named kernels, as in SVC; "median" is 1/(2·median distance²).
    degree : float, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=0.0
        Constant of the polynomial and sigmoid kernels.
    kernel_params : dict, optional
        Further keyword arguments of a callable kernel.
    fit_intercept : bool, default=False
        Whether a constant is among the features.
    multi_class : {"ovr", "pairwise"}, default="ovr"
        More than two classes: each against the rest, probabilities scaled to sum to one, or each pair, the
        pairs coupled by least squares [3]_.
    moderation : "auto" or float in [0, 1], default="auto"
        λ.  "auto" takes for each problem of two classes the largest that its training rows, each left out in
        turn, do not contradict (by two nats); 1 is the plain average, 0 the most probable weights alone.
    tol : float, default=1e-3
        Smallest rise of the log-evidence that counts.
    max_iter : int, default=1000
        Most actions (a kernel joins, leaves, or precisions change) per problem of two classes.
    random_state : int, RandomState or None, default=None
        Draws the sample behind ``gamma="median"``.

    Attributes
    ----------
    classes_ : ndarray of shape (c,)
        Labels.
    relevance_, support_ : ndarray of shape (m,)
        Row numbers of the relevance vectors of all problems.
    support_vectors_ : ndarray of shape (m, d)
        Their rows; empty for a precomputed kernel.
    n_kernels_ : int
        m.
    dual_coef_ : ndarray of shape (t, m)
        Mean weights; t = 1 problem for two classes, else c or c(c−1)/2.
    intercept_ : ndarray of shape (t,)
        Mean weights of the constant.
    coef_ : ndarray of shape (t, d)
        Linear kernel only: mean weights of the features.
    precision_ : list of t ndarrays
        a of the features of each problem, its relevance vectors before the constant.
    covariance_ : list of t ndarrays
        Posterior covariance of their weights.
    evidence_ : ndarray of shape (t,)
        Log-evidence of each problem.
    moderation_ : ndarray of shape (t,)
        λ of each problem.
    pairs_ : ndarray of shape (t, 2)
        Class of each problem that counts as positive, and its opponent, −1 for all others.
    kernel_ : Kernel
        The kernel in use, with numbers in place of rules.
    n_iter_ : int
        Most actions that a problem took.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    SparseKernelLogisticRegression : Few centres by a penalty of chosen strength.
    KernelLogisticRegression : All rows as centres.

    References
    ----------
    .. [1] M. E. Tipping, "Sparse Bayesian learning and the relevance vector machine", JMLR 1, 2001.
    .. [2] M. E. Tipping and A. C. Faul, "Fast marginal likelihood maximisation for sparse Bayesian models",
       AISTATS 2003.
    .. [3] T.-F. Wu, C.-J. Lin and R. C. Weng, "Probability estimates for multi-class classification by
       pairwise coupling", JMLR 5, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba.estimators.relevance_vector import RelevanceVectorClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RelevanceVectorClassifier().fit(X, y)
    >>> bool(model.n_kernels_ < 20), bool(model.score(X, y) > 0.95)
    (True, True)
    """

    _parameter_constraints: ClassVar[dict] = {
        **KERNEL_CONSTRAINTS,
        "fit_intercept": ["boolean"],
        "multi_class": [StrOptions({"ovr", "pairwise"})],
        "moderation": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        kernel_params=None,
        fit_intercept=False,
        multi_class="ovr",
        moderation="auto",
        tol=1e-3,
        max_iter=1000,
        random_state=None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.multi_class = multi_class
        self.moderation = moderation
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> "RelevanceVectorClassifier":
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or (n, n) for a precomputed kernel
            Training rows.
        y : array-like of shape (n,)
            Labels.

        Returns
        -------
        self : RelevanceVectorClassifier
            The fitted model.
        """
        training = self._check_fit(X, y, None, None)
        kernel = self._resolve_kernel(training)
        columns, tasks = KernelColumns(kernel, training.X), self._tasks(len(self.classes_))
        solutions, shares = zip(*(self._solve(task, columns, training) for task in tasks), strict=True)
        self.moderation_ = np.array(shares)
        self.kernel_ = kernel
        self.pairs_ = np.array([(t.positive, -1 if t.negative is None else t.negative) for t in tasks])
        self._store(solutions, training)
        return self

    def _tasks(self, n_classes: int) -> list[_Task]:
        if n_classes == 2:
            return [_Task(1, 0)]
        if self.multi_class == "ovr":
            return [_Task(k, None) for k in range(n_classes)]
        return [_Task(i, j) for i, j in class_pairs(n_classes).tolist()]

    def _solve(
        self, task: _Task, columns: KernelColumns, training: Training
    ) -> tuple[EvidenceSolution, float]:
        """Solution of one problem and its λ; features are numbered as the rows, n for the constant."""
        rows = task.rows(training.y)
        features = _Features(columns, rows, constant=self.fit_intercept)
        sign, weight = np.where(training.y[rows] == task.positive, 1.0, -1.0), training.weight[rows]
        solution = maximise_evidence_in_pools(features, sign, weight, tol=self.tol, max_iter=self.max_iter)
        if not solution.converged:
            warn_caller(
                f"The evidence was still rising after {self.max_iter} actions. Raise max_iter or tol.",
                ConvergenceWarning,
            )
        share = self.moderation
        if share == "auto":
            share = moderation(features.take(solution.active), solution.posterior, sign, weight)
        return solution.sorted().renumbered(np.append(rows, len(training.y))), share

    def _store(self, solutions: Sequence[EvidenceSolution], training: Training) -> None:
        n = len(training.y)
        used = np.unique(np.concatenate([solution.active for solution in solutions]))
        used = used[used < n]
        self._store_centers(training.X, used, training.index)
        self.relevance_, self.n_kernels_ = self.support_, len(used)
        weights = np.zeros((len(solutions), n + 1))
        for row, solution in zip(weights, solutions, strict=True):
            row[solution.active] = solution.posterior.mean
        self.dual_coef_, self.intercept_ = weights[:, used], weights[:, n]
        # Positions of each problem's features among the relevance vectors, the constant behind them.
        self._feature_positions_ = [
            np.searchsorted(np.append(used, n), solution.active) for solution in solutions
        ]
        self.precision_ = [solution.precision for solution in solutions]
        self.covariance_ = [solution.posterior.covariance for solution in solutions]
        self.evidence_ = np.array([solution.posterior.evidence for solution in solutions])
        self.n_iter_ = max(solution.n_iter for solution in solutions)

    def kernel_expansions(self) -> list[KernelExpansion]:
        """The mean scores of all problems of two classes as sums over the relevance vectors.

        Returns
        -------
        expansions : list of one KernelExpansion
            For `kernelproba.inspection.explain`.
        """
        return super().kernel_expansions()

    def _expansion(self) -> KernelExpansion:
        return replace(super()._expansion(), sides=self.pairs_)

    @by_rows
    def predict_log_proba(self, X: MatrixLike) -> np.ndarray:
        """Logarithm of the class probabilities, averaged over the posterior of the weights.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        log_P : ndarray of shape (n, c)
            log of `predict_proba`, without its underflow.
        """
        check_is_fitted(self)
        return self._kernel_centers().map(self._check_predict(X), lambda K: self._combine(self._moderated(K)))

    def _moderated(self, K: np.ndarray) -> np.ndarray:
        """Moderated log-odds of the positive class in each problem, (n, t), from kernel values (n, m)."""
        Phi = np.hstack([K, np.ones((len(K), 1))])
        scores = expansion_scores(K, self.dual_coef_.T, self.intercept_)
        deviations = [
            score_deviation(Phi[:, at], covariance)
            for at, covariance in zip(self._feature_positions_, self.covariance_, strict=True)
        ]
        return moderated_scores(scores, np.stack(deviations, axis=1), self.moderation_)

    def _combine(self, F: np.ndarray) -> np.ndarray:
        """Log-odds (n, t) of the problems → log-probabilities (n, c)."""
        if len(self.classes_) == 2:
            return log_expit(np.hstack([-F, F]))
        if (self.pairs_[:, 1] < 0).all():
            return log_softmax(log_expit(F), axis=1)
        return couple_log_odds(F, "wu-lin-weng")
