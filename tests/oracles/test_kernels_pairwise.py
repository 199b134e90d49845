"""Named kernels mean what scikit-learn's pairwise functions of the same name mean."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.svm import SVC

from kernelproba.kernels import KERNEL_NAMES, median_distance, resolve_gamma, resolve_kernel

PARAMS = {
    "chi2": {"gamma": 0.3},
    "laplacian": {"gamma": 0.3},
    "poly": {"gamma": 0.3, "degree": 4, "coef0": 0.7},
    "polynomial": {"gamma": 0.3, "degree": 4, "coef0": 0.7},
    "rbf": {"gamma": 0.3},
    "sigmoid": {"gamma": 0.3, "coef0": -0.7},
}
FORMS = {
    "dense": np.asarray,
    "fortran": np.asfortranarray,
    "csr_array": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "csc_matrix": sp.csc_matrix,
}
TOLERANCE = {"float32": 5e-6, "float64": 1e-13}


def histograms(n, dtype, seed, d=6):
    X = np.random.default_rng(seed).random((n, d)).astype(dtype)
    X[X < 0.4] = 0
    return X


def test_every_name_of_scikit_learn_is_known():
    assert set(PAIRWISE_KERNEL_FUNCTIONS) | {"precomputed"} <= set(KERNEL_NAMES)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", PAIRWISE_KERNEL_FUNCTIONS)
def test_a_named_kernel_equals_the_pairwise_function(name, dtype, form):
    X, Z = histograms(53, dtype, seed=0), histograms(31, dtype, seed=1)
    params = PARAMS.get(name, {})
    kernel = resolve_kernel(name, X, **params)
    K = kernel(FORMS[form](X), FORMS[form](Z))
    expected = pairwise_kernels(X.astype(float), Z.astype(float), metric=name, **params)
    assert type(K) is np.ndarray
    assert K.dtype == dtype
    assert K.flags.c_contiguous
    np.testing.assert_allclose(K, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", PAIRWISE_KERNEL_FUNCTIONS)
def test_the_diagonal_is_that_of_the_pairwise_function(name, dtype):
    X, params = histograms(53, dtype, seed=0), PARAMS.get(name, {})
    X[7] = 0  # a row without direction, for the cosine
    diag = resolve_kernel(name, X, **params).diag(X)
    expected = pairwise_kernels(X.astype(float), metric=name, **params).diagonal()
    assert diag.dtype == dtype
    np.testing.assert_allclose(diag, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("name", ["rbf", "linear", "cosine", "sigmoid", "laplacian"])
def test_signed_data_far_from_the_origin_agree_too(name):
    rng = np.random.default_rng(3)
    X, Z = rng.normal(40, 3, (60, 5)), rng.normal(40, 3, (45, 5))
    K = resolve_kernel(name, X, gamma=0.02)(X, Z)
    params = {"gamma": 0.02} | ({"coef0": 0} if name == "sigmoid" else {})
    expected = pairwise_kernels(X, Z, metric=name, **params, filter_params=True)
    np.testing.assert_allclose(K, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("rule", ["scale", "auto"])
@pytest.mark.parametrize("sparse", [False, True])
def test_gamma_rules_are_those_of_svc(rule, sparse):
    X, y = load_iris(return_X_y=True)
    X = sp.csr_matrix(X) if sparse else X
    assert resolve_gamma(rule, X) == pytest.approx(SVC(gamma=rule).fit(X, y)._gamma, rel=1e-10)


def test_scale_on_constant_data_is_one_as_in_svc():
    X = np.full((4, 3), 2.0)
    assert resolve_gamma("scale", X) == SVC().fit(X, [0, 1, 0, 1])._gamma == 1.0


def test_the_median_distance_is_the_median_of_all_pairs():
    X = load_iris(return_X_y=True)[0]
    assert median_distance(X) == pytest.approx(np.median(pdist(X)), rel=1e-12)


@pytest.mark.parametrize("name", ["rbf", "poly", "sigmoid", "linear"])
def test_an_svc_sees_no_difference_between_its_kernel_and_ours(name):
    X, y = load_iris(return_X_y=True)
    kernel = resolve_kernel(name, X, gamma="scale", degree=2, coef0=0.5)
    named = SVC(kernel=name, gamma="scale", degree=2, coef0=0.5).fit(X, y)
    ours = SVC(kernel=kernel).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), named.decision_function(X), atol=2e-2)
    np.testing.assert_array_equal(ours.predict(X), named.predict(X))
