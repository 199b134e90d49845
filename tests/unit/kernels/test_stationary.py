import numpy as np
import pytest

from kernelproba.kernels import RBF, Laplacian, Matern, RationalQuadratic

KINDS = [RBF, Laplacian, Matern, RationalQuadratic]


def data(n=30, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("kind", KINDS)
def test_length_scales_are_units_of_the_features(kind):
    X, Z, scales = data(), data(20, seed=1), np.array([0.3, 2.0, 5.0])
    np.testing.assert_allclose(kind(scales)(X, Z), kind()(X / scales, Z / scales), rtol=1e-12)
    np.testing.assert_allclose(kind(2.5)(X, Z), kind([2.5] * 3)(X, Z), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [1e-8, 1e8])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_units_do_not_matter_if_the_length_scale_follows(kind, scale, dtype):
    X, Z = data().astype(dtype), data(20, seed=1).astype(dtype)
    K = kind(scale)((X * scale).astype(dtype), (Z * scale).astype(dtype))
    np.testing.assert_allclose(K, kind()(X, Z), rtol=2e3 * np.finfo(dtype).eps, atol=1e-30)


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_is_exactly_as_similar_as_can_be_to_itself(kind):
    X = data() * 1e6
    K = kind(0.01)(X, X)
    assert np.all(K.diagonal() == 1)
    assert np.all(kind(0.01).diag(X) == 1)
    assert np.all((K >= 0) & (K <= 1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("dtype", "far"), [(np.float32, 1e25), (np.float64, 1e200)])
def test_rows_beyond_the_range_of_squares_are_unlike_all_but_themselves(kind, dtype, far):
    X = data().astype(dtype)
    X[3:5], X[5] = far, -far
    K = kind()(X, X)
    np.testing.assert_array_equal(K[:3, 3:6], 0)
    np.testing.assert_array_equal(K[3:6, 3:6], [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    np.testing.assert_allclose(K[:3, :3], kind()(X[:3], X[:3]), rtol=1e-5)


def test_the_laplacian_is_the_product_of_one_dimensional_exponentials():
    X, Z, scales = data(), data(20, seed=1), [0.3, 2.0, 5.0]
    product = np.prod([np.exp(-abs(X[:, [k]] - Z[:, k]) / scales[k]) for k in range(3)], axis=0)
    np.testing.assert_allclose(Laplacian(scales)(X, Z), product, rtol=1e-12)


def test_a_rational_quadratic_of_large_alpha_is_an_rbf():
    X = data()
    np.testing.assert_allclose(RationalQuadratic(0.7, alpha=1e9)(X, X), RBF(0.7)(X, X), atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "length_scale", [0, -1.0, np.nan, np.inf, "wide", [1.0, 0.0, 1.0], [1.0, np.nan, 1.0]]
)
def test_a_length_scale_that_is_not_positive_is_refused(kind, length_scale):
    with pytest.raises(ValueError, match=r"length_scale must be a positive number"):
        kind(length_scale)(data(), data())


@pytest.mark.parametrize("length_scale", [[1.0, 2.0], [[1.0, 2.0, 3.0]], [1.0]])
def test_length_scales_that_do_not_fit_the_features_are_refused(length_scale):
    with pytest.raises(ValueError, match="3 features: give one number, or an array of 3"):
        RBF(length_scale)(data(), data())


def test_a_smoothness_without_a_formula_is_refused():
    with pytest.raises(ValueError, match=r"nu must be 0.5, 1.5 or 2.5, got 1.0"):
        Matern(nu=1.0)(data(), data())


@pytest.mark.parametrize("alpha", [0, -1, np.inf, "a"])
def test_alpha_must_be_positive(alpha):
    with pytest.raises(ValueError, match="alpha must be a positive number"):
        RationalQuadratic(alpha=alpha)(data(), data())


@pytest.mark.parametrize("kind", [RBF, Laplacian, Matern, RationalQuadratic])
@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-30, 1e30, 1e200, 1e300])
def test_the_narrowest_and_the_widest_kernels_are_those_of_scaled_rows(kind, scale):
    D = np.array([[0.0, 1.0, np.inf]])
    K = kind(scale).of_distance(D.copy())
    assert K[0, 0] == 1
    assert K[0, 1] == pytest.approx(1.0 if scale > 1 else 0.0, abs=1e-20)
    assert K[0, 2] < 1e-100


def test_a_tiny_alpha_makes_all_rows_alike():
    K = RationalQuadratic(1.0, alpha=1e-300)(np.array([[0.0], [1.0], [1e150]]), np.zeros((1, 1)))
    np.testing.assert_allclose(K, 1.0)


@pytest.mark.parametrize("kernel", KINDS)
def test_a_width_below_single_precision_tells_rows_apart_and_not_from_themselves(kernel):
    D = np.array([[0.0, 1.0], [1.0, 0.0]], dtype=np.float32)
    expected = np.full((2, 2), kernel(1e-50).of_distance(np.ones((1, 1)))[0, 0])
    np.fill_diagonal(expected, 1.0)
    np.testing.assert_allclose(kernel(1e-50).of_distance(D), expected, atol=1e-30)


def exact_rbf(X, Z, width):
    D = np.square(X[:, None].astype(np.longdouble) - Z).sum(axis=2)
    return np.exp(-D / (2 * np.longdouble(width) ** 2)).astype(np.float64)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e9])
@pytest.mark.parametrize("width", [0.05, 1.0, 300.0])
def test_values_to_be_summed_are_as_good_as_those_of_a_matrix(offset, width):
    X, Z = data(200) + offset, data(40, seed=1) + offset
    Z[:10] = X[:10]
    Z[10:20] = X[10:20] * (1 + 1e-9)
    summed = RBF(width).map(X, Z, np.copy)
    np.testing.assert_allclose(summed, exact_rbf(X, Z, width), rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("width", [0.05, 1.0, 300.0])
def test_values_to_be_summed_keep_single_precision_where_clusters_are_far_apart(width):
    rng = np.random.default_rng(0)
    X = (data(200) + 1e4 * rng.integers(-1, 2, (200, 1))).astype(np.float32)
    Z = X[::5].copy()
    summed = RBF(width).map(X, Z, np.copy)
    np.testing.assert_allclose(summed, exact_rbf(X, Z, width), rtol=1e-4, atol=1e-6)
