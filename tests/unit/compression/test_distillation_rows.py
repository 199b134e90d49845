import numpy as np
import pytest
import scipy.sparse as sp

from kernelproba.compression.distillation_rows import INVENTED, DistillationRows


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return np.where(rng.random((60, 7)) < 0.4, 0.0, rng.normal(size=(60, 7)))


def test_rows_are_followed_by_others_like_them(X):
    rows = DistillationRows.of([X], 0, 10_000)
    (view,) = rows.views
    assert len(view) == (1 + INVENTED) * len(X)
    np.testing.assert_array_equal(view[: len(X)], X)
    made = view[len(X) :]
    crossed = made[: len(made) // 2]
    assert all(np.isin(crossed[:, j], X[:, j]).all() for j in range(X.shape[1]))
    assert len(np.unique(crossed, axis=0)) > len(X)


def test_rows_that_are_held_out_have_no_part_in_others(X):
    X[::5] += 1000.0
    kept = DistillationRows.of([X], 0, 10_000)
    np.testing.assert_array_equal(kept.held_out, np.arange(0, 60, 5))
    assert np.abs(kept.views[0][kept.fitted]).max() < 100


def test_sparse_rows_stay_sparse_and_are_the_same(X):
    dense, sparse = (DistillationRows.of([A], 0, 10_000).views[0] for A in (X, sp.csr_array(X)))
    assert sp.issparse(sparse)
    np.testing.assert_allclose(sparse.toarray(), dense, atol=1e-12)


def test_views_of_one_scale_each_hold_the_same_rows(X):
    first, second = DistillationRows.of([X, 3 * X], 0, 10_000).views
    np.testing.assert_allclose(second, 3 * first, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_rows_are_enough(X, n):
    rows = DistillationRows.of([X[:n]], 0, 10_000)
    assert np.isfinite(rows.views[0]).all()


def test_many_rows_are_those_that_are_not_held_out_and_others_like_them(X):
    X[::5] += 1000.0
    (view,) = DistillationRows.of([X], 0, 10_000).many(500)
    np.testing.assert_array_equal(view[:48], np.delete(X, np.arange(0, 60, 5), axis=0))
    assert len(view) == 500
    assert np.abs(view).max() < 100
