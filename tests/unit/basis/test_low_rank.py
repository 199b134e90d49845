import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from kernelproba.basis.low_rank import WHOLE_ROWS, low_rank, low_rank_of_matrix

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 2))
K = rbf_kernel(X, gamma=0.3)


def columns(K, **options):
    return low_rank(lambda j: K[:, j], K.diagonal(), **options)


def test_a_matrix_of_rank_five_is_five_columns_and_no_rest():
    A = rng.standard_normal((60, 5))
    K = A @ A.T
    found = columns(K, max_rank=60, tol=1e-8)
    assert found.Phi.shape == (60, 5)
    np.testing.assert_allclose(found.Phi @ found.Phi.T, K, atol=1e-10)
    np.testing.assert_allclose(found.rest, 0, atol=1e-8)


@pytest.mark.parametrize("tol", [0.3, 1e-2, 1e-6])
def test_the_rest_is_at_most_tol_and_the_diagonal_is_exact(tol):
    found = columns(K, max_rank=60, tol=tol)
    assert found.rest.max() <= tol
    np.testing.assert_allclose(np.square(found.Phi).sum(axis=1) + found.rest, K.diagonal(), atol=1e-12)
    # What is left is positive semi-definite, so no entry exceeds the diagonal.
    assert np.abs(K - found.Phi @ found.Phi.T).max() <= tol + 1e-12


def test_the_rank_is_bounded():
    assert columns(K, max_rank=7, tol=0.0).Phi.shape == (60, 7)


def test_truncation_is_what_stopping_earlier_gives():
    long, short = columns(K, max_rank=60, tol=1e-8), columns(K, max_rank=60, tol=0.05)
    cut = long.truncated(0.05)
    np.testing.assert_allclose(cut.Phi, short.Phi, atol=1e-12)
    np.testing.assert_allclose(cut.rest, short.rest, atol=1e-7)


@pytest.mark.parametrize("n", [60, WHOLE_ROWS + 50])
def test_a_whole_matrix_gives_what_its_columns_give(n):
    Z = rng.standard_normal((n, 2))
    K = rbf_kernel(Z, gamma=0.3)
    whole, by_columns = low_rank_of_matrix(K, max_rank=15, tol=1e-3), columns(K, max_rank=15, tol=1e-3)
    np.testing.assert_allclose(whole.Phi @ whole.Phi.T, by_columns.Phi @ by_columns.Phi.T, atol=1e-8)
    np.testing.assert_allclose(whole.rest, by_columns.rest, atol=1e-8)
    np.testing.assert_allclose(whole.left, by_columns.left, atol=1e-8)
