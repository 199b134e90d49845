import numpy as np
import pytest

from kernelproba.solvers.linalg import triangular_inverse


@pytest.mark.parametrize("n", [1, 2, 64, 65, 131, 200])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_product_with_the_triangle_is_the_identity(n, order):
    rng = np.random.default_rng(n)
    L = np.asarray(np.tril(rng.normal(size=(n, n)) / n) + np.diag(rng.uniform(0.5, 2.0, n)), order=order)
    inverse = triangular_inverse(L)
    np.testing.assert_allclose(inverse @ L, np.eye(n), atol=1e-12)
    assert not np.triu(inverse, 1).any()
