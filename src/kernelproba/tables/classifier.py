"""A classifier of tables: numbers, categories, texts, dates and gaps, as they come."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, _fit_context, clone
from sklearn.utils import Tags, assert_all_finite, get_tags
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from kernelproba.estimators.base.atomic import atomic_fit
from kernelproba.estimators.base.validation import check_labels, check_present
from kernelproba.tables.columns import check_in_memory
from kernelproba.tables.encoder import TableEncoder
from kernelproba.tuning import KernelLogisticRegressionCV
from kernelproba.typing import Classifier, MatrixLike


def _estimator_has(name: str) -> Callable[[BaseEstimator], bool]:
    return lambda self: hasattr(getattr(self, "estimator_", None) or self._unfitted(), name)


class TableClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Classifier of tables: a `TableEncoder`, and a classifier of the matrix that it makes.

    Parameters
    ----------
    estimator : classifier, optional
        Takes a matrix without gaps whose columns are on one scale; by default a `KernelLogisticRegressionCV`.
        One that would find out by itself how to scale its features (``scale="auto"``) is told not to.
    encoder : TableEncoder, optional
        Unfitted, with the kinds of columns that would not be found right, and so on.

    Attributes
    ----------
    encoder_ : TableEncoder
        Fitted; ``encoder_.columns_`` says what each column was taken for, and why.
    estimator_ : classifier
        Fitted to the matrix.
    classes_ : ndarray of shape (c,)
        Labels.
    loo_proba_, loo_label_proba_, loo_scores_
        As of the estimator, if it has them: `KernelLogisticRegressionCV` does.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    TableEncoder : The columns as numbers.
    kernelproba.tables.read_table : Tables from files.

    Examples
    --------
    >>> import pandas as pd
    >>> from kernelproba.tables import TableClassifier
    >>> table = pd.DataFrame({"age": [25, 31, None, 62, 58, 70] * 5, "smokes": ["no", "no", "yes"] * 10})
    >>> model = TableClassifier().fit(table, ["well", "well", "well", "ill", "ill", "ill"] * 5)
    >>> model.predict(pd.DataFrame({"age": [28, 66], "smokes": ["no", "never heard of"]})).tolist()
    ['well', 'ill']
    """

    _parameter_constraints: ClassVar[dict] = {
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "encoder": [TableEncoder, None],
    }

    def __init__(self, estimator=None, encoder=None):
        self.estimator = estimator
        self.encoder = encoder

    @atomic_fit
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> TableClassifier:
        """Learn the columns, then the classes.

        Parameters
        ----------
        X : DataFrame of pandas or polars, or array-like, of shape (n, d)
            Training rows.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            A weight of two is a row seen twice.
        """
        labels = self._checked_labels(X, y)
        encoder = TableEncoder() if self.encoder is None else clone(self.encoder)
        Z = encoder.fit(X, labels, sample_weight).transform(X)
        estimator = self._unfitted()
        estimator.fit(Z, labels, **self._weights(estimator, sample_weight))
        self.encoder_, self.estimator_ = encoder, estimator
        return self

    @property
    def classes_(self) -> NDArray:
        """Labels, (c,)."""
        return self.estimator_.classes_

    @property
    def n_features_in_(self) -> int:
        """Number of columns of the table."""
        return self.encoder_.n_features_in_

    @property
    def feature_names_in_(self) -> NDArray:
        """Names of the columns of the table, (d,), if they had any."""
        return self.encoder_.feature_names_in_

    @property
    def loo_proba_(self) -> NDArray:
        """Out-of-sample probabilities of the training rows, (n, c), where the estimator has them."""
        return self.estimator_.loo_proba_

    @property
    def loo_label_proba_(self) -> NDArray:
        """Those of the labels, (n,), where the estimator has them."""
        return self.estimator_.loo_label_proba_

    @property
    def loo_scores_(self) -> dict[str, float]:
        """What to expect of new rows, where the estimator tells it."""
        return self.estimator_.loo_scores_

    @property
    def column_weights_(self) -> dict[str, float] | None:
        """Name of a column → its weight in squared distances, where the estimator weighs features."""
        weights = getattr(self.estimator_, "feature_weights_", None)
        if weights is None:
            return None
        source = self.encoder_.source_
        totals, parts = np.bincount(source, weights, self.n_features_in_), np.bincount(source, minlength=1)
        return {
            column.name: float(totals[j] / parts[j])
            for j, column in enumerate(self.encoder_.columns_)
            if j in source
        }

    def encode(self, X: MatrixLike) -> NDArray:
        """Return rows as the estimator sees them, (n, k)."""
        if not hasattr(self, "encoder_"):  # asking scikit-learn takes as long as a prediction
            check_is_fitted(self)
        return self.encoder_.transform(X)

    def predict_proba(self, X: MatrixLike, **params: object) -> NDArray:
        """Return the probability of each class, (n, c), in the order of `classes_`.

        Parameters
        ----------
        X : data frame or array-like of shape (n, d)
            Rows.
        **params : dict
            Further arguments that the estimator takes, such as ``moderated=True``.
        """
        Z = self.encode(X)
        return self.estimator_.predict_proba(Z, **params)

    @available_if(_estimator_has("predict_log_proba"))
    def predict_log_proba(self, X: MatrixLike) -> NDArray:
        """Return the logarithm of the probability of each class, (n, c)."""
        Z = self.encode(X)
        return self.estimator_.predict_log_proba(Z)

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X: MatrixLike) -> NDArray:
        """Return the scores of the estimator, (n,) or (n, c)."""
        Z = self.encode(X)
        return self.estimator_.decision_function(Z)

    @available_if(_estimator_has("predict_proba_interval"))
    def predict_proba_interval(self, X: MatrixLike, confidence: float = 0.9) -> NDArray:
        """Return intervals of the probabilities, (n, c, 2), as the estimator has them."""
        Z = self.encode(X)
        return self.estimator_.predict_proba_interval(Z, confidence)

    @available_if(_estimator_has("novelty_score"))
    def novelty_score(
        self, X: MatrixLike, *, return_p_value: bool = False
    ) -> NDArray | tuple[NDArray, NDArray]:
        """Return how new rows are to the estimator, (n,), and p-values if asked for."""
        Z = self.encode(X)
        return self.estimator_.novelty_score(Z, return_p_value=return_p_value)

    @available_if(_estimator_has("novelty_limit"))
    def novelty_limit(self) -> float:
        """Return the novelty above which a row is far from all rows of training, as the estimator has it."""
        return self.estimator_.novelty_limit()

    def predict(self, X: MatrixLike) -> NDArray:
        """Return the label of each row, (n,)."""
        Z = self.encode(X)
        return self.estimator_.predict(Z)

    def _checked_labels(self, X: MatrixLike, y: ArrayLike) -> NDArray:
        if y is None:
            raise ValueError("TableClassifier requires y to be passed, but the target y is None")
        check_in_memory(X)
        check_present(y)
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_labels(labels)
        check_consistent_length(X, labels)
        return labels

    def _unfitted(self) -> BaseEstimator:
        """Return a new estimator, which leaves the scale of the features alone."""
        if self.estimator is None:
            return KernelLogisticRegressionCV(scale=None, random_state=0)
        estimator = clone(self.estimator)
        if estimator.get_params(deep=False).get("scale") == "auto":
            estimator.set_params(scale=None)
        return estimator

    @staticmethod
    def _weights(estimator: Classifier, sample_weight: ArrayLike | None) -> dict[str, object]:
        if sample_weight is None:
            return {}
        if not has_fit_parameter(estimator, "sample_weight"):
            raise ValueError(f"estimator={estimator!r} takes no sample_weight in fit")
        return {"sample_weight": sample_weight}

    def __sklearn_tags__(self) -> Tags:
        tags, inner = super().__sklearn_tags__(), get_tags(self._unfitted())
        tags.classifier_tags = inner.classifier_tags
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
