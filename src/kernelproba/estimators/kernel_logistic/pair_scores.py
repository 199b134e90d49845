"""Scores of a kernel logistic model: one per class, or the log-odds of every pair of classes."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelproba.coupling import couple_log_odds
from kernelproba.coupling.pairs import class_pairs
from kernelproba.estimators.base.blockwise import by_rows
from kernelproba.estimators.base.kernel_expansion import KernelExpansion
from kernelproba.estimators.base.kernel_machine import KernelMachine
from kernelproba.estimators.base.logistic_scores import LogisticScores
from kernelproba.estimators.kernel_logistic.pairs import pair_expansions, pair_scores
from kernelproba.typing import MatrixLike


class PairScores(LogisticScores, KernelMachine):
    """Methods of a model that has fitted one function with all classes in it, or one for each pair.

    `fit` stores `_decision_shape_` and, for pairs, `n_support_`, `pair_weights_` and `_coupling_`.
    """

    n_support_: np.ndarray
    pair_weights_: np.ndarray
    _coupling_: str
    _decision_shape_: str

    @property
    def _has_pairs(self) -> bool:
        """Whether pairs were fitted."""
        return hasattr(self, "n_support_")

    def _scores(self, X: MatrixLike) -> np.ndarray:
        check_is_fitted(self)
        if not self._has_pairs:
            return self._expansion().scores(self._check_predict(X))
        weights = self.pair_weights_ if self._coupling_ == "hastie-tibshirani" else None
        return couple_log_odds(self.pairwise_decision_function(X), self._coupling_, pair_weights=weights)

    @by_rows
    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Scores: log-odds of `classes_[1]` for two classes, else what `decision_function_shape` says.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        F : ndarray of shape (n,), (n, c) or (n, c (c − 1) / 2)
            Scores without the normalisation that `predict_log_proba` adds, or `pairwise_decision_function`.
        """
        check_is_fitted(self)
        if self._decision_shape_ == "ovo" and len(self.classes_) > 2:
            return self.pairwise_decision_function(X)
        return super().decision_function(X)

    @by_rows
    def pairwise_decision_function(self, X: MatrixLike) -> np.ndarray:
        """Log-odds of the first against the second class of every pair.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        F : ndarray of shape (n, c (c − 1) / 2)
            Pairs in the order (0, 1), (0, 2), …, (1, 2), …: a function each with ``multi_class="pairwise"``,
            else differences of the scores of classes.
        """
        check_is_fitted(self)
        if not self._has_pairs:
            F = self._scores(X)
            first, second = class_pairs(len(self.classes_)).T
            return -F if F.shape[1] == 1 else F[:, first] - F[:, second]
        bounds = np.concatenate([[0], np.cumsum(self.n_support_)])
        return self._kernel_centers().map(
            self._check_predict(X), lambda K: pair_scores(K, bounds, self.dual_coef_, self.intercept_)
        )

    def kernel_expansions(self) -> list[KernelExpansion]:
        """The scores of the fitted model as sums over centres, one expansion per pair for pairwise models.

        Returns
        -------
        expansions : list of KernelExpansion
            Together all scores of the model.
        """
        check_is_fitted(self)
        if not self._has_pairs:
            return super().kernel_expansions()
        return pair_expansions(
            self.kernel_, self._centers, self.support_, self.dual_coef_, self.intercept_, self.n_support_
        )
