"""Cross-validation along the path of a sparse model."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler

from kernelproba.estimators.sparse_kernel_logistic.estimator import SparseKernelLogisticRegression
from kernelproba.tuning.grid.sparse_cv import SparseKernelLogisticRegressionCV


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def fitted(wine):
    return SparseKernelLogisticRegressionCV(Cs=8, gamma=0.1, cv=3).fit(*wine)


def test_losses_are_those_of_single_fits_on_the_folds(wine, fitted):
    X, y = wine
    C = fitted.Cs_[4]
    for fold, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        model = SparseKernelLogisticRegression(C=C, gamma=0.1).fit(X[train], y[train])
        assert fitted.losses_[fold, 4] == pytest.approx(
            log_loss(y[test], model.predict_proba(X[test])), rel=1e-2
        )


def test_the_model_is_the_single_fit_with_the_chosen_strength(wine, fitted):
    assert fitted.Cs_[fitted.losses_.mean(axis=0).argmin()] == fitted.C_
    single = SparseKernelLogisticRegression(C=fitted.C_, gamma=0.1).fit(*wine)
    assert fitted.objective_ == pytest.approx(single.objective_, rel=1e-5)
    np.testing.assert_allclose(fitted.predict_proba(wine[0]), single.predict_proba(wine[0]), atol=5e-3)
    assert fitted.path_.Cs[-1] == fitted.C_


def test_the_rule_of_one_standard_error_never_keeps_more_kernels(wine, fitted):
    frugal = SparseKernelLogisticRegressionCV(Cs=8, gamma=0.1, cv=3, one_standard_error=True).fit(*wine)
    assert frugal.C_ <= fitted.C_
    assert frugal.n_kernels_ <= fitted.n_kernels_
    mean = frugal.losses_.mean(axis=0)
    error = frugal.losses_[:, mean.argmin()].std(ddof=1) / np.sqrt(3)
    assert mean[frugal.Cs_ == frugal.C_] <= mean.min() + error
    assert (mean[frugal.Cs_ < frugal.C_] > mean.min() + error).all()


def test_errors_can_be_counted_instead(wine):
    X, y = wine
    model = SparseKernelLogisticRegressionCV(Cs=5, cv=3, scoring="error").fit(X, y)
    assert ((model.losses_ >= 0) & (model.losses_ <= 1)).all()
    assert model.losses_.mean(axis=0).min() < 0.1


def test_a_class_that_a_fold_lacks_costs_but_does_not_break(wine):
    X, y = wine  # sorted by class: each fold lacks one
    model = SparseKernelLogisticRegressionCV(Cs=4, cv=KFold(3)).fit(X, y)
    assert np.isfinite(model.losses_).all()
    assert len(model.classes_) == 3


def test_a_precomputed_kernel_is_split_in_rows_and_columns(wine):
    X, y = wine
    given = SparseKernelLogisticRegressionCV(Cs=4, cv=3, kernel="precomputed").fit(
        rbf_kernel(X, gamma=0.1), y
    )
    named = SparseKernelLogisticRegressionCV(Cs=4, cv=3, gamma=0.1).fit(X, y)
    np.testing.assert_allclose(given.losses_, named.losses_, atol=2e-3)


def test_given_splits_number_the_rows_as_they_came(wine):
    X, y = wine
    weight = (np.arange(len(y)) % 5 > 0).astype(float)
    splits = list(StratifiedKFold(3).split(X, y))
    kept = np.flatnonzero(weight)
    inside = [tuple(np.flatnonzero(np.isin(kept, part)) for part in split) for split in splits]
    weighted = SparseKernelLogisticRegressionCV(Cs=[0.1, 1.0], cv=splits, gamma=0.1).fit(X, y, weight)
    absent = SparseKernelLogisticRegressionCV(Cs=[0.1, 1.0], cv=inside, gamma=0.1).fit(X[kept], y[kept])
    np.testing.assert_allclose(weighted.losses_, absent.losses_)
