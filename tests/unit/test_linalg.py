import numpy as np
import pytest

from kernelproba.linalg import (
    NotDefiniteError,
    jittered_cholesky,
    relative_jitter,
    solve_semidefinite,
    triangular_inverse,
)


@pytest.mark.parametrize("n", [1, 2, 64, 65, 131, 200])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_product_with_the_triangle_is_the_identity(n, order):
    rng = np.random.default_rng(n)
    L = np.asarray(np.tril(rng.normal(size=(n, n)) / n) + np.diag(rng.uniform(0.5, 2.0, n)), order=order)
    inverse = triangular_inverse(L)
    np.testing.assert_allclose(inverse @ L, np.eye(n), atol=1e-12)
    assert not np.triu(inverse, 1).any()


def test_a_singular_matrix_has_a_factor_at_the_level_of_rounding():
    A = np.ones((5, 5))
    L = jittered_cholesky(A, relative_jitter(A, 1e-15))
    np.testing.assert_allclose(L @ L.T, A, atol=1e-12)
    np.testing.assert_allclose(jittered_cholesky(np.zeros((2, 2)), 0.0), 0.0, atol=1e-140)


@pytest.mark.parametrize("entry", [np.nan, np.inf, -1e12])
def test_a_matrix_that_no_jitter_mends_is_refused_with_a_cure(entry):
    with pytest.raises(NotDefiniteError, match="scale X"):
        jittered_cholesky(np.diag([1.0, entry]), 1e-15)


def test_systems_of_any_scale_are_solved_in_the_range_of_a_singular_matrix():
    scale = np.array([1e-60, 1.0, 1e60])
    H = np.ones((3, 3)) * scale * scale[:, None]
    x = solve_semidefinite(H, H @ (1 / scale))
    np.testing.assert_allclose(H @ x, H @ (1 / scale), rtol=1e-8)


def test_a_system_without_unknowns_is_solved():
    assert solve_semidefinite(np.zeros((0, 0)), np.zeros((0, 3))).shape == (0, 3)
