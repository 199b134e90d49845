"""Classifiers that choose width and strength of a kernel machine by folds: what they have in common."""

from functools import partial
from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from kernelproba.calibration import HeldOutScores
from kernelproba.estimators.base.blockwise import by_rows
from kernelproba.estimators.base.classifier import ProbabilisticClassifier
from kernelproba.estimators.base.feature_names import as_table
from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.rows.folds import Fold, make_folds
from kernelproba.tuning.copied_rows import warn_of_copies
from kernelproba.tuning.grid.grid_search import FoldOutcome, Grid, GridSearch
from kernelproba.tuning.observations import Observations, find_copies
from kernelproba.tuning.scorers import held_out_scorer
from kernelproba.tuning.self_tuning import SEARCH_CONSTRAINTS, SelfTuning
from kernelproba.typing import MatrixLike

#: What the parameters of a search over a grid may be.
GRID_CONSTRAINTS: dict[str, list] = {
    **SEARCH_CONSTRAINTS,
    "one_standard_error": ["boolean"],
    "n_jobs": [Integral, None],
}


class GridTunedClassifier(SelfTuning, ProbabilisticClassifier):
    """Classifier that predicts by `best_estimator_`, fitted with the best parameters of a grid.

    Subclasses name the estimator that is tuned, and give `_grid` and `_assess`.
    """

    _estimator_type: ClassVar[type[BaseEstimator]]

    def _grid(self, rows: Observations) -> Grid:
        """Parameters to choose from."""
        raise NotImplementedError

    def _assess(self, grid: Grid, rows: Observations, width: int, fold: Fold) -> FoldOutcome:
        """Fit the models of one fold and width, one for each strength."""
        raise NotImplementedError

    def _log_probabilities(self, scores: HeldOutScores) -> np.ndarray:
        """Log-probabilities (n, c) of the scores of one candidate, which are log-probabilities already."""
        return scores.Q

    def _fit_grid(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        """Search, and fit the best candidate to all rows."""
        class_weight = self.get_params(deep=False).get("class_weight")
        given = self._check_fit(X, y, sample_weight, class_weight)
        precomputed = self.__sklearn_tags__().input_tags.pairwise
        copies = find_copies(given, precomputed=precomputed)
        rows = Observations.of(given, copies, precomputed=precomputed)
        grid, folds = self._grid(rows), make_folds(self.cv, X, y, given, copies)
        score = held_out_scorer(self.scoring, self.classes_)
        search = GridSearch(grid, rows, folds, score, self._log_probabilities)
        with self._observed(X, y, len(grid.widths) * len(folds) + 1) as step:
            scores = search.run(partial(self._assess, grid, rows), step, self.n_jobs)
            best = scores.best(one_standard_error=self.one_standard_error)
            self._store_search(search.results(scores), best)
            self.best_estimator_ = self._estimator(**self.best_params_)
            with step("fit of all rows"):
                self._fit_best(self._check_predict(as_table(X)), y, sample_weight)
        warn_of_copies(rows, self.best_estimator_)

    def _fit_best(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        """Fit the best estimator to all rows."""
        self.best_estimator_.fit(X, y, sample_weight)

    def _estimator(self, **params: object) -> BaseEstimator:
        """The tuned estimator with some parameters, and all others that it shares with this one."""
        estimator = self._estimator_type()
        own = self.get_params(deep=False)
        shared = {name: own[name] for name in estimator.get_params(deep=False) if name in own}
        # A width of None stands for a kernel that has its own.
        chosen = {name: value for name, value in params.items() if value is not None}
        return estimator.set_params(**{**shared, **chosen})

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
        return self.best_estimator_.predict_log_proba(self._check_predict(X))

    @by_rows
    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Scores of the chosen model.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        F : ndarray of shape (n,) or (n, c)
            As of `best_estimator_`: one score for two classes, else one for each.
        """
        check_is_fitted(self)
        return self.best_estimator_.decision_function(self._check_predict(X))

    def kernel_expansions(self) -> list[KernelExpansion]:
        """The scores of the chosen model as sums over centres, for `kernelproba.inspection.explain`.

        Returns
        -------
        expansions : list of KernelExpansion
            One for each set of scores with the same centres.
        """
        check_is_fitted(self)
        return self.best_estimator_.kernel_expansions()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = self._estimator().__sklearn_tags__().input_tags
        return tags
