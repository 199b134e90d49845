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

SPLITS = StratifiedKFold(3)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def fitted(wine):
    return SparseKernelLogisticRegressionCV(Cs=8, gamma=0.1, cv=SPLITS).fit(*wine)


def scores(model):
    """Scores (folds, strengths)."""
    return np.stack([model.cv_results_[f"split{k}_test_score"] for k in range(3)])


def test_scores_are_those_of_single_fits_on_the_folds(wine):
    X, y = wine
    search = SparseKernelLogisticRegressionCV(Cs=8, gamma=0.1, cv=SPLITS, scoring="neg_log_loss").fit(X, y)
    C = search.cv_results_["param_C"][4]
    for fold, (train, test) in enumerate(SPLITS.split(X, y)):
        model = SparseKernelLogisticRegression(C=C, gamma=0.1).fit(X[train], y[train])
        loss = log_loss(y[test], model.predict_proba(X[test]))
        assert -scores(search)[fold, 4] == pytest.approx(loss, rel=1e-2)


def test_the_model_is_the_single_fit_with_the_chosen_strength(wine, fitted):
    assert fitted.cv_results_["param_C"][fitted.best_index_] == fitted.C_
    single = SparseKernelLogisticRegression(C=fitted.C_, gamma=0.1).fit(*wine)
    assert fitted.best_estimator_.objective_ == pytest.approx(single.objective_, rel=1e-5)
    assert fitted.best_estimator_.C == fitted.C_
    np.testing.assert_allclose(fitted.predict_proba(wine[0]), single.predict_proba(wine[0]), atol=5e-3)
    assert fitted.path_.Cs[-1] == fitted.C_


def test_strengths_begin_where_the_first_kernel_enters(wine, fitted):
    first = SparseKernelLogisticRegression(gamma=0.1).min_C(*wine)
    assert fitted.cv_results_["param_C"][0] == pytest.approx(first)


def test_the_rule_of_one_standard_error_never_keeps_more_kernels(wine, fitted):
    frugal = SparseKernelLogisticRegressionCV(Cs=8, gamma=0.1, cv=SPLITS, one_standard_error=True).fit(*wine)
    assert frugal.best_estimator_.n_kernels_ <= fitted.best_estimator_.n_kernels_
    mean, support = scores(frugal).mean(axis=0), frugal.cv_results_["mean_support"]
    error = scores(frugal)[:, mean.argmax()].std(ddof=1) / np.sqrt(3)
    near = mean >= mean.max() - error
    assert near[frugal.best_index_]
    assert support[frugal.best_index_] == pytest.approx(support[near].min())


def test_hits_can_be_counted_instead(wine):
    model = SparseKernelLogisticRegressionCV(Cs=5, cv=3, scoring="accuracy").fit(*wine)
    assert ((scores(model) >= 0) & (scores(model) <= 1)).all()
    assert model.best_score_ > 0.9


def test_a_class_that_a_fold_lacks_is_trained_on_as_it_is(wine):
    X, y = wine  # sorted by class: each fold lacks one
    model = SparseKernelLogisticRegressionCV(Cs=4, cv=KFold(3)).fit(X, y)
    assert np.isfinite(scores(model)).all()
    assert len(model.classes_) == 3


def test_a_precomputed_kernel_is_split_in_rows_and_columns(wine):
    X, y = wine
    K = rbf_kernel(X, gamma=0.1)
    given = SparseKernelLogisticRegressionCV(Cs=4, cv=SPLITS, kernel="precomputed").fit(K, y)
    named = SparseKernelLogisticRegressionCV(Cs=4, cv=SPLITS, gamma=0.1).fit(X, y)
    np.testing.assert_allclose(scores(given), scores(named), atol=2e-3)
    np.testing.assert_allclose(given.predict_proba(K), named.predict_proba(X), atol=5e-3)


def test_given_splits_number_the_rows_as_they_came(wine):
    X, y = wine
    weight = (np.arange(len(y)) % 5 > 0).astype(float)
    splits = list(SPLITS.split(X, y))
    kept = np.flatnonzero(weight)
    inside = [tuple(np.flatnonzero(np.isin(kept, part)) for part in split) for split in splits]
    weighted = SparseKernelLogisticRegressionCV(Cs=[0.1, 1.0], cv=splits, gamma=0.1).fit(X, y, weight)
    absent = SparseKernelLogisticRegressionCV(Cs=[0.1, 1.0], cv=inside, gamma=0.1).fit(X[kept], y[kept])
    np.testing.assert_allclose(scores(weighted), scores(absent))


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_classes_of_weights_far_apart_make_no_step_beyond_all_numbers():
    X = np.random.default_rng(0).normal(size=(4, 5))
    model = SparseKernelLogisticRegressionCV(Cs=2, gamma="median", cv=3, class_weight={0: 1.4e-30, 1: 3.2e24})
    assert np.isfinite(model.fit(X, [0, 1, 1, 0]).predict_proba(X)).all()
