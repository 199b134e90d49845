"""The sparse classifier: what it keeps, how it predicts, and what it refuses."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from kernelproba.estimators.sparse_kernel_logistic.estimator import SparseKernelLogisticRegression


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("penalty", ["l1", "group"])
def test_few_kernels_classify_wine(wine, penalty):
    X, y = wine
    model = SparseKernelLogisticRegression(C=1, penalty=penalty).fit(X[::2], y[::2])
    assert model.n_kernels_ == len(model.support_) == len(model.support_vectors_) < 20
    assert model.score(X[1::2], y[1::2]) > 0.95
    np.testing.assert_array_equal(model.support_vectors_, X[::2][model.support_])
    assert sp.issparse(model.dual_coef_)
    assert model.dual_coef_.shape == (3, model.n_kernels_)


def test_the_group_penalty_uses_every_kept_centre_for_all_classes(wine):
    model = SparseKernelLogisticRegression(penalty="group").fit(*wine)
    assert (model.dual_coef_.toarray() != 0).all()


def test_prediction_evaluates_kept_kernels_only(wine):
    X, y = wine
    sizes = []

    def kernel(A, B):
        sizes.append(len(B))
        return rbf_kernel(A, B, gamma=0.05)

    model = SparseKernelLogisticRegression(kernel=kernel).fit(X, y)
    sizes.clear()
    model.predict_proba(X)
    assert set(sizes) == {model.n_kernels_}


def test_below_min_c_the_model_states_the_class_frequencies(wine):
    X, y = wine
    model = SparseKernelLogisticRegression()
    smallest = model.min_C(X, y)
    null = SparseKernelLogisticRegression(C=0.99 * smallest, tol=1e-6).fit(X, y)
    assert null.n_kernels_ == 0
    np.testing.assert_allclose(null.predict_proba(X[:1])[0], np.bincount(y) / len(y), atol=1e-8)
    assert SparseKernelLogisticRegression(C=1.02 * smallest, tol=1e-6).fit(X, y).n_kernels_ > 0


def test_a_precomputed_kernel_gives_the_same_model(wine):
    X, y = wine
    K = rbf_kernel(X, gamma=0.1)
    named = SparseKernelLogisticRegression(gamma=0.1, tol=1e-6).fit(X, y)
    given = SparseKernelLogisticRegression(kernel="precomputed", tol=1e-6).fit(K, y)
    np.testing.assert_array_equal(named.support_, given.support_)
    np.testing.assert_allclose(named.predict_proba(X), given.predict_proba(K), atol=1e-7)


def test_rows_of_weight_zero_are_as_if_absent(wine):
    X, y = wine
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    weighted = SparseKernelLogisticRegression(gamma=0.1, tol=1e-8).fit(X, y, sample_weight=weight)
    absent = SparseKernelLogisticRegression(gamma=0.1, tol=1e-8).fit(X[weight > 0], y[weight > 0])
    assert (weight[weighted.support_] > 0).all()
    np.testing.assert_allclose(weighted.predict_proba(X), absent.predict_proba(X), atol=1e-7)


def test_many_more_features_than_rows_are_no_obstacle():
    X, y = make_classification(28, 5597, n_informative=50, n_classes=4, random_state=0)
    P = SparseKernelLogisticRegression(C=10).fit(X, y).predict_proba(X)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1.0)


def test_sparse_rows_give_the_same_model(wine):
    X, y = wine
    dense = SparseKernelLogisticRegression(gamma=0.1, tol=1e-6).fit(X, y)
    sparse = SparseKernelLogisticRegression(gamma=0.1, tol=1e-6).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(dense.predict_proba(X), sparse.predict_proba(sp.csr_array(X)), atol=1e-6)


def test_a_path_agrees_with_single_fits_and_grows(wine):
    X, y = wine
    path = SparseKernelLogisticRegression(gamma=0.1, tol=1e-6).path(X, y, Cs=6)
    assert path.n_kernels[0] <= 1 < path.n_kernels[-1]
    log_P = path.log_probabilities(X)
    for i in (2, 4):
        single = SparseKernelLogisticRegression(C=path.Cs[i], gamma=0.1, tol=1e-6).fit(X, y)
        assert path.objective[i] == pytest.approx(single.objective_, rel=1e-8)
        np.testing.assert_allclose(np.exp(log_P[i]), single.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize(
    ("params", "message"),
    [({"C": 0}, "C"), ({"penalty": "l2"}, "penalty"), ({"solver": "saga"}, "solver"), ({"tol": -1}, "tol")],
)
def test_a_bad_parameter_is_named(wine, params, message):
    with pytest.raises(ValueError, match=message):
        SparseKernelLogisticRegression(**params).fit(*wine)


def test_bad_strengths_of_a_path_are_named(wine):
    with pytest.raises(ValueError, match="Cs must be"):
        SparseKernelLogisticRegression().path(*wine, Cs=[0.0, 1.0])


def test_an_unfitted_model_says_so():
    with pytest.raises(NotFittedError):
        SparseKernelLogisticRegression().predict([[0.0]])


def test_a_solver_that_stops_early_warns_with_the_cure(wine):
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        SparseKernelLogisticRegression(C=100, max_iter=1, tol=1e-9).fit(*wine)


def test_a_path_on_other_rows_leaves_the_fitted_model_alone(wine):
    X, y = wine
    model = SparseKernelLogisticRegression().fit(X, y)
    before = model.predict_proba(X)
    other = np.where(y == 0, "left", "right")
    model.path(X[:, :3], other, [0.1, 1.0])
    model.min_C(X[:, :3], other)
    np.testing.assert_array_equal(model.predict_proba(X), before)
    assert model.classes_.tolist() == [0, 1, 2]
    assert set(model.predict(X)) == {0, 1, 2}


def test_a_path_does_not_make_a_model_fitted(wine):
    model = SparseKernelLogisticRegression()
    model.path(*wine, [0.1])
    with pytest.raises(NotFittedError):
        model.predict(wine[0])
