"""Kernel logistic regression with nothing to tune."""

from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from kernelproba.caller_warning import warn_caller
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.callbacks import ObservableFit, Step
from kernelproba.estimators.base.classifier import Training
from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.estimators.base.logistic_scores import LogisticScores
from kernelproba.estimators.base.validation import positive_numbers
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.estimators.kernel_logistic.exact import Options
from kernelproba.kernels import Kernel, resolve_kernel
from kernelproba.tuning.duplicates import merge_copies
from kernelproba.tuning.folds import fold_rows
from kernelproba.tuning.grids import given_gammas
from kernelproba.tuning.kernel_logistic.out_of_sample import unseen_log_probabilities
from kernelproba.tuning.kernel_logistic.search import LogisticSearch, Trial, judged_weight
from kernelproba.tuning.kernel_logistic.stages import Choice, Terms, choose
from kernelproba.tuning.loo_classifier import LeftOutPosterior
from kernelproba.tuning.loo_report import fit_temperature, tempered
from kernelproba.tuning.scaled_features import SCALE_CONSTRAINTS, ScaledFeatures
from kernelproba.tuning.scorers import unseen_score

#: Tolerance of the fits of a search: their losses need fewer digits than the final fit.
SEARCH_TOL = 5e-2

_SHARED = (
    "kernel",
    "degree",
    "coef0",
    "kernel_params",
    "class_weight",
    "fit_intercept",
    "n_centers",
    "tol",
    "max_iter",
    "random_state",
)


