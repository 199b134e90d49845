import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kernelproba.kernels import Laplacian
from kernelproba.kernels.manhattan import manhattan


def rows(n, dtype, seed=0):
    """Two measurements, three indicators, a grade of four values, and a constant."""
    rng = np.random.default_rng(seed)
    parts = (
        rng.normal(size=(n, 2)),
        rng.integers(2, size=(n, 3)) / 3,
        rng.integers(4, size=(n, 1)),
        np.ones((n, 1)),
    )
    return np.hstack(parts).astype(dtype)


def distances(X, Z):
    out = np.empty((len(X), len(Z)), dtype=X.dtype)
    manhattan(Z)(X, out)
    return out


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("columns", [slice(None), slice(2, None), slice(0, 2)])
def test_features_of_few_values_are_compared_as_all_others_are(dtype, columns):
    X, Z = rows(200, dtype)[:, columns], rows(90, dtype, seed=1)[:, columns]
    exact = cdist(X, Z, "cityblock")
    np.testing.assert_allclose(distances(X, Z), exact, rtol=1e-13 if dtype == np.float64 else 1e-6)


def test_values_that_no_centre_has_are_compared_too():
    X, Z = rows(100, np.float64) + 0.123, rows(50, np.float64, seed=1)
    np.testing.assert_allclose(distances(X, Z), cdist(X, Z, "cityblock"), rtol=1e-13)


def test_a_value_that_only_a_late_centre_has_is_not_overlooked():
    Z = np.zeros((600, 3))
    Z[-1] = 7.0
    X = rows(50, np.float64)[:, :3]
    np.testing.assert_allclose(distances(X, Z), cdist(X, Z, "cityblock"), rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_equal_rows_are_at_distance_0(dtype):
    X = rows(300, dtype)
    assert np.all(np.diagonal(distances(X, X)) == 0)


def test_differences_beyond_the_numbers_are_infinite_not_undefined():
    X, Z = np.full((40, 2), 1.7e308), np.full((3, 2), -1.7e308)
    Z[1], X[0] = 1.7e308, 0.0
    K = Laplacian()(X, Z)
    assert np.isfinite(K).all()
    np.testing.assert_array_equal(K[1], [0.0, 1.0, 0.0])
