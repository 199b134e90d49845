import numpy as np
import pytest

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
