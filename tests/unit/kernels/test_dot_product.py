import numpy as np
import pytest
import scipy.sparse as sp

from kernelproba.kernels import Cosine, Linear, Polynomial, Sigmoid


def data(n=30, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("degree", [0, 1, 2, 3, 4, 5, 7, 12])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_powers_by_squaring_are_powers(degree, dtype):
    X, Z = data().astype(dtype), data(20, seed=1).astype(dtype)
    K = Polynomial(degree, gamma=0.5, coef0=1.0)(X, Z)
    np.testing.assert_allclose(K, (0.5 * X @ Z.T + dtype(1)) ** degree, rtol=100 * np.finfo(dtype).eps)


def test_a_fractional_degree_is_a_power_too():
    X = abs(data())
    np.testing.assert_allclose(Polynomial(1.5)(X, X), (X @ X.T) ** 1.5, rtol=1e-13)


@pytest.mark.parametrize(
    ("kernel", "definite"),
    [
        (Linear(), True),
        (Cosine(), True),
        (Sigmoid(), False),
        (Polynomial(), True),
        (Polynomial(2, coef0=1.0), True),
        (Polynomial(2, coef0=-1.0), False),
        (Polynomial(1.5, coef0=1.0), False),
    ],
)
def test_definiteness_is_known(kernel, definite):
    assert kernel.definite is definite


def test_cosine_ignores_the_length_of_rows_and_gives_zero_for_none():
    X = data()
    X[4] = 0
    np.testing.assert_allclose(Cosine()(X * 3, X), Cosine()(X, X), rtol=1e-12, atol=1e-15)
    assert np.all(Cosine()(X, X)[4] == 0)
    assert Cosine().diag(X)[4] == 0


@pytest.mark.parametrize("kind", [Polynomial, Sigmoid])
@pytest.mark.parametrize("gamma", [0, -1, np.nan, "scale", True])
def test_gamma_must_be_a_positive_number(kind, gamma):
    with pytest.raises(ValueError, match="gamma must be a positive number"):
        kind(gamma=gamma)(data(), data())


@pytest.mark.parametrize("degree", [-1, np.inf, "3"])
def test_degree_must_not_be_negative(degree):
    with pytest.raises(ValueError, match="degree must be"):
        Polynomial(degree)(data(), data())


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("kernel", [Linear(), Polynomial(3)], ids=repr)
def test_products_that_overflow_are_refused_with_the_column_and_the_cure(kernel, form):
    X = np.ones((5, 3))
    X[2, 1] = -1e200
    with pytest.raises(ValueError, match=r"overflow; X has 1e\+200 in column 1. Scale the features"):
        kernel(form(X), form(X))
    with pytest.raises(ValueError, match="column 1"):
        kernel.diag(form(X))


def test_a_degree_beyond_the_numbers_is_refused():
    with pytest.raises(ValueError, match="lower gamma, degree"):
        Polynomial(1000)(np.full((2, 1), 30.0), np.full((2, 1), 30.0))


def test_a_broken_power_of_a_negative_number_is_refused():
    X = np.array([[1.0], [-1.0]])
    with pytest.raises(ValueError, match=r"degree=2.5 is no whole number.*choose a whole degree"):
        Polynomial(2.5)(X, X)
    np.testing.assert_allclose(Polynomial(2.5, coef0=1.0)(X, X), [[2**2.5, 0], [0, 2**2.5]])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1.0, 1e200, 1e307])
def test_the_cosine_knows_no_scale(form, scale):
    X = np.random.default_rng(0).integers(-5, 6, (20, 3)) * 1.0
    X[4] = 0
    np.testing.assert_allclose(Cosine()(form(X * scale), form(X)), Cosine()(X, X), atol=1e-15)
    np.testing.assert_array_equal(Cosine().diag(form(X * scale)), Cosine().diag(X))
