import numpy as np
import pytest

from kernelproba.kernels.expansion import LARGEST_SCORE, expansion_scores


def test_scores_are_a_product_and_an_intercept():
    rng = np.random.default_rng(0)
    K, coef, b = rng.normal(size=(20, 5)), rng.normal(size=(5, 3)), rng.normal(size=3)
    np.testing.assert_array_equal(expansion_scores(K, coef, b), K @ coef + b)


@pytest.mark.parametrize("scale", [1e305, 1e308])
def test_scores_beyond_the_numbers_keep_their_ratios_and_leave_other_rows_alone(scale):
    rng = np.random.default_rng(0)
    K, coef = rng.random((6, 5)), 1e4 * rng.normal(size=(5, 3))
    K[2:4] *= scale
    F = expansion_scores(K, coef, np.ones(3))
    exact = (K[2:4] / scale) @ coef
    np.testing.assert_allclose(F[2:4], exact / np.abs(exact).max(axis=1, keepdims=True) * LARGEST_SCORE)
    np.testing.assert_array_equal(F[[0, 1, 4, 5]], K[[0, 1, 4, 5]] @ coef + 1)


def test_sums_beyond_single_precision_are_done_in_double():
    K = np.full((3, 4), 3e38, dtype=np.float32)
    K[1] = 1.0
    F = expansion_scores(K, np.ones((4, 2)), np.zeros(2))
    assert np.isfinite(F).all()
    np.testing.assert_array_equal(F[1], [4.0, 4.0])
