"""Fits to folds."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.naive_bayes import GaussianNB

from kernelproba.estimators.base.cross_fit import fit_folds


def test_folds_that_do_not_suit_the_labels_are_refused_by_the_name_of_cv():
    folds = fit_folds(GaussianNB(), np.zeros((3, 1)), np.array([0, 1, 1]), cv=5)
    with pytest.raises(ValueError, match=r"cv=5 does not suit the labels y: "):
        next(folds)


def test_folds_that_are_fitted_at_once_are_those_fitted_one_by_one():
    X, y = np.random.default_rng(0).standard_normal((40, 2)), np.arange(40) % 2
    alone = list(fit_folds(GaussianNB(), X, y, cv=4, fit_params={"sample_weight": np.arange(40.0)}))
    with parallel_config(n_jobs=2):
        at_once = list(fit_folds(GaussianNB(), X, y, cv=4, fit_params={"sample_weight": np.arange(40.0)}))
    for (one, test, X_test), (other, other_test, other_X) in zip(alone, at_once, strict=True):
        np.testing.assert_array_equal(test, other_test)
        np.testing.assert_array_equal(X_test, other_X)
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
