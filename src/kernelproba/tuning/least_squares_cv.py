"""The least-squares probabilistic classifier with its width and penalty chosen by leave-one-out."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..calibration import UnseenScores
from ..estimators.classifier import Training
from ..estimators.kernel_expansion import KernelExpansion
from ..estimators.kernel_machine import KernelMachine
from ..estimators.least_squares import LeastSquaresProbabilisticClassifier, positive_numbers
from ..kernels import median_distance
from .held_out_search import held_out_scores, make_folds
from .left_out_search import LabelledRows, left_out_scores
from .posterior_scores import SCORINGS, grid_scores

#: Widths of sugiyama2010, as multiples of the median distance, and penalties.
PAPER_WIDTHS = (1 / 10, 1 / 5, 1 / 2, 2 / 3, 1.0, 3 / 2, 2.0, 5.0, 10.0)
PAPER_ALPHAS = tuple(10.0 ** np.arange(-2, 0.1, 0.5))

#: Penalties that reach further down, where the best ones are found more often.
WIDE_ALPHAS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)

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


class LeastSquaresProbabilisticClassifierCV(KernelMachine):
    """Least-squares probabilistic classifier that chooses gamma and alpha by itself.

    Scores of rows left out of the model follow in closed form, so a grid of nine widths and five penalties
    costs about as much as ten fits.  See `kernelproba.tuning.left_out_search`.

    Parameters
    ----------
    alphas : {"wide", "paper"} or array-like of shape (a,), default="wide"
        Penalties to try.  "paper": 10⁻², 10⁻¹·⁵, …, 1 as in [1]_; "wide": 10⁻⁶, 10⁻⁵, …, 10⁻².
    gammas : "paper" or array-like of shape (g,), default="paper"
        Coefficients of a named kernel to try.  "paper": nine widths from 1/10 to 10 median distances.
        A kernel that is given as an object or a function, or that has no gamma, is tried as it is.
    kernel, degree, coef0, kernel_params, centers, n_centers, class_weight, calibration, outside
        As in `LeastSquaresProbabilisticClassifier`.
    scoring : {"log_loss", "brier", "accuracy"}, default="log_loss"
        What is to be best on the rows left out, of the probabilities after calibration.
    cv : int, cross-validation splitter or None, default=None
        None leaves out one row at a time, in closed form.  A number makes stratified folds that keep
        identical rows together.
    max_rows : int or "auto", default="auto"
        Rows to leave out with ``cv=None``: a random sample, the same for every point of the grid.  "auto" is
        an eighth of the rows, and at least 256.
    random_state : int, RandomState or None, default=None
        Draws centres and the sample behind the median distance.

    Attributes
    ----------
    best_estimator_ : LeastSquaresProbabilisticClassifier
        The model with the best point of the grid, fitted to all rows.
    alpha_, gamma_ : float
        The best point; gamma_ is None for a kernel that was tried as it is.
    best_score_ : float
        Its score: accuracy, or minus the log loss or the Brier score.
    cv_results_ : dict
        ``gamma`` (g,), ``alpha`` (a,) and ``score`` (g, a).
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
    >>> model.cv_results_["score"].shape
    (9, 5)
    """

    _parameter_constraints: ClassVar[dict] = {
        **{name: LeastSquaresProbabilisticClassifier._parameter_constraints[name] for name in _SHARED},
        "alphas": [StrOptions({"wide", "paper"}), "array-like", Interval(Real, 0, None, closed="neither")],
        "gammas": [StrOptions({"paper"}), "array-like", Interval(Real, 0, None, closed="neither")],
        "scoring": [StrOptions(set(SCORINGS))],
        "cv": ["cv_object"],
        "max_rows": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        alphas="wide",
        gammas="paper",
        *,
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

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "LeastSquaresProbabilisticClassifierCV":
        """Choose gamma and alpha, and fit the model with them.

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
        training = self._check_fit(X, y, sample_weight)
        alphas, gammas = self._alphas(), self._gammas(training)
        models = [self._model(alphas[0], gamma) for gamma in gammas]
        if self.cv is None:
            rows = self._left_out(models, training, alphas)
        else:
            folds = make_folds(self.cv, X, y, training)
            rows = held_out_scores(models, training, len(self.classes_), alphas, folds)
        prior = np.bincount(training.y, weights=training.weight) / training.weight.sum()
        scores = grid_scores(rows, prior, self.calibration, self.scoring)
        g, a = _smoothest_best(scores, gammas, alphas)
        self.alpha_, self.gamma_, self.best_score_ = alphas[a], gammas[g], float(scores[g, a])
        self.cv_results_ = {"gamma": gammas, "alpha": alphas, "score": scores}
        self.best_estimator_ = self._model(self.alpha_, self.gamma_).fit(X, y, sample_weight)
        return self

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
        return self.best_estimator_.predict_log_proba(X)

    def kernel_expansions(self) -> list[KernelExpansion]:
        """The scores of the chosen model as sums over centres, for `kernelproba.inspection.explain`.

        Returns
        -------
        expansions : list of KernelExpansion
            As of `best_estimator_`.
        """
        check_is_fitted(self)
        return self.best_estimator_.kernel_expansions()

    def _model(self, alpha: float, gamma: float | None) -> LeastSquaresProbabilisticClassifier:
        """A point of the grid."""
        shared = {name: getattr(self, name) for name in _SHARED}
        return LeastSquaresProbabilisticClassifier(alpha, gamma="scale" if gamma is None else gamma, **shared)

    def _alphas(self) -> list[float]:
        if isinstance(self.alphas, str):
            return list(PAPER_ALPHAS if self.alphas == "paper" else WIDE_ALPHAS)
        return positive_numbers(self.alphas, "alphas")

    def _gammas(self, training: Training) -> list[float] | list[None]:
        """Coefficients to try; [None] for a kernel that has no use for them."""
        if not isinstance(self.kernel, str) or self._is_precomputed():
            if not isinstance(self.gammas, str):
                raise ValueError("gammas are for kernels with a name: leave them out, or name the kernel.")
            return [None]
        if not isinstance(self.gammas, str):
            return positive_numbers(self.gammas, "gammas")
        # Copies of rows must not count, so that a weight is a repetition.
        distinct, _ = self._model(1.0, None)._distinct(training)
        median = median_distance(distinct.X, self.random_state)
        gammas = [1 / (2 * (width * median) ** 2) for width in PAPER_WIDTHS]
        low, high = (self._model(1.0, gamma)._resolve_kernel(training) for gamma in gammas[:2])
        return [None] if low == high else gammas

    def _left_out(self, models: list, training: Training, alphas: list[float]) -> UnseenScores:
        """Leave-one-out scores (g, a, r, c) of a sample of rows."""
        model = models[0]
        model.classes_ = self.classes_
        training, keys = model._distinct(training)
        sums = model._start(training, keys, model._resolve_kernel(training)).sums
        Y = (training.y[:, None] == np.arange(len(self.classes_))).astype(np.float32)
        rows = LabelledRows(training.X, Y, training.weight, keys)
        chosen = rows.sample(max(256, len(keys) // 8) if self.max_rows == "auto" else self.max_rows)
        kernels = [each._resolve_kernel(training) for each in models]
        Q = left_out_scores(rows, chosen, sums.centers, sums.Z, kernels, alphas)
        return UnseenScores(Q, training.y[chosen], training.weight[chosen])


def _smoothest_best(
    scores: np.ndarray, gammas: Sequence[float | None], alphas: Sequence[float]
) -> tuple[int, int]:
    """Indices of the best score; ties up to rounding go to the wider kernel, then to the larger penalty."""
    best = np.argwhere(scores >= scores.max() - 1e-5 * (1 + abs(scores.max()))).tolist()
    g, a = min(best, key=lambda point: (gammas[point[0]] or 0.0, -alphas[point[1]]))
    return g, a
