import numpy as np
import pytest
from sklearn.base import clone

from kernelproba.kernels import (
    RBF,
    AdditiveChiSquared,
    CallableKernel,
    ChiSquared,
    Cosine,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    RationalQuadratic,
    Sigmoid,
    Sum,
)

DEFINITE = [
    RBF(0.7),
    RBF([0.3, 1, 2]),
    Laplacian(0.7),
    Matern(0.7, nu=0.5),
    Matern(0.7),
    Matern(0.7, nu=2.5),
    RationalQuadratic(0.7, alpha=0.3),
    Linear(),
    Polynomial(3, gamma=0.5, coef0=1.0),
    Cosine(),
    ChiSquared(),
    2 * RBF() + Linear() * Polynomial(2),
]
OTHERS = [Sigmoid(), AdditiveChiSquared(), Polynomial(2, coef0=-1.0)]


def data(n=40, d=3, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).random((n, d)).astype(dtype)


@pytest.mark.parametrize("kernel", DEFINITE, ids=str)
def test_a_definite_kernel_has_symmetric_matrices_without_negative_eigenvalues(kernel):
    X = np.vstack([data(), data()[:7]])
    K = kernel(X, X)
    assert kernel.definite
    np.testing.assert_allclose(K, K.T, rtol=1e-12)
    assert np.linalg.eigvalsh(K).min() >= -1e-12 * np.trace(K)


@pytest.mark.parametrize("kernel", DEFINITE + OTHERS, ids=str)
def test_the_diagonal_is_that_of_the_matrix(kernel):
    X = data()
    np.testing.assert_allclose(kernel.diag(X), kernel(X, X).diagonal(), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kernel", DEFINITE + OTHERS, ids=str)
def test_float32_stays_float32_and_anything_else_becomes_float64(kernel):
    single, double = data(dtype=np.float32), data(seed=1)
    assert kernel(single, single).dtype == kernel.diag(single).dtype == np.float32
    for X, Z in ((single, double), (double, single), (double, double)):
        assert kernel(X, Z).dtype == np.float64
    assert kernel(np.arange(6).reshape(2, 3), [[1, 2, 3]]).dtype == np.float64
    np.testing.assert_allclose(kernel(single, single), kernel(single.astype(float), single), atol=3e-6)


@pytest.mark.parametrize("kernel", DEFINITE + OTHERS, ids=str)
def test_layout_and_writability_of_the_operands_do_not_matter(kernel):
    wide = data(80, 6)
    X = wide[::-2, ::2]
    wide.flags.writeable = False
    K = kernel(X, X[:11])
    assert K.flags.c_contiguous
    assert K.flags.writeable
    assert K.flags.owndata
    np.testing.assert_allclose(K, kernel(X.copy(), np.asfortranarray(X[:11])), rtol=1e-12)


@pytest.mark.parametrize("kernel", [k for k in DEFINITE + OTHERS if "[" not in str(k)], ids=str)
def test_one_feature_one_row_and_no_row_are_enough(kernel):
    X = data(5, 1)
    assert kernel(X, X[:1]).shape == (5, 1)
    assert kernel(X[:1], X).shape == (1, 5)
    assert kernel(X[:0], X).shape == (0, 5)
    assert kernel(X, X[:0]).shape == (5, 0)
    np.testing.assert_allclose(kernel(X, X)[2, 3], kernel(X[2:3], X[3:4])[0, 0], rtol=1e-12)


@pytest.mark.parametrize("kernel", DEFINITE + OTHERS, ids=str)
def test_operands_are_left_as_they_were(kernel):
    X, Z = data(), data(seed=1)
    kernel(X, Z)
    np.testing.assert_array_equal(X, data())
    np.testing.assert_array_equal(Z, data(seed=1))


def test_operators_do_to_kernels_what_they_do_to_matrices():
    X, Z = data(), data(17, seed=1)
    A, B = RBF(0.5), Polynomial(2, coef0=1.0)
    np.testing.assert_allclose((A + B)(X, Z), A(X, Z) + B(X, Z), rtol=1e-13)
    np.testing.assert_allclose((A * B)(X, Z), A(X, Z) * B(X, Z), rtol=1e-13)
    for scaled in (3 * A, A * 3, np.float64(3) * A, np.int64(3) * A):
        np.testing.assert_allclose(scaled(X, Z), 3 * A(X, Z), rtol=1e-13)
        assert scaled(X.astype(np.float32), Z.astype(np.float32)).dtype == np.float32
        assert scaled.diag(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("other", ["RBF", None, [1.0], np.ones(2)])
def test_kernels_combine_with_kernels_and_numbers_only(other):
    with pytest.raises(TypeError):
        RBF() + other
    with pytest.raises(TypeError):
        RBF() * other


def test_an_indefinite_part_makes_the_whole_indefinite():
    assert not (RBF() + Sigmoid()).definite
    assert not (RBF() * Sigmoid()).definite
    assert not (2 * Sigmoid()).definite
    assert not (-1 * RBF()).definite
    assert (0 * RBF()).definite
    assert not CallableKernel(np.dot).definite
    assert Precomputed().definite  # its owner vouches for it; what uses it checks


def test_nested_parameters_can_be_read_and_set():
    kernel = 2.0 * RBF(0.5) + Linear()
    assert kernel.get_params()["left__kernel__length_scale"] == 0.5
    kernel.set_params(left__kernel__length_scale=[1, 2, 3], left__factor=4.0)
    assert kernel == 4.0 * RBF([1, 2, 3]) + Linear()


def test_equality_is_that_of_kind_and_parameters():
    assert RBF(np.array([1.0, 2.0])) == RBF(np.array([1.0, 2.0]))
    assert RBF(np.array([1.0, 2.0])) != RBF(np.array([1.0, 3.0]))
    assert RBF(1.0) != Matern(1.0)
    assert RBF() + Linear() == Sum(RBF(), Linear())
    assert RBF() != 1


@pytest.mark.parametrize("kernel", DEFINITE + OTHERS, ids=str)
def test_a_clone_is_equal_but_apart(kernel):
    copy = clone(kernel)
    assert copy == kernel
    assert copy is not kernel
    assert repr(copy) == repr(kernel)


@pytest.mark.parametrize("kernel", [RBF(), 2 * RBF(), RBF() + Linear(), RBF() * Linear()], ids=str)
def test_selected_rows_serve_as_centres(kernel):
    X, index = data(), np.array([3, 1, 17])
    np.testing.assert_array_equal(kernel(X, kernel.select(X, index)), kernel(X, X[index]))


def test_operands_of_different_width_or_of_one_dimension_are_refused():
    with pytest.raises(ValueError, match="X has 3 features but Z has 2"):
        RBF()(data(), data(d=2))
    with pytest.raises(ValueError, match="Z must have two dimensions"):
        RBF()(data(), data()[0])


def test_sums_and_products_that_overflow_are_refused():
    X = np.full((2, 1), 1e80)
    with pytest.raises(ValueError, match="products of kernels overflow"):
        (Linear() * Linear())(X, X)
    with pytest.raises(ValueError, match="overflow"):
        (1e300 * Linear())(X, X)
    with pytest.raises(ValueError, match="factor of a scaled kernel must be a finite number"):
        (np.inf * RBF())(X, X)
