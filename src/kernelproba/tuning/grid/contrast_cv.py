"""Cross-validated maximum contrast: one distance matrix for all widths, one path of programmes per fold."""

from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _num_samples

from kernelproba.basis.gram import Gram
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.density_classifier import refuse_negative
from kernelproba.estimators.maximum_contrast import PROGRAMMES, MaximumContrastClassifier
from kernelproba.solvers.lp.contrast_problem import ContrastProblem
from kernelproba.solvers.lp.slpm import contrast_path
from kernelproba.tuning.folds import fold_rows
from kernelproba.tuning.grid.contrast_folds import COLUMNS, SCORINGS, assess_contrast
from kernelproba.tuning.grid.width_grid import (
    HeldOut,
    best_setting,
    make_gammas,
    make_penalties,
    search_widths,
)

#: Default penalties, as multiples of the total weight of the rows; inf is the kernel density classifier.
PENALTIES = np.array([np.inf, *10.0 ** -np.arange(1.5, 4.5, 0.5)])


class MaximumContrastClassifierCV(MaximumContrastClassifier):
    """Maximum contrast classifier whose width and penalty are chosen by cross-validation.

    The distances of the rows serve all widths, and the linear programmes of a fold and a width follow
    alpha downwards, each starting from the last.  The model is then fitted to all rows.

    Parameters
    ----------
    alphas : array-like of shape (a,), optional
        Penalties to try; by default inf and six values from 10^−1.5 to 10^−4 times the total weight.
    gammas : array-like of shape (g,), optional
        Widths to try; by default those of length scales 0.15 to 2 times the median distance, in 7 steps.
        Only for the names of stationary kernels, such as "rbf"; other kernels have their own width.
    l1_ratio, kernel, kernel_params, priors, calibration, solver, tol, max_iter, random_state
        As in `MaximumContrastClassifier`.
    cv : int, cross-validation splitter or iterable of splits, default=5
        Folds; an integer makes stratified folds that keep identical rows together.  A class without rows
        outside a fold is trained on the rows it has.
    scoring : {"accuracy", "log_loss", "contrast"}, default="accuracy"
        What is to be best on the rows held out: hits, minus the log loss of Bayes' rule, or the mean
        contrast.  Equal scores are told apart by the log loss.
    slack : float, default=0.0
        If positive: of all settings whose score is within so many standard errors of the best, the one with
        the fewest non-zero weights is taken.
    n_jobs : int, optional
        Widths tried at once, as in joblib.

    Attributes
    ----------
    alpha_, gamma_ : float
        The chosen values; gamma_ is None for a kernel with its own width.
    best_score_ : float
        Mean score of the chosen setting.
    cv_results_ : dict
        ``gamma`` (g,), ``alpha`` (a,), and arrays (g, a, folds): the scores ``accuracy``, ``log_loss`` and
        ``contrast``, the share of non-zero weights ``support`` and that of rows ``deactivated``.
    classes_, priors_, support_, dual_coef_, scale_, deactivated_, margin_, contrast_, n_iter_, ...
        As in `MaximumContrastClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> model = MaximumContrastClassifierCV(alphas=[0.1, 1.0], gammas=[1.0, 4.0], cv=3).fit(X, y)
    >>> model.alpha_ in (0.1, 1.0), model.cv_results_["accuracy"].shape
    (True, (2, 2, 3))
    """

    _parameter_constraints: ClassVar[dict] = {
        **{
            name: constraint
            for name, constraint in MaximumContrastClassifier._parameter_constraints.items()
            if name not in ("alpha", "gamma")
        },
        "alphas": ["array-like", None],
        "gammas": ["array-like", None],
        "cv": ["cv_object"],
        "scoring": [StrOptions({*SCORINGS})],
        "slack": [Interval(Real, 0, None, closed="left")],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        alphas=None,
        gammas=None,
        *,
        l1_ratio=0.5,
        kernel="rbf",
        kernel_params=None,
        priors=None,
        calibration=None,
        cv=5,
        scoring="accuracy",
        slack=0.0,
        solver="restricted",
        tol=1e-4,
        max_iter=50,
        n_jobs=None,
        random_state=None,
    ):
        self.alphas = alphas
        self.gammas = gammas
        self.l1_ratio = l1_ratio
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.priors = priors
        self.calibration = calibration
        self.cv = cv
        self.scoring = scoring
        self.slack = slack
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MaximumContrastClassifierCV":
        """Choose width and penalty, then fit to all rows.

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
        self : MaximumContrastClassifierCV
            The fitted model.
        """
        training = self._check_fit(X, y, sample_weight)
        resolved = self._kernel_of_width(training, 1.0)
        gammas = make_gammas(self.gammas, self.kernel, resolved, training, self.random_state)
        kernels = [resolved if g is None else self._kernel_of_width(training, g) for g in gammas]
        alphas = make_penalties(self.alphas, PENALTIES * training.weight.sum(), "alphas")
        alphas = np.sort(alphas)[::-1]
        folds = fold_rows(self.cv, X, y, training)
        tables = search_widths(kernels, training, folds, partial(self._try_fold, alphas), self.n_jobs)
        self.cv_results_ = {"gamma": np.array(gammas), "alpha": alphas}
        self.cv_results_ |= {name: tables[..., k] for k, name in enumerate(COLUMNS)}
        scores, log_losses = self.cv_results_[self.scoring], self.cv_results_["log_loss"]
        g, a = best_setting(scores, log_losses, self.cv_results_["support"], self.slack)
        self.gamma_, self.alpha_, self.best_score_ = gammas[g], float(alphas[a]), float(scores[g, a].mean())
        self.margin_ = np.full(_num_samples(y), np.nan)
        self._fit_rows(training, kernels[g], self.alpha_)
        self._calibrate(training, self._chosen_estimator())
        return self

    def _try_fold(self, alphas: np.ndarray, held_out: HeldOut) -> np.ndarray:
        """Return the COLUMNS of each penalty, shape (a, 5)."""
        training, train = held_out.training, held_out.fold.train
        y, weight = training.y[train], training.weight[train]
        priors = self._check_priors(replace(training, y=y, weight=weight))
        gram = Gram.of_matrix(refuse_negative(held_out.train_matrix))
        problem = ContrastProblem(gram, y, weight, priors, float(self.l1_ratio))
        programme = PROGRAMMES[self.solver]
        path = contrast_path(problem, alphas, programme, tol=self.tol, max_iter=self.max_iter)
        return np.array([assess_contrast(held_out, problem, fit) for fit in path])

    def _chosen_estimator(self) -> MaximumContrastClassifier:
        """The plain classifier of the chosen setting."""
        names = MaximumContrastClassifier().get_params(deep=False)
        shared = {name: getattr(self, name) for name in names if hasattr(self, name)}
        gamma = {} if self.gamma_ is None else {"gamma": self.gamma_}
        return MaximumContrastClassifier(**{**shared, **gamma, "alpha": self.alpha_})