class KernelLogisticRegressionCV(LogisticScores, ObservableFit, LeftOutPosterior, ScaledFeatures):
    """Kernel logistic regression that scales the features and chooses gamma and C by itself.

    ``KernelLogisticRegressionCV().fit(X, y)`` is all there is to do.  Every point of an adaptive search is
    judged by the log loss of its leave-one-out probabilities, which follow approximately from one
    factorisation (`kernelproba.solvers.loo.softmax`); no row is set aside.  The same probabilities
    then tell whether the model is too sure or too unsure of itself, which one temperature corrects, and how
    good it is on rows it has not seen.

    Parameters
    ----------
    Cs : "auto" or array-like of float, default="auto"
        Values of C to choose from; "auto" searches, from coarse to fine, between 10⁻⁵ and 10⁷.
    gammas : "auto" or array-like of float, default="auto"
        The same for the coefficient of a named kernel; "auto" searches around 1/(2·median distance²), by
        factors of up to 1024.  A kernel that has no gamma, or comes as an object or a function, is taken as
        it is.
    scale : {"auto", "standard", "robust"} or None, default="auto"
        How features are brought to one scale before they are compared, by what the rows of `fit` say.
        "standard": mean 0, standard deviation 1; "robust": median 0, and the interquartile range of a normal
        distribution; None: as they are; "auto": "standard", or None where unseen rows are then predicted
        better, as those of images are.  Sparse rows are divided but not shifted.  A precomputed kernel has no
        features to scale.
    feature_weights : "auto" or None, default="auto"
        Whether each feature may have a length scale of its own.  "auto": features on which the scores hardly
        depend weigh less in the distances, if rows held out are then predicted better beyond chance
        (`feature_relevance`); that pays where columns are noise.  Asked for three dense features
        or more, with ``kernel="rbf"`` and the defaults of `gammas`, `scoring` and `cv`.
    kernel, degree, coef0, kernel_params, class_weight, fit_intercept
        As in `KernelLogisticRegression`.
    scoring : {"log_loss", "brier", "accuracy"}, str or callable, default="log_loss"
        What is to be best on unseen rows; or any scorer of scikit-learn.  "log_loss" counts one row more than
        there are, of which any class is true, so that n rows that are all right do not lead to certainty.
    cv : int, cross-validation splitter, iterable or None, default=None
        None leaves out one row at a time.  A number makes stratified folds that keep identical rows together.
    max_rows : int, default=4000
        Rows that the search looks at: a random sample of larger data.
    n_centers : int, "auto" or None, default="auto"
        Centres of the final model, as in `KernelLogisticRegression`.
    tol, max_iter : float, default=1e-2, int, default=200
        Of the final fit.
    random_state : int, RandomState or None, default=None
        Draws centres where not all rows are centres.

    Attributes
    ----------
    best_estimator_ : KernelLogisticRegression
        The chosen model, fitted to the scaled rows, before the temperature.
    C_, gamma_ : float
        What was chosen; gamma_ is None for a kernel that was taken as it is.
    best_params_ : dict
        The same as ``{"C": …, "gamma": …}``.
    best_score_ : float
        Score of the chosen point in the last stage of the search; the larger the better.
    cv_results_ : dict
        ``scale``, ``weighed``, ``gamma``, ``C``, ``n_rows``, ``mean_test_score`` and ``std_test_score`` of
        all points tried, in the order they were; ``cv_results_.frame()`` is a table of them.
    scaler_ : FeatureScaling or None
        What was done to the features, their weights included.
    feature_weights_ : ndarray of shape (d,) or None
        Weights of the features in squared distances, of mean 1; None if one length scale serves all.
    temperature_ : float
        T: scores are divided by it.  Above 1 the model was too sure of itself; 1 if no correction lowered the
        leave-one-out log loss by more than chance does.
    loo_proba_ : ndarray of shape (n, c)
        Probabilities of every training row by the model without that row (and without its copies), after the
        temperature.  Rows of weight zero, which the model has not seen, have those of `predict_proba`.
    loo_method_ : {"leave-one-out", "folds"}
        Where these come from.  With many classes, many rows or a narrow kernel leave-one-out is dearer than
        four fits, each without a quarter of the rows; and weights of features would know the row left out.
    loo_label_proba_ : ndarray of shape (n,)
        Of these, the probability of the row's own label; NaN for rows of weight zero.
    loo_scores_ : dict
        ``error``, ``log_loss``, ``brier`` and ``ece`` of `loo_proba_`: what to expect of new rows, up to the
        optimism of having chosen a few numbers by them.
    classes_ : ndarray of shape (c,)
        Labels.
    n_iter_ : int
        Iterations of the final fit.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import KernelLogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelLogisticRegressionCV().fit(X, y)
    >>> model.predict_proba(X[:2]).round(1)
    array([[1., 0., 0.],
           [1., 0., 0.]])
    >>> model.loo_scores_["error"] < 0.06
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        **{name: KernelLogisticRegression._parameter_constraints[name] for name in _SHARED},
        "Cs": [StrOptions({"auto"}), "array-like", Interval(Real, 0, None, closed="neither")],
        "gammas": [StrOptions({"auto"}), "array-like", Interval(Real, 0, None, closed="neither")],
        "scale": SCALE_CONSTRAINTS,
        "feature_weights": [StrOptions({"auto"}), None],
        "scoring": [str, callable],
        "cv": ["cv_object"],
        "max_rows": [Interval(Integral, 10, None, closed="left")],
    }

    def __init__(
        self,
        Cs="auto",
        gammas="auto",
        *,
        scale="auto",
        feature_weights="auto",
        kernel="rbf",
        degree=3,
        coef0=0.0,
        kernel_params=None,
        class_weight=None,
        fit_intercept=True,
        scoring="log_loss",
        cv=None,
        max_rows=4000,
        n_centers="auto",
        tol=1e-2,
        max_iter=200,
        random_state=None,
    ):
        self.Cs = Cs
        self.gammas = gammas
        self.scale = scale
        self.feature_weights = feature_weights
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.max_rows = max_rows
        self.n_centers = n_centers
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KernelLogisticRegressionCV":
        """Scale the features, choose gamma and C, fit the model and judge it by leave-one-out.

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
        self : KernelLogisticRegressionCV
            The fitted model.
        """
        given = self._check_fit(X, y, sample_weight)
        with self._observed(X, y) as step:
            self._search_and_fit(X, y, given, step)
        return self

    def _search_and_fit(self, X: Any, y: Any, given: Training, step: Step) -> None:
        rows = merge_copies(given, self._take, precomputed=self._is_precomputed())
        folded = None if self.cv is None else (given, fold_rows(self.cv, X, y, given))
        terms = self._terms(rows.training.X, folded)
        search = LogisticSearch(unseen_score(self.scoring, self.classes_), terms.searched, step)
        choice = choose(terms, rows, search, self._rules())
        self._store_search(search, choice)
        scaled = choice.view.of(given)
        self.best_estimator_ = self._model(choice.best)
        with step("fit of all rows"):
            self.best_estimator_.fit(scaled.X, self.classes_[given.y], given.sample_weight)
        self.n_iter_ = self.best_estimator_.n_iter_
        self._index_ = given.index
        self._store_left_out(X, given, self._judge(choice)[rows.which])

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = self._on_scale(self._check_predict(X))
        if self._is_precomputed():
            X = X[:, self._index_]  # columns of the rows that carry weight
        return self.best_estimator_._scores(X) / self.temperature_

    def kernel_expansions(self) -> list[KernelExpansion]:
        """The scores as sums over centres, for `kernelproba.inspection.explain`; X is as `predict` takes it.

        Returns
        -------
        expansions : list of KernelExpansion
            One, of all scores.
        """
        check_is_fitted(self)
        (inner,) = self.best_estimator_.kernel_expansions()
        T = self.temperature_
        # The inner model numbers the rows that carry weight.
        rows = np.where(inner.rows < 0, inner.rows, self._index_[inner.rows])
        centers = rows if self._is_precomputed() else inner.centers
        outer = KernelExpansion(inner.kernel, centers, rows, inner.coef / T, inner.intercept / T, inner.sides)
        return [self._before_scaling(outer)]

    def _take(self, training: Training, rows: np.ndarray) -> Training:
        """Some of the rows."""
        taken = training.at(rows)
        return replace(taken, X=taken.X[:, rows]) if self._is_precomputed() else taken

    def _kernel_of(self, X: Any, gamma: float | None) -> Kernel:
        return resolve_kernel(
            self.kernel,
            X,
            gamma="scale" if gamma is None else gamma,
            degree=self.degree,
            coef0=self.coef0,
            kernel_params=self.kernel_params,
        )

    def _terms(self, X: Any, folded: tuple | None) -> Terms:
        """What is to be chosen, and from what."""
        gammas = given_gammas(self.gammas, self.kernel, partial(self._kernel_of, X))
        Cs = None if isinstance(self.Cs, str) else positive_numbers(self.Cs, "Cs")
        options = Options("irls", max(self.tol, SEARCH_TOL), self.max_iter, self.fit_intercept)
        return Terms(self._kernel_of, options, gammas, Cs, self.max_rows, folded, self._is_weighable(X))

    def _is_weighable(self, X: Any) -> bool:
        """Whether features may be weighed, and whether that can be told."""
        free = isinstance(self.kernel, str) and self.kernel == "rbf" and isinstance(self.gammas, str)
        judged = self.cv is None and self.scoring == "log_loss"
        return self.feature_weights == "auto" and free and judged and not sp.issparse(X) and X.shape[1] > 2

    def _model(self, best: Trial) -> KernelLogisticRegression:
        shared = {name: getattr(self, name) for name in _SHARED}
        return KernelLogisticRegression(best.C, gamma="scale" if best.gamma is None else best.gamma, **shared)

    def _store_search(self, search: LogisticSearch, choice: Choice) -> None:
        best, self.scaler_ = choice.best, choice.view.scaling
        self.feature_weights_ = None if choice.weighed is None else choice.weighed.weights
        self.C_, self.gamma_, self.best_score_ = best.C, best.gamma, best.score
        self.best_params_ = {"C": best.C, "gamma": best.gamma, "scale": best.scale}
        self.cv_results_ = search.results()
        if best in search.stopped:
            warn_caller(
                f"The search ended at its limits, gamma={best.gamma:g}: values beyond may be better. Look at "
                "cv_results_, or give gammas.",
                ConvergenceWarning,
            )

    def _judge(self, choice: Choice) -> np.ndarray:
        """Log-probabilities (m, c) of distinct unseen rows, with the temperature that they ask for."""
        log_P, self.loo_method_ = unseen_log_probabilities(
            self.best_estimator_, choice.trials, self.gamma_, choice.weighed
        )
        rows = choice.trials.training
        self.temperature_ = fit_temperature(log_P, rows.y, judged_weight(rows))
        return tempered(log_P, self.temperature_)
