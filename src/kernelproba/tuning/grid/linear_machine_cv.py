"""Cross-validated linear programming machine: shared distances, one path of programmes per fold and class."""

from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from kernelproba.basis.gram import Gram
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.linear_programming_machine import LinearProgrammingMachine
from kernelproba.solvers.lp.linear_machine import linear_machine_path
from kernelproba.tuning.folds import fold_rows
from kernelproba.tuning.grid.width_grid import (
    HeldOut,
    best_setting,
    make_gammas,
    make_penalties,
    search_widths,
)

SCORINGS = ("accuracy", "hinge")
#: What a fold returns for each C.
COLUMNS = (*SCORINGS, "support")


class LinearProgrammingMachineCV(LinearProgrammingMachine):
    """Linear programming machine whose width and C are chosen by cross-validation.

    More than two classes are one machine each against the rest; for pairs, put this estimator into
    `PairwiseCouplingClassifier`.

    Parameters
    ----------
    Cs : array-like of shape (k,), optional
        Values of C to try; by default 10^−1 to 10^3 in steps of √10.
    gammas : array-like of shape (g,), optional
        Widths to try; by default those of length scales 0.15 to 2 times the median distance, in 7 steps.
        Only for the names of stationary kernels, such as "rbf"; other kernels have their own width.
    kernel, degree, coef0, kernel_params, class_weight, calibration, random_state
        As in `LinearProgrammingMachine`.
    cv : int, cross-validation splitter or iterable of splits, default=5
        Folds; an integer makes stratified folds that keep identical rows together.  A class without rows
        outside a fold is trained on the rows it has.
    scoring : {"accuracy", "hinge"}, default="accuracy"
        What is to be best on the rows held out: hits, or minus the mean violation of the margin, which also
        tells equal hits apart.
    slack : float, default=0.0
        If positive: of all settings whose score is within so many standard errors of the best, the one with
        the fewest non-zero weights is taken.
    n_jobs : int, optional
        Widths tried at once, as in joblib.

    Attributes
    ----------
    C_, gamma_ : float
        The chosen values; gamma_ is None for a kernel with its own width.
    best_score_ : float
        Mean score of the chosen setting.
    cv_results_ : dict
        ``gamma`` (g,), ``C`` (k,), and arrays (g, k, folds): the scores ``accuracy`` and ``hinge`` and the
        share of rows with non-zero weights ``support``.
    classes_, support_, dual_coef_, intercept_, objective_, duality_gap_, ...
        As in `LinearProgrammingMachine`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> model = LinearProgrammingMachineCV(Cs=[1, 10], gammas=[0.1, 2.0], cv=3).fit(X, y)
    >>> model.gamma_, model.cv_results_["accuracy"].shape
    (2.0, (2, 2, 3))
    """

    _parameter_constraints: ClassVar[dict] = {
        **{
            name: constraint
            for name, constraint in LinearProgrammingMachine._parameter_constraints.items()
            if name not in ("C", "gamma", "multi_class")
        },
        "Cs": ["array-like", None],
        "gammas": ["array-like", None],
        "cv": ["cv_object"],
        "scoring": [StrOptions({*SCORINGS})],
        "slack": [Interval(Real, 0, None, closed="left")],
        "n_jobs": [Integral, None],
    }
    multi_class = "ovr"
    gamma = 1.0  # stands in where a kernel is only to be looked at

    def __init__(
        self,
        Cs=None,
        gammas=None,
        *,
        kernel="rbf",
        degree=3,
        coef0=0.0,
        kernel_params=None,
        class_weight=None,
        calibration=5,
        cv=5,
        scoring="accuracy",
        slack=0.0,
        n_jobs=None,
        random_state=None,
    ):
        self.Cs = Cs
        self.gammas = gammas
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.class_weight = class_weight
        self.calibration = calibration
        self.cv = cv
        self.scoring = scoring
        self.slack = slack
        self.n_jobs = n_jobs
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "LinearProgrammingMachineCV":
        """Choose width and C, then fit to all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or (n, n) for a precomputed kernel
            Training rows.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights, in training and in the scores.

        Returns
        -------
        self : LinearProgrammingMachineCV
            The fitted model.
        """
        training = self._check_fit(X, y, sample_weight)
        resolved = self._resolve_kernel(training)
        gammas = make_gammas(self.gammas, self.kernel, resolved, training, self.random_state)
        machines = [self._machine(gamma) for gamma in gammas]
        kernels = [machine._resolve_kernel(training) for machine in machines]
        Cs = np.sort(make_penalties(self.Cs, 10.0 ** np.arange(-1, 3.5, 0.5), "Cs"))
        folds = fold_rows(self.cv, X, y, training)
        tables = search_widths(kernels, training, folds, partial(self._try_fold, Cs), self.n_jobs)
        self.cv_results_ = {"gamma": np.array(gammas), "C": Cs}
        self.cv_results_ |= {name: tables[..., k] for k, name in enumerate(COLUMNS)}
        scores, hinge = self.cv_results_[self.scoring], self.cv_results_["hinge"]
        g, k = best_setting(scores, hinge, self.cv_results_["support"], self.slack)
        self.gamma_, self.C_, self.best_score_ = gammas[g], float(Cs[k]), float(scores[g, k].mean())
        self._fit_machines(training, kernels[g], 1 / self.C_)
        self._calibrate(training, machines[g].set_params(C=self.C_))
        return self

    def _machine(self, gamma: float | None) -> LinearProgrammingMachine:
        """The plain machine of one width."""
        names = LinearProgrammingMachine().get_params(deep=False)
        shared = {name: getattr(self, name) for name in names if hasattr(self, name)}
        # The weights handed to it have the class weights in them already.
        shared |= {"class_weight": None, "gamma": "scale" if gamma is None else gamma}
        return LinearProgrammingMachine(**shared)

    def _try_fold(self, Cs: np.ndarray, held_out: HeldOut) -> np.ndarray:
        """Return the COLUMNS of each C, shape (k, 3)."""
        train, test = held_out.fold
        y, weight, c = held_out.training.y, held_out.training.weight, len(self.classes_)
        gram, K = Gram.of_matrix(held_out.train_matrix), held_out.K[np.ix_(test, train)]
        scores, used = np.empty((len(Cs), len(test), c)), np.zeros((len(Cs), len(train)), dtype=bool)
        for j in [1] if c == 2 else range(c):
            sign = np.where(y[train] == j, 1, -1)
            path = linear_machine_path(gram, (sign + 1) // 2, weight[train], 1 / Cs)
            for k, fit in enumerate(path):
                scores[k, :, j] = K @ (sign * fit.beta) + fit.intercept
                used[k] |= fit.beta > 0
        if c == 2:
            scores[:, :, 0] = -scores[:, :, 1]
        own = np.where(y[test][:, np.newaxis] == np.arange(c), 1, -1)
        hits = scores.argmax(axis=2) == y[test]
        hinge = np.maximum(0, 1 - own * scores).mean(axis=2)
        rows = (hits, -hinge)
        return np.column_stack(
            [*(values @ weight[test] / weight[test].sum() for values in rows), used.mean(axis=1)]
        )
