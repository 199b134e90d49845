"""What a wrapper answers as the classifier inside it does."""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from kernelproba.typing import Classifier, MatrixLike

if TYPE_CHECKING:
    from kernelproba.estimators.kernel_logistic.uncertainty import UncertainProbabilities


def _estimator_has(name: str) -> Callable[["InnerAnswers"], bool]:
    return lambda self: hasattr(getattr(self, "estimator_", self.estimator), name)


class InnerAnswers:
    """Scores, intervals, novelty and leave-one-out of the estimator inside, where it has them."""

    estimator: Classifier
    estimator_: Classifier

    @available_if(_estimator_has("predict_proba_interval"))
    def predict_proba_interval(self, X: MatrixLike, confidence: float = 0.9) -> NDArray[np.float64]:
        """Return the estimator's intervals of the probabilities, (n, c, 2).

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        confidence : float in (0, 1), default=0.9
            As of the estimator; not that of the sets.
        """
        return self._inner().predict_proba_interval(X, confidence)

    @available_if(_estimator_has("novelty_score"))
    def novelty_score(
        self, X: MatrixLike, *, return_p_value: bool = False
    ) -> NDArray[np.float64] | tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how new rows are to the estimator, (n,), and p-values if asked for.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        return_p_value : bool, default=False
            Whether to return p-values as well.
        """
        return self._inner().novelty_score(X, return_p_value=return_p_value)

    @available_if(_estimator_has("novelty_limit"))
    def novelty_limit(self) -> float:
        """Return the novelty above which a row is far from all rows of training, as the estimator has it."""
        return self._inner().novelty_limit()

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the estimator's scores, (n,) or (n, c).

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        """
        return self._inner().decision_function(X)

    @property
    def loo_proba_(self) -> NDArray[np.float64]:
        """The estimator's probabilities (n, c) of each training row, from fits without it."""
        return self._inner().loo_proba_

    @property
    def loo_scores_(self) -> dict[str, float]:
        """Scores of the estimator's `loo_proba_`."""
        return self._inner().loo_scores_

    def _inner(self) -> "UncertainProbabilities":
        """The fitted classifier, which has what is asked of it."""
        check_is_fitted(self, "estimator_")
        return cast("UncertainProbabilities", self.estimator_)
