"""The least-squares probabilistic classifier with width, penalty and scale chosen by leave-one-out."""

from collections.abc import Callable, Iterator
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from kernelproba.basis.class_centers import KeyedRows, check_centers, choose_centers
from kernelproba.calibration import HeldOutScores
from kernelproba.caller_warning import warn_caller
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.blockwise import by_rows
from kernelproba.estimators.base.classifier import Training
from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.estimators.base.validation import positive_numbers
from kernelproba.estimators.least_squares.estimator import LeastSquaresProbabilisticClassifier
from kernelproba.kernels import Kernel, median_distance
from kernelproba.tuning.expanding_grid import Axis
from kernelproba.tuning.folds import make_folds
from kernelproba.tuning.grid_scorers import SCORINGS, grid_scores
from kernelproba.tuning.grids import given_gammas
from kernelproba.tuning.least_squares.folds import HeldOutTrials
from kernelproba.tuning.least_squares.loo import LeftOutTrials
from kernelproba.tuning.least_squares.search import Found, LeastSquaresSearch, Stage, alpha_axis, gamma_axis
from kernelproba.tuning.loo_classifier import LeftOutPosterior
from kernelproba.tuning.scaled_features import SCALE_CONSTRAINTS, ScaledFeatures
from kernelproba.tuning.scaling import UNSCALED, ScaledView

#: Parameters that go to the models as they are.
_SHARED = (
    "kernel",
    "degree",
    "coef0",
    "kernel_params",
    "centers",
    "n_centers",
    "class_weight",
    "calibration",
    "outside",
    "random_state",
)


