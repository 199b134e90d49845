"""What every probabilistic classifier of the project shares: checked input and one path to a label."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from kernelproba.estimators.base.blockwise import by_rows
from kernelproba.estimators.base.class_weights import class_factors
from kernelproba.estimators.base.feature_names import in_memory, set_features
from kernelproba.estimators.base.kernel_spec import check_square_kernel
from kernelproba.estimators.base.numeric_rows import numeric_rows
from kernelproba.estimators.base.training import Training
from kernelproba.estimators.base.validation import check_labels, check_present
from kernelproba.number_range import LOG_LEAST, check_entries, check_weights, log_probabilities
from kernelproba.rows.protocol import Rows
from kernelproba.typing import ClassWeight, Matrix, MatrixLike


def _fetched(rows: Rows, values: ArrayLike | None) -> np.ndarray | None:
    """Values of stored rows, in memory."""
    return None if values is None else np.asarray(rows.align(values))


class ProbabilisticClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers: subclasses give `predict_log_proba` (or `predict_proba`) and `fit`."""

    classes_: np.ndarray

    def _check_fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None, class_weight: ClassWeight
    ) -> Training:
        """Validate, encode and weigh; rows of weight zero are as if absent.

        Parameters
        ----------
        X, y, sample_weight
            As given to `fit`.
        class_weight : dict, "balanced" or None
            Parameter of the classifier, None if it has no such parameter.
        """
        self._accepts_sparse_ = self.__sklearn_tags__().input_tags.sparse
        data, rows = in_memory(X)
        check_present(y)
        labels: ArrayLike | None = y
        if rows is not None:
            labels, sample_weight = _fetched(rows, y), _fetched(rows, sample_weight)
        data, known = numeric_rows(self, data, labels, **self._check_options())
        if rows is not None:
            set_features(self, rows)
        check_labels(known)
        weight = _check_sample_weight(sample_weight, data, dtype=np.float64, ensure_non_negative=True)
        index = np.flatnonzero(weight)
        if len(index) == 0:
            raise ValueError("sample_weight is zero for every row; two classes at least need weight.")
        if len(index) < len(weight):
            data, known, weight = self._take_rows(data, index), known[index], weight[index]
        data = check_entries(data, getattr(self, "feature_names_in_", None))
        check_weights(weight)
        self.classes_, codes = np.unique(known, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has one class only ({self.classes_[0]!r}); {type(self).__name__} needs at least 2 "
                "classes with positive weight."
            )
        factors = class_factors(class_weight, self.classes_, np.bincount(codes, weights=weight))
        with np.errstate(over="ignore"):
            weighted = check_weights(weight * factors[codes], "sample_weight times class_weight")
        return Training(data, codes, weight, weighted, index)

    def _take_rows(self, X: Matrix, index: np.ndarray) -> Matrix:
        """Training rows at `index`; a precomputed kernel loses the columns as well."""
        if not self.__sklearn_tags__().input_tags.pairwise:
            return X[index]
        check_square_kernel(X)
        return X[index][:, index]

    def _check_predict(self, X: MatrixLike) -> Matrix:
        check_is_fitted(self)
        return numeric_rows(self, X, **self._check_options(), reset=False)

    def _check_options(self) -> dict[str, object]:
        sparse = "csr" if self._accepts_sparse_ else False
        return {"accept_sparse": sparse, "dtype": [np.float64, np.float32]}

    @by_rows
    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Class probabilities.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        P : ndarray of shape (n, c)
            Probability of each class, columns in the order of `classes_`; rows sum to one.
        """
        return np.exp(self.predict_log_proba(X))

    @by_rows
    def predict_log_proba(self, X: MatrixLike) -> np.ndarray:
        """Logarithm of the class probabilities, as finite as the scores are.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        log_P : ndarray of shape (n, c)
            log of `predict_proba`, without its underflow.
        """
        return log_probabilities(self.predict_proba(X))

    @by_rows
    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Scores: log-odds of `classes_[1]` for two classes, log-probabilities otherwise.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        F : ndarray of shape (n,) or (n, c)
            One score for two classes, positive for `classes_[1]`, else one for each class; a probability of 0
            counts as exp(−745), the least positive number.
        """
        log_P = np.maximum(self.predict_log_proba(X), LOG_LEAST)
        return log_P[:, 1] - log_P[:, 0] if log_P.shape[1] == 2 else log_P

    @by_rows
    def predict(self, X: MatrixLike) -> np.ndarray:
        """Most probable class: always the argmax of `predict_proba`.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows to classify.

        Returns
        -------
        labels : ndarray of shape (n,)
            Entries of `classes_`.
        """
        P = self.predict_proba(X)  # first, so that an unfitted model says so
        return self.classes_[P.argmax(axis=1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
