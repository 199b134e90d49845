"""The linear programming machine with width and C chosen by cross-validation."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import _fit_context

from kernelproba.basis.gram import Gram
from kernelproba.calibration import HeldOutScores, SlopeMap, fit_slope
from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.linear_function import TunedLinearFunction
from kernelproba.estimators.base.validation import positive_numbers
from kernelproba.estimators.linear_programming_machine import LinearProgrammingMachine
from kernelproba.rows.folds import Fold
from kernelproba.solvers.lp.linear_machine import linear_machine_path
from kernelproba.tuning.grid.grid_classifier import GRID_CONSTRAINTS
from kernelproba.tuning.grid.grid_search import FoldOutcome
from kernelproba.tuning.grid.width_classifier import WidthTunedClassifier
from kernelproba.tuning.grid.widths import FoldMatrices, WidthGrid
from kernelproba.tuning.observations import Observations
from kernelproba.typing import MatrixLike

#: Default values of C.
STRENGTHS = 10.0 ** np.arange(-1, 3.5, 0.5)


class LinearProgrammingMachineCV(TunedLinearFunction, WidthTunedClassifier):
    """Linear programming machine whose width and C are chosen by cross-validation.

    The distances of the rows serve all widths, and the linear programmes of a fold and a width follow
    C upwards, each starting from the last.  The model is then fitted to all rows.  More than two classes are
    one machine each against the rest; for pairs, put this estimator into `PairwiseCouplingClassifier`.

    Parameters
    ----------
    Cs : array-like of shape (k,), optional
        Values of C to try; by default 10^−1 to 10^3 in steps of √10.
    gammas : array-like of shape (g,), optional
        Widths to try; by default those of length scales 0.15 to 2 times the median distance, in 7 steps.
        Only for the names of stationary kernels, such as "rbf"; other kernels have their own width.
    kernel, degree, coef0, kernel_params, class_weight, calibration_cv
        As in `LinearProgrammingMachine`.
    scoring : {"log_loss", "brier", "accuracy"}, str or callable, default="log_loss"
        What is to be best on held-out rows; or any scorer of scikit-learn.  Probabilities are those of
        `calibration_cv`, by a slope that all held-out rows of a candidate share.  "log_loss" counts a quarter
        of a row more, of which any class is true.  Equal scores are told apart by the log loss.
    cv : int, cross-validation splitter, iterable or None, default=5
        Folds.  A number makes stratified folds that depend on the contents of rows, not on their order;
        copies of a row are different observations, and so is what a weight has beyond one, if all weights are
        whole numbers.  None makes five.  A class without rows outside a fold is trained on the rows it has.
    one_standard_error : bool, default=False
        Whether to take, of all candidates whose score is within one standard error of the best, the one with
        the fewest non-zero weights.
    n_jobs : int, optional
        Folds and widths tried at once, as in joblib.
    random_state : int, RandomState instance or None, default=None
        As in `LinearProgrammingMachine`.

    Attributes
    ----------
    best_estimator_ : LinearProgrammingMachine
        The model with the best parameters, fitted to all rows.
    C_, gamma_ : float
        The best parameters; gamma_ is None for a kernel with its own width.
    best_params_, best_score_, best_index_
        The same as a dict, their mean score, and their line in `cv_results_`.
    cv_results_ : dict
        All candidates in the layout of GridSearchCV, with ``mean_support``, the share of rows with non-zero
        weights; ``cv_results_.frame()`` is a table of them.
    coef_, intercept_ : ndarrays of shape (k, d) and (k,)
        Linear kernel only: those of `best_estimator_`.
    classes_ : ndarray of shape (c,)
        Labels.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    LinearProgrammingMachine : The model with given parameters.
    kernelproba.inspection.SearchDisplay : What the search has tried.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> model = LinearProgrammingMachineCV(Cs=[1, 10], gammas=[0.1, 2.0], cv=3).fit(X, y)
    >>> model.gamma_, len(model.cv_results_["params"])
    (2.0, 4)
    """

    _estimator_type = LinearProgrammingMachine
    _parameter_constraints: ClassVar[dict] = {
        **{
            name: constraint
            for name, constraint in LinearProgrammingMachine._parameter_constraints.items()
            if name not in ("C", "gamma", "multi_class")
        },
        "Cs": ["array-like", None],
        "gammas": ["array-like", None],
        **GRID_CONSTRAINTS,
    }

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
        calibration_cv=5,
        scoring="log_loss",
        cv=5,
        one_standard_error=False,
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
        self.calibration_cv = calibration_cv
        self.scoring = scoring
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.n_jobs = n_jobs
        self.random_state = random_state

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "LinearProgrammingMachineCV":
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
        self._fit_grid(X, y, sample_weight)
        self.C_, self.gamma_ = self.best_params_["C"], self.best_params_["gamma"]
        return self

    def _grid(self, rows: Observations) -> WidthGrid:
        Cs = STRENGTHS if self.Cs is None else np.sort(positive_numbers(self.Cs, "Cs"))
        return self._width_grid(rows, "C", Cs)

    def _assess(  # type: ignore[override]  # the grid is that of `_grid`
        self, grid: WidthGrid, rows: Observations, width: int, fold: Fold
    ) -> FoldOutcome:
        matrices = FoldMatrices(grid, rows, width, fold)
        train, gram, c = matrices.trained, Gram.of_matrix(matrices.train), len(self.classes_)
        scores = np.empty((len(grid.strengths), len(fold.test), c))
        used = np.zeros((len(grid.strengths), len(fold.train)), dtype=bool)
        for j in [1] if c == 2 else range(c):
            sign = np.where(train.y == j, 1, -1)
            path = linear_machine_path(gram, (sign + 1) // 2, train.weight, 1 / grid.strengths)
            for k, fit in enumerate(path):
                scores[k, :, j] = matrices.test @ (sign * fit.beta) + fit.intercept
                used[k] |= fit.beta > 0
        if c == 2:
            scores[:, :, 0] = -scores[:, :, 1]
        return FoldOutcome(scores, used.mean(axis=1))

    def _log_probabilities(self, scores: HeldOutScores) -> np.ndarray:
        slope = SlopeMap(1.0) if self.calibration_cv is None else fit_slope(scores)
        return slope.log_probabilities(scores.Q)
