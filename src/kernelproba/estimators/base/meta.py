"""What classifiers that act on another classifier's posterior share: fitting it and standing in for it."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import Tags, assert_all_finite, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted, column_or_1d, has_fit_parameter, indexable

from kernelproba.estimators.base.validation import check_labels, check_present
from kernelproba.number_range import LOG_ZERO, log_probabilities
from kernelproba.rows.store import stored_rows
from kernelproba.typing import Classifier, MatrixLike


def inner_log_proba(model: Classifier, X: MatrixLike) -> NDArray:
    """Return the log-probabilities (n, c) of any fitted classifier, −1e300 where it says −∞."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # the result is judged below
        if hasattr(model, "predict_log_proba"):
            log_P = np.maximum(np.asarray(model.predict_log_proba(X), dtype=np.float64), LOG_ZERO)
        else:
            log_P = log_probabilities(model.predict_proba(X))
    if not np.isfinite(log_P).all():
        raise ValueError(f"estimator={model!r} predicts probabilities of X that are not finite.")
    return log_P


class PosteriorWrapper(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier around `estimator`, any classifier with ``predict_proba``.

    X is handed on as it came: `estimator` alone decides what it can read.
    """

    estimator: Classifier
    estimator_: Classifier

    @property
    def classes_(self) -> NDArray:
        """The labels (c,), in the order of the columns of ``predict_proba``."""
        return self.estimator_.classes_

    def _check_targets(self, X: MatrixLike, y: ArrayLike) -> tuple[MatrixLike, NDArray]:
        if not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"estimator={self.estimator!r} has no predict_proba; wrap it in "
                "sklearn.calibration.CalibratedClassifierCV or choose a probabilistic classifier"
            )
        check_present(y)
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_labels(labels)
        if stored_rows(X) is not None:  # which are not indexed, but walked
            return X, labels
        X, labels = indexable(X, labels)
        return X, labels

    def _inner_fit_params(
        self, sample_weight: ArrayLike | None, params: Mapping[str, object]
    ) -> dict[str, object]:
        """Return what the ``fit`` of `estimator` is to receive besides X and y."""
        if isinstance(self.estimator, FrozenEstimator):
            return {}
        if get_config()["enable_metadata_routing"]:
            return dict(process_routing(self, "fit", sample_weight=sample_weight, **params).estimator.fit)
        if sample_weight is None:
            return dict(params)
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise ValueError(
                f"estimator={self.estimator!r} takes no sample_weight in fit: leave it out, or route it to "
                "the step that does with sklearn.set_config(enable_metadata_routing=True)"
            )
        return {**params, "sample_weight": sample_weight}

    def _fit_estimator(self, X: MatrixLike, y: NDArray, fit_params: Mapping[str, object]) -> None:
        self._keep_estimator(clone(self.estimator).fit(X, y, **fit_params))

    def _keep_estimator(self, fitted: Classifier) -> None:
        """Store the fitted estimator, and what it says of the features."""
        self.estimator_ = fitted
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))

    def _posterior(self, X: MatrixLike) -> NDArray:
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.predict_proba(X))  # also of lazy ones

    def predict_proba(self, X: MatrixLike) -> NDArray:
        """Return the posterior of X, (n, c)."""
        return self._posterior(X)

    def predict_log_proba(self, X: MatrixLike) -> NDArray:
        """Return the logarithm of ``predict_proba``, (n, c); −1e300 where the estimator says 0."""
        check_is_fitted(self, "estimator_")
        return inner_log_proba(self.estimator_, X)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how metadata reach this classifier and the ``fit`` of `estimator`."""
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(
            estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit")
        )

    def __sklearn_tags__(self) -> Tags:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        if inner.classifier_tags is not None:
            tags.classifier_tags = inner.classifier_tags
        return tags


def wrapped_model(model: Classifier) -> BaseEstimator | None:
    """Return the fitted model inside a pipeline, a search or a wrapper; None if it is neither of them."""
    if hasattr(model, "kernel_expansions"):  # one that tunes itself also has a best estimator
        return None
    if isinstance(model, Pipeline):
        return model[-1]
    if isinstance(model, FrozenEstimator):
        return model.estimator
    # Not any `estimator_`: that of scikit-learn's ensembles is a template without a fit.
    return getattr(model, "estimator_" if isinstance(model, PosteriorWrapper) else "best_estimator_", None)


def rows_inside(model: Classifier, X: MatrixLike) -> MatrixLike:
    """Return rows X (n, d) as the `wrapped_model` takes them."""
    return model[:-1].transform(X) if isinstance(model, Pipeline) and len(model) > 1 else X