class LeastSquaresProbabilisticClassifierCV(LeftOutPosterior, ScaledFeatures):
    """Least-squares probabilistic classifier that scales the features and chooses gamma and alpha by itself.

    Scores of rows left out of the model follow in closed form: they judge every point of a grid, calibrate
    the chosen model, and say how good it is on rows it has not seen; no row is set aside.  See
    `kernelproba.tuning.least_squares.loo`.

    Parameters
    ----------
    alphas : {"auto", "wide", "paper"} or array-like of shape (a,), default="auto"
        Penalties to try.  "wide": 10⁻⁶, 10⁻⁵, …, 10⁻²; "auto": the same, and beyond them by factors of 10,
        between 10⁻¹² and 10⁶, while that is better; "paper": 10⁻², 10⁻¹·⁵, …, 1 as in [1]_.
    gammas : {"auto", "paper"} or array-like of shape (g,), default="auto"
        Coefficients of a named kernel to try.  "paper": nine widths from 1/10 to 10 median distances;
        "auto": the same, and beyond them by factors of 4 in gamma, up to 256, while that is better.  A kernel
        that is given as an object or a function, or that has no gamma, is tried as it is.
    scale : {"auto", "standard", "robust"} or None, default="auto"
        How features are brought to one scale before they are compared, by what the rows of `fit` say; as in
        `KernelLogisticRegressionCV`.  "auto" tries "standard" and None, and keeps what is better on the rows
        left out.  Given `centers` are scaled along.
    kernel, degree, coef0, kernel_params, centers, n_centers, class_weight, calibration, outside
        As in `LeastSquaresProbabilisticClassifier`.
    scoring : {"log_loss", "brier", "accuracy"}, default="log_loss"
        What is to be best on the rows left out, of the probabilities after calibration.
    cv : int, cross-validation splitter or None, default=None
        None leaves out one row at a time, in closed form.  A number makes stratified folds that keep
        identical rows together.
    max_rows : int or "auto", default="auto"
        Rows to leave out in the search with ``cv=None``: a random sample, the same for every point.  "auto"
        is an eighth of the rows, and at least 256.
    random_state : int, RandomState or None, default=None
        Draws centres and the sample behind the median distance.

    Attributes
    ----------
    best_estimator_ : LeastSquaresProbabilisticClassifier
        The model with the best point, fitted to all rows, on their scale.
    alpha_, gamma_ : float
        The best point; gamma_ is None for a kernel that was tried as it is.
    best_params_ : dict
        The same, and the scale, as ``{"alpha": …, "gamma": …, "scale": …}``.
    best_score_ : float
        Its score: accuracy, or minus the log loss or the Brier score.
    cv_results_ : dict
        ``scale``, ``gamma``, ``alpha``, ``n_rows`` (left out) and ``mean_test_score`` of all points tried, in
        the order they were; ``cv_results_.frame()`` is a table of them.
    scaler_ : FeatureScaling or None
        What was done to the features.
    loo_proba_ : ndarray of shape (n, c)
        Probabilities of every training row by the model without that row (and without its copies, and without
        the basis function that stands on it), after calibration.  The calibration, two numbers and the
        evidence below which priors take over, was learned from the same scores.  Rows of weight zero, which
        the model has not seen, have those of `predict_proba`.
    loo_label_proba_ : ndarray of shape (n,)
        Of these, the probability of the row's own label; NaN for rows of weight zero.
    loo_scores_ : dict
        ``error``, ``log_loss``, ``brier`` and ``ece`` of `loo_proba_`: what to expect of new rows, but too
        good, since the point and the calibration were chosen by them: by a twentieth on thousands of rows, by
        half on 75 (``docs/guide/tuning.md``).
    classes_ : ndarray of shape (c,)
        Labels.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    References
    ----------
    .. [1] M. Sugiyama, "Superfast-trainable multi-class probabilistic classifier by least-squares posterior
       fitting", IEICE Transactions on Information and Systems E93-D(10), 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelproba import LeastSquaresProbabilisticClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LeastSquaresProbabilisticClassifierCV().fit(X, y)
    >>> model.loo_scores_["error"] < 0.06
    True
    >>> sorted(model.best_params_)
    ['alpha', 'gamma', 'scale']
    """

    _parameter_constraints: ClassVar[dict] = {
        **{name: LeastSquaresProbabilisticClassifier._parameter_constraints[name] for name in _SHARED},
        "alphas": [
            StrOptions({"auto", "wide", "paper"}), "array-like", Interval(Real, 0, None, closed="neither"),
        ],
        "gammas": [StrOptions({"auto", "paper"}), "array-like", Interval(Real, 0, None, closed="neither")],
        "scale": SCALE_CONSTRAINTS,
        "scoring": [StrOptions(set(SCORINGS))],
        "cv": ["cv_object"],
        "max_rows": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
    }  # fmt: skip

    def __init__(
        self,
        alphas="auto",
        gammas="auto",
        *,
        scale="auto",
        kernel="rbf",
        degree=3,
        coef0=0.0,
        kernel_params=None,
        centers="class",
        n_centers=None,
        class_weight=None,
        calibration="power",
        outside="prior",
        scoring="log_loss",
        cv=None,
        max_rows="auto",
        random_state=None,
    ):
        self.alphas = alphas
        self.gammas = gammas
        self.scale = scale
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.centers = centers
        self.n_centers = n_centers
        self.class_weight = class_weight
        self.calibration = calibration
        self.outside = outside
        self.scoring = scoring
        self.cv = cv
        self.max_rows = max_rows
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "LeastSquaresProbabilisticClassifierCV":
        """Scale the features, choose gamma and alpha, fit the model and judge it by leave-one-out.

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
        self : LeastSquaresProbabilisticClassifierCV
            The fitted model.
        """
        given = self._check_fit(X, y, sample_weight)
        search = LeastSquaresSearch(self._score(given))
        best = search.best(self._stages(X, y, given))
        self._store_search(search, best)
        rows = self._on_scale(self._check_predict(X))
        self.best_estimator_ = self._model(best.alpha, best.gamma, best.view).fit(rows, y, sample_weight)
        Q = self.best_estimator_._left_out_scores(best.view.of(given))
        self._store_left_out(X, given, self.best_estimator_.score_map_.log_probabilities(Q))
        return self

    @by_rows
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of the class probabilities.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        log_P : ndarray of shape (n, c)
            log of `predict_proba`.
        """
        check_is_fitted(self)
        return self.best_estimator_.predict_log_proba(self._on_scale(self._check_predict(X)))

    def kernel_expansions(self) -> list[KernelExpansion]:
        """The scores of the chosen model as sums over centres, for `kernelproba.inspection.explain`.

        Returns
        -------
        expansions : list of KernelExpansion
            X is as `predict` takes it.
        """
        check_is_fitted(self)
        return [self._before_scaling(inner) for inner in self.best_estimator_.kernel_expansions()]

    def _score(self, given: Training) -> Callable[[HeldOutScores], np.ndarray]:
        """What judges the points of a grid."""
        prior = np.bincount(given.y, weights=given.weight) / given.weight.sum()
        return partial(grid_scores, prior=prior, calibration=self.calibration, scoring=self.scoring)

    def _stages(self, X: Any, y: Any, given: Training) -> Iterator[Stage]:
        """Views of the rows; for each, how points are tried in it, and which."""
        distinct, keys = self._model(1.0, None)._distinct(given)
        trials: LeftOutTrials | HeldOutTrials
        if self.cv is None:
            trials = self._left_out(distinct, keys)
        else:
            trials = HeldOutTrials(given, make_folds(self.cv, X, y, given), len(self.classes_), self._model)
        fixed = given_gammas(self.gammas, self.kernel, partial(self._kernel_of, given))
        alphas = self.alphas if isinstance(self.alphas, str) else positive_numbers(self.alphas, "alphas")
        for rule in self._rules():
            view = ScaledView.learn(rule, given)
            # Copies of rows must not count, so that a weight is a repetition.
            gammas = Axis(fixed) if fixed else self._gamma_axis(view.of(distinct))
            yield Stage(view, trials.seen(view), gammas, alpha_axis(alphas))

    def _left_out(self, distinct: Training, keys: np.ndarray) -> LeftOutTrials:
        """Leave-one-out with centres that are drawn once."""
        rows, given = KeyedRows(distinct.X, distinct.y, keys), self._given_centers()
        centers = choose_centers(given, self.n_centers, rows, len(self.classes_), self.random_state)
        outside = None if isinstance(given, str | Integral) else given
        size = max(256, len(keys) // 8) if self.max_rows == "auto" else self.max_rows
        return LeftOutTrials(distinct, keys, centers, outside, self._kernel_of, size)

    def _gamma_axis(self, distinct: Training) -> Axis:
        return gamma_axis(self.gammas, median_distance(distinct.X, self.random_state))

    def _kernel_of(self, training: Training, gamma: float | None) -> Kernel:
        return self._model(1.0, gamma)._resolve_kernel(training)

    def _given_centers(self) -> Any:
        """The parameter `centers`, checked."""
        known = not self._is_precomputed()
        return check_centers(self.centers, self.n_centers, self.n_features_in_, rows_known=known)

    def _model(
        self, alpha: float, gamma: float | None, view: ScaledView = UNSCALED
    ) -> LeastSquaresProbabilisticClassifier:
        """A point of the grid, for rows in a view."""
        shared = {name: getattr(self, name) for name in _SHARED}
        if not isinstance(self.centers, str | Integral):
            shared["centers"] = view.rows(self._given_centers())
        return LeastSquaresProbabilisticClassifier(alpha, gamma="scale" if gamma is None else gamma, **shared)

    def _store_search(self, search: LeastSquaresSearch, best: Found) -> None:
        self.scaler_ = best.view.scaling
        self.alpha_, self.gamma_, self.best_score_ = best.alpha, best.gamma, best.score
        self.best_params_ = {"alpha": best.alpha, "gamma": best.gamma, "scale": best.view.rule}
        self.cv_results_ = search.results()
        if best.stopped:
            warn_caller(
                f"The search ended at its limits, gamma={best.gamma}, alpha={best.alpha:g}: values beyond "
                "may be better. Look at cv_results_, or give gammas and alphas.",
                ConvergenceWarning,
            )
