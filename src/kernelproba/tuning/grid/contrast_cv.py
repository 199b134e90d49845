"""Maximum contrast with width and penalty chosen by cross-validation."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_softmax
from sklearn.base import _fit_context
from sklearn.utils.validation import check_is_fitted

from kernelproba.basis.gram import Gram
from kernelproba.decision import as_priors, class_priors
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.density_classifier import refuse_negative
from kernelproba.estimators.base.validation import positive_numbers
from kernelproba.estimators.maximum_contrast import PROGRAMMES, MaximumContrastClassifier
from kernelproba.kernels.logarithm import log_sums
from kernelproba.number_range import LOG_ZERO, log_probabilities
from kernelproba.rows.folds import Fold
from kernelproba.solvers.lp.contrast_problem import ContrastProblem
from kernelproba.solvers.lp.slpm import ContrastFit, contrast_path
from kernelproba.tuning.grid.grid_classifier import GRID_CONSTRAINTS
from kernelproba.tuning.grid.grid_search import FoldOutcome
from kernelproba.tuning.grid.width_classifier import WidthTunedClassifier
from kernelproba.tuning.grid.widths import FoldMatrices, WidthGrid
from kernelproba.tuning.observations import Observations
from kernelproba.typing import MatrixLike

#: Default penalties, as multiples of the total weight of the rows; inf is the kernel density classifier.
PENALTIES = np.array([np.inf, *10.0 ** -np.arange(1.5, 4.5, 0.5)])


class MaximumContrastClassifierCV(WidthTunedClassifier):
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
    l1_ratio, kernel, kernel_params, priors, calibration_cv
        As in `MaximumContrastClassifier`.
    scoring : {"log_loss", "brier", "accuracy"}, str or callable, default="log_loss"
        What is to be best on held-out rows, of the probabilities by Bayes' rule; or any scorer of
        scikit-learn.  "log_loss" counts a quarter of a row more, of which any class is true.  Equal
        scores are told apart by the log loss.
    cv : int, cross-validation splitter, iterable or None, default=5
        Folds.  A number makes stratified folds that depend on the contents of rows, not on their order;
        copies of a row are different observations, and so is what a weight has beyond one, if all weights are
        whole numbers.  None makes five.  A class without rows outside a fold is trained on the rows it has.
    one_standard_error : bool, default=False
        Whether to take, of all candidates whose score is within one standard error of the best, the one with
        the fewest non-zero weights.
    solver, tol, max_iter
        As in `MaximumContrastClassifier`.
    n_jobs : int, optional
        Folds and widths tried at once, as in joblib.
    random_state : int, RandomState instance or None, default=None
        As in `MaximumContrastClassifier`.

    Attributes
    ----------
    best_estimator_ : MaximumContrastClassifier
        The model with the best parameters, fitted to all rows; it has `margin_`, `deactivated_` and the like.
    alpha_, gamma_ : float
        The best parameters; gamma_ is None for a kernel with its own width.
    best_params_, best_score_, best_index_
        The same as a dict, their mean score, and their line in `cv_results_`.
    cv_results_ : dict
        All candidates in the layout of GridSearchCV, with ``mean_support``, the share of rows with non-zero
        weights; ``cv_results_.frame()`` is a table of them.
    n_iter_ : int
        Linear programmes of the last fit.
    classes_ : ndarray of shape (c,)
        Labels.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    MaximumContrastClassifier : The model with given parameters.
    kernelproba.inspection.SearchDisplay : What the search has tried.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> model = MaximumContrastClassifierCV(alphas=[0.1, 1.0], gammas=[1.0, 4.0], cv=3).fit(X, y)
    >>> model.alpha_ in (0.1, 1.0), len(model.cv_results_["params"])
    (True, 4)
    """

    _estimator_type = MaximumContrastClassifier
    _parameter_constraints: ClassVar[dict] = {
        **{
            name: constraint
            for name, constraint in MaximumContrastClassifier._parameter_constraints.items()
            if name not in ("alpha", "gamma")
        },
        "alphas": ["array-like", None],
        "gammas": ["array-like", None],
        **GRID_CONSTRAINTS,
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
        calibration_cv=None,
        scoring="log_loss",
        cv=5,
        one_standard_error=False,
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
        self.calibration_cv = calibration_cv
        self.scoring = scoring
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "MaximumContrastClassifierCV":
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
        self._fit_grid(X, y, sample_weight)
        self.alpha_, self.gamma_ = self.best_params_["alpha"], self.best_params_["gamma"]
        self.n_iter_ = self.best_estimator_.n_iter_
        return self

    def contrast(self, X: MatrixLike, y: ArrayLike | None = None) -> np.ndarray:
        """Contrast of labelled rows, in [−1, 1]: −1 for a confident mistake, 1 for a confident hit.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        y : array-like of shape (n,), optional
            Their labels; by default the predicted ones, which makes the contrast a measure of confidence.

        Returns
        -------
        C : ndarray of shape (n,)
            As of `best_estimator_`.
        """
        check_is_fitted(self)
        return self.best_estimator_.contrast(self._check_predict(X), y)

    def _grid(self, rows: Observations) -> WidthGrid:
        alphas = PENALTIES * rows.weight.sum()
        if self.alphas is not None:
            alphas = np.array(positive_numbers(self.alphas, "alphas", finite=False))
        return self._width_grid(rows, "alpha", np.sort(alphas)[::-1])

    def _assess(  # type: ignore[override]  # the grid is that of `_grid`
        self, grid: WidthGrid, rows: Observations, width: int, fold: Fold
    ) -> FoldOutcome:
        matrices = FoldMatrices(grid, rows, width, fold)
        train = matrices.trained
        if self.priors is None:
            priors = class_priors(train.y, len(self.classes_), train.weight)
        else:
            priors = as_priors(self.priors, self.classes_)
        gram = Gram.of_matrix(refuse_negative(matrices.train))
        problem = ContrastProblem(gram, train.y, train.weight, priors, float(self.l1_ratio))
        programme = PROGRAMMES[self.solver]
        path = contrast_path(problem, grid.strengths, programme, tol=self.tol, max_iter=self.max_iter)
        parts = [(_log_posterior(matrices, problem, fit), np.mean(fit.beta > 0)) for fit in path]
        log_P, support = zip(*parts, strict=True)
        return FoldOutcome(np.stack(log_P), np.array(support))


def _log_posterior(matrices: FoldMatrices, problem: ContrastProblem, fit: ContrastFit) -> np.ndarray:
    """Log-probabilities (r, c) of the test rows; the priors where all densities are 0."""
    used = np.flatnonzero(fit.beta)
    log_q = log_sums(
        matrices.test[:, used],
        problem.spread(fit.beta)[used],
        lambda rows: matrices.test_logarithm(rows, used),
    )
    log_priors = log_probabilities(problem.priors)
    log_F = np.maximum(log_q + log_priors, LOG_ZERO)
    log_F[log_F.max(axis=1) <= LOG_ZERO / 2] = log_priors
    return log_softmax(log_F, axis=1)
