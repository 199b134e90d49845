import numpy as np
import pytest

from kernelproba.estimators.kernel_logistic.exact import Options
from kernelproba.kernels import RBF, Laplacian, Linear, kernel_matrix
from kernelproba.kernels.distance_cache import DistanceCache
from kernelproba.rows.row_hash import row_keys
from kernelproba.tuning.kernel_logistic import candidates
from kernelproba.tuning.kernel_logistic.candidates import CandidateFits
from kernelproba.tuning.kernel_logistic.gram_matrices import (
    FactoredGram,
    WholeGram,
    has_factor,
    wide_factor,
)
from kernelproba.tuning.observations import Observations


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(200, 4))


def observations(X, y):
    ones = np.ones(len(y))
    return Observations(X, y, ones, ones, np.ones(len(y), dtype=int), row_keys(X, y))


def test_a_factor_says_of_all_parts_what_the_whole_matrix_says(X):
    whole, factored = WholeGram(kernel_matrix(Linear(), X)), FactoredGram(X)
    rows, centers, dual = np.arange(3, 40), np.arange(50, 200), np.random.default_rng(1).normal(size=(150, 2))
    np.testing.assert_allclose(factored.scores(rows, centers, dual), whole.scores(rows, centers, dual))
    for part in (None, centers):
        A = np.ones((200 if part is None else 150, 1))
        np.testing.assert_allclose(factored.among(part).product(A), whole.among(part).product(A))
    low, other = (each.low_rank(600, 1e-4) for each in (whole, factored))
    np.testing.assert_allclose(low.Phi @ low.Phi.T, other.Phi @ other.Phi.T, atol=1e-3)


def test_rows_are_a_factor_of_their_linear_kernel_where_features_are_few(X):
    assert has_factor(Linear(), X)
    assert not has_factor(Linear(), X[:15])
    assert not has_factor(RBF(), X)


def test_a_wide_kernel_has_a_thin_factor_that_leaves_little_at_the_largest_weight(X):
    kernel = RBF(30.0)
    Phi = wide_factor(kernel, DistanceCache(X), weight=100.0)
    assert Phi.shape[1] <= 20
    np.testing.assert_allclose(Phi @ Phi.T, kernel_matrix(kernel, X), atol=1e-4)


@pytest.mark.parametrize("kernel", [RBF(0.3), Laplacian(100.0)])
def test_other_kernels_have_none(X, kernel):
    assert wide_factor(kernel, DistanceCache(X), weight=1e4) is None


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_fit_by_a_factor_predicts_what_a_fit_by_the_matrix_predicts(X, n_classes, monkeypatch):
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5) * (n_classes - 2)
    rows, options = observations(X, y), Options("irls", 1e-6, 200, True)
    folds = rows.folds(4)
    factored = CandidateFits(rows, lambda _: Linear(), options).held_out(None, 3.0, folds)
    monkeypatch.setattr(candidates, "has_factor", lambda *_: False)
    whole = CandidateFits(rows, lambda _: Linear(), options).held_out(None, 3.0, folds)
    for a, b in zip(factored, whole, strict=True):
        np.testing.assert_allclose(a.log_P, b.log_P, atol=1e-4)
