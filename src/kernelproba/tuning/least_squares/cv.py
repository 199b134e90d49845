"""The least-squares probabilistic classifier with width, penalty and scale chosen by leave-one-out."""

from collections.abc import Sequence
from functools import partial
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from kernelproba.basis.class_centers import KeyedRows, check_centers, choose_class_centers
from kernelproba.calibration import Clipping, HeldOutScores, fit_power
from kernelproba.caller_warning import warn_caller
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.blockwise import by_rows
from kernelproba.estimators.base.callbacks import Step
from kernelproba.estimators.base.feature_names import as_table
from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.base.validation import positive_numbers
from kernelproba.estimators.least_squares.estimator import LeastSquaresProbabilisticClassifier
from kernelproba.kernels import Kernel, median_distance
from kernelproba.rows.folds import Fold, make_folds
from kernelproba.tuning.copied_rows import warn_of_copies
from kernelproba.tuning.grids import central_gamma, given_gammas
from kernelproba.tuning.least_squares.folds import FoldCandidates
from kernelproba.tuning.least_squares.loo import Basis, LeaveOneOutCandidates
from kernelproba.tuning.least_squares.search import (
    PAPER_ALPHAS,
    PAPER_WIDTHS,
    START_ALPHA,
    WIDE_ALPHAS,
    Candidates,
    LeastSquaresCandidate,
    LeastSquaresSearch,
    LeastSquaresStage,
)
from kernelproba.tuning.loo_classifier import LooProbabilities
from kernelproba.tuning.observations import Observations, find_copies
from kernelproba.tuning.scaled_features import SCALE_CONSTRAINTS, ScaledFeatures
from kernelproba.tuning.scaling import UNSCALED, ScaledView
from kernelproba.tuning.scorers import held_out_scorer
from kernelproba.tuning.self_tuning import SEARCH_CONSTRAINTS, SelfTuning
from kernelproba.typing import Matrix, MatrixLike

#: Rows of samples on which a search begins, and of the smaller one for each class at least.
SAMPLE_SIZES, CLASS_ROWS = (300, 800), 20
#: How many times as many rows a larger sample, or the whole, must have.
MIN_GROWTH = 1.4
#: Rows to leave out in a sample, and of all rows at least and as a share.
SAMPLE_JUDGED, JUDGED_ROWS, JUDGED_SHARE = 400, 256, 1 / 8
#: Rows behind the median distance.
MEDIAN_ROWS = 300
#: Floors of the calibration that are tried for each candidate: fewer than for the one that is chosen.
SEARCH_FLOORS = (1e-3, 1e-2, 1e-1)

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


