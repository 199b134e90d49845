import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from kernelproba import objective
from kernelproba.kernels import thin_product as module
from kernelproba.kernels.thin_product import (
    SMALL_PRODUCT,
    multiplies_in_place,
    thin_product,
    transpose_product,
)


@pytest.fixture(params=[True, False], ids=["in place", "copied"])
def blas(request, monkeypatch):
    """Either kind of BLAS: products must not depend on what they are cut into."""
    for where in (module, objective):
        monkeypatch.setattr(where, "multiplies_in_place", lambda: request.param)


@pytest.mark.usefixtures("blas")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "k"), [(1, 3), (7, 2), (700, 1), (811, 3), (1003, 26), (1500, 200)])
def test_thin_products_are_the_products(n, k, dtype):
    rng = np.random.default_rng(n)
    K, A = rng.random((n, n)).astype(dtype), rng.random((n, k)).astype(dtype)
    for product, whole in ((thin_product(K, A), K), (transpose_product(K, A), K.T)):
        assert product.dtype == dtype
        expected = whole.astype(np.float64) @ A.astype(np.float64)
        np.testing.assert_allclose(product, expected, rtol=1e-5 if dtype == np.float32 else 1e-12)


@pytest.mark.usefixtures("blas")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("n", "k"), [(90, 3), (200, 2), (450, 10), (450, 11), (2600, 2), (2600, 5)])
def test_a_kernel_matrix_and_its_products_agree(n, k, threads):
    rng = np.random.default_rng(n)
    K, A = rng.random((n, n)), rng.random((n, k))
    K += K.T
    with threadpool_limits(limits=threads, user_api="blas"):
        product = objective.DenseMatrix(K).product(A)
    assert product.dtype == np.float64
    assert product.flags.f_contiguous
    np.testing.assert_allclose(product, K @ A, rtol=1e-12)


@pytest.mark.usefixtures("blas")
@pytest.mark.parametrize("shape", [(0, 3, 2), (3, 0, 2), (3, 3, 0), (400_000, 1, 2)])
def test_products_of_next_to_nothing(shape):
    n, m, k = shape
    assert (thin_product(np.ones((n, m)), np.ones((m, k))) == m).all()
    assert (transpose_product(np.ones((n, m)), np.ones((n, k))) == n).all()


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["SkylakeX"], True),
        (["Haswell"], False),
        (["SkylakeX", "Haswell"], False),
        ([None], False),
        ([], False),
    ],
)
def test_only_kernels_known_to_multiply_in_place_count(names, expected, monkeypatch):
    class Libraries:
        def info(self):
            return [{"architecture": name} if name else {} for name in names]

    monkeypatch.setattr(module, "blas_libraries", Libraries)
    assert multiplies_in_place.__wrapped__() is expected


def test_a_strip_too_wide_for_one_piece_is_summed_from_several():
    m, k = 3001, 60
    assert 8 * m * k > 1.4 * SMALL_PRODUCT
    K, A = np.arange(17 * m, dtype=float).reshape(17, m) % 7, np.ones((m, k))
    np.testing.assert_array_equal(thin_product(K, A), np.repeat(K.sum(axis=1)[:, None], k, axis=1))
