import numpy as np
import pytest

from kernelproba.kernels.thin_product import SMALL_PRODUCT, thin_product


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "k"), [(1, 3), (7, 2), (700, 1), (811, 3), (1003, 26), (1500, 200)])
def test_a_thin_product_is_the_product(n, k, dtype):
    rng = np.random.default_rng(n)
    K, A = rng.random((n, n)).astype(dtype), rng.random((n, k)).astype(dtype)
    product = thin_product(K, A)
    assert product.dtype == dtype
    expected = K.astype(np.float64) @ A.astype(np.float64)
    np.testing.assert_allclose(product, expected, rtol=1e-5 if dtype == np.float32 else 1e-12)


def test_a_strip_too_wide_for_one_piece_is_summed_from_several():
    m, k = 3001, 60
    assert 8 * m * k > 1.4 * SMALL_PRODUCT
    K, A = np.arange(17 * m, dtype=float).reshape(17, m) % 7, np.ones((m, k))
    np.testing.assert_array_equal(thin_product(K, A), np.repeat(K.sum(axis=1)[:, None], k, axis=1))