class LeastSquaresProbabilisticClassifierCV(SelfTuning, LooProbabilities, ScaledFeatures):
    """Least-squares probabilistic classifier that scales the features and chooses gamma and alpha by itself.

    Scores of rows left out of the model follow in closed form: they judge every point of a grid, calibrate
    the chosen model, and say how good it is on rows it has not seen; no row is set aside.  See
    `kernelproba.tuning.least_squares.loo`.

    Parameters
    ----------
    alphas : {"auto", "wide", "paper"} or array-like of shape (a,), default="auto"
        Penalties to choose from; "auto" searches, from coarse to fine.  "wide": 10⁻⁶, 10⁻⁵, …, 10⁻²;
        "paper": 10⁻², 10⁻¹·⁵, …, 1 as in [1]_.
    gammas : {"auto", "paper"} or array-like of shape (g,), default="auto"
        The same for the coefficient of a named kernel; "auto" searches around 1/(2·median distance²), by
        factors of up to 1024.  "paper": nine widths from 1/10 to 10 median distances.  A kernel that is given
        as an object or a function, or that has no gamma, is tried as it is.
    scale : {"auto", "standard", "robust"} or None, default="auto"
        How features are brought to one scale before they are compared, by what the rows of `fit` say; as in
        `KernelLogisticRegressionCV`.  "auto" tries "standard" and None, and keeps what is better on the rows
        left out.  Given `centers` are scaled along.
    kernel, degree, coef0, kernel_params, centers, n_centers, class_weight, calibration, outside
        As in `LeastSquaresProbabilisticClassifier`.
    scoring : {"log_loss", "brier", "accuracy"}, str or callable, default="log_loss"
        What is to be best on held-out rows, of the probabilities after calibration; or any scorer of
        scikit-learn.  "log_loss" counts a quarter of a row more, of which any class is true.
    cv : int, cross-validation splitter, iterable or None, default=None
        None leaves out one observation at a time, in closed form.  A number makes stratified folds that
        depend on the contents of rows, not on their order.  Copies of a row are different observations, and
        so is what a weight has beyond one, if all weights are whole numbers.
    max_rows : int or "auto", default="auto"
        Rows to leave out in the last stage of the search with ``cv=None``: a random sample, the same for
        every candidate.  "auto" is an eighth of the rows, and at least 256.
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
    best_index_ : int
        Its line in `cv_results_`.
    cv_results_ : dict
        All candidates in the layout of GridSearchCV, with ``n_rows``, the number of distinct rows they were
        fitted to; ``cv_results_.frame()`` is a table of them.
    scaler_ : FeatureScaling or None
        What was done to the features.
    loo_proba_ : ndarray of shape (n, c)
        Probabilities of every training row by the model without that row (and without the basis function that
        stands on it, if it has no copies), after calibration.  The calibration, two numbers and the
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

    See Also
    --------
    LeastSquaresProbabilisticClassifier : The model with given parameters.
    kernelproba.inspection.SearchDisplay : What the search has tried.

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
        **SEARCH_CONSTRAINTS,
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
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "LeastSquaresProbabilisticClassifierCV":
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
        given = self._check_fit(X, y, sample_weight, self.class_weight)
        with self._observed(X, y) as step:
            best = self._search(X, y, given, step)
            view = best.stage.view
            self.scaler_, self.alpha_, self.gamma_ = view.scaling, best.alpha, best.gamma
            rows = self._on_scale(self._check_predict(as_table(X)))
            self.best_estimator_ = self._model(best.alpha, best.gamma, view)
            with step("fit of all rows"):
                self.best_estimator_.fit(rows, y, sample_weight)
            Q = self.best_estimator_._left_out_scores(view.of(given))
        self._store_loo(X, given, self.best_estimator_.score_map_.log_probabilities(Q))
        return self

    @by_rows
    def predict_log_proba(self, X: MatrixLike) -> np.ndarray:
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

    def _search(self, X: MatrixLike, y: ArrayLike, given: Training, step: Step) -> LeastSquaresCandidate:
        """Return the best candidate, and store all."""
        copies = find_copies(given, precomputed=self._is_precomputed())
        rows = Observations.of(given, copies, precomputed=self._is_precomputed())
        folds = None if self.cv is None else make_folds(self.cv, X, y, given, copies)
        search = LeastSquaresSearch(partial(self._judge, rows), step)
        views = [ScaledView.learn(rule, given) for rule in self._rules()]
        samples = [rows.sample(size) for size in self._sample_sizes(len(rows))]
        stages = [partial(self._stage, sample, None, SAMPLE_JUDGED) for sample in samples]
        auto = max(JUDGED_ROWS, int(JUDGED_SHARE * len(rows)))
        last = partial(self._stage, rows, folds, auto if self.max_rows == "auto" else self.max_rows)
        best = search.select(views, [*stages, last])
        self._store_search(search.results, best.line)
        if best.outermost:
            warn_caller(
                f"The search ended at its limits, gamma={best.gamma:g}: values beyond may be better. Look at "
                "cv_results_, or give gammas.",
                ConvergenceWarning,
            )
        view = best.stage.view
        warn_of_copies(view.of(rows), self._model(best.alpha, best.gamma, view))
        return best

    def _sample_sizes(self, n: int) -> list[int]:
        """Sizes of the samples of n rows on which a search begins, none if nothing is searched."""
        searched = any(isinstance(each, str) and each == "auto" for each in (self.alphas, self.gammas))
        growth = max(1.0, CLASS_ROWS * len(self.classes_) / SAMPLE_SIZES[0])
        sizes = [int(growth * size) for size in SAMPLE_SIZES]
        return [size for size in sizes if searched and n >= MIN_GROWTH * size]

    def _judge(self, rows: Observations, scores: HeldOutScores, folds: Sequence[np.ndarray]) -> list[float]:
        """Scores of folds after calibration."""
        mass = np.bincount(rows.y, weights=rows.weight)
        P = Clipping(mass / mass.sum()).probabilities(scores.Q)
        if self.calibration is None:
            with np.errstate(divide="ignore"):
                log_P = np.log(P)
        else:
            power = fit_power(
                P, scores.y, scores.weight, floors=SEARCH_FLOORS, n_observations=scores.n_observations
            )
            log_P = power.log_probabilities(P)
        score, total = held_out_scorer(self.scoring, self.classes_), float(rows.units.sum())
        return [score(log_P[fold], scores.y[fold], scores.weight[fold], total) for fold in folds]

    def _stage(
        self, rows: Observations, folds: Sequence[Fold] | None, n_judged: int, view: ScaledView
    ) -> LeastSquaresStage:
        """Models of rows on a scale, judged by folds or by leaving out some of the rows."""
        seen, basis_of = rows.with_rows(view.rows(rows.X)), partial(self._basis, view)
        candidates: Candidates
        if folds is None:
            candidates = LeaveOneOutCandidates(seen, basis_of(seen), self._kernel_of, n_judged)
        else:
            candidates = FoldCandidates(seen, folds, basis_of, self._kernel_of)
        return LeastSquaresStage(
            view, candidates, self._given_gammas(seen), self._given_alphas(), self._start(seen)
        )

    def _given_gammas(self, rows: Observations) -> Sequence[float | None] | None:
        """Values to choose from, None for a search."""
        gammas = given_gammas(self.gammas, self.kernel, partial(self._kernel_of, rows))
        if gammas is None and self.gammas == "paper":
            median = median_distance(rows.X, self.random_state)
            return [1 / (2 * (width * median) ** 2) for width in PAPER_WIDTHS]
        return gammas

    def _given_alphas(self) -> Sequence[float] | None:
        """Values to choose from, None for a search."""
        named = {"auto": None, "wide": WIDE_ALPHAS, "paper": PAPER_ALPHAS}
        if isinstance(self.alphas, str):
            return named[self.alphas]
        return positive_numbers(self.alphas, "alphas")

    def _basis(self, view: ScaledView, rows: Observations) -> Basis:
        """Centres for rows on a scale."""
        keyed, given = KeyedRows(rows.X, rows.y, rows.keys), self._given_centers()
        centers = choose_class_centers(given, self.n_centers, keyed, len(self.classes_), self.random_state)
        return Basis(centers, None if isinstance(given, str) else view.rows(given))

    def _start(self, rows: Observations) -> tuple[float, float]:
        """(gamma, alpha) where a search starts."""
        few = rows.sample(MEDIAN_ROWS)
        gamma = central_gamma(self._kernel_of(few, 1.0), few.X)
        # The penalty goes with the square of the kernel.
        size = float(np.mean(self._kernel_of(few, gamma).diag(few.X)))
        return gamma, START_ALPHA * size**2 if size > 0 else START_ALPHA

    def _kernel_of(self, rows: Observations, gamma: float | None) -> Kernel:
        return self._model(1.0, gamma)._resolve_kernel(rows)

    def _given_centers(self) -> str | int | Matrix:
        """The parameter `centers`, checked."""
        known = not self._is_precomputed()
        return check_centers(self.centers, self.n_centers, self.n_features_in_, rows_known=known)

    def _model(
        self, alpha: float, gamma: float | None, view: ScaledView = UNSCALED
    ) -> LeastSquaresProbabilisticClassifier:
        """A point of the grid, for rows in a view."""
        shared = {name: getattr(self, name) for name in _SHARED}
        if not isinstance(self.centers, str):
            shared["centers"] = view.rows(self._given_centers())
        return LeastSquaresProbabilisticClassifier(alpha, gamma="scale" if gamma is None else gamma, **shared)
