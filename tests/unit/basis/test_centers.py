"""Which rows become centres."""

import numpy as np
import pytest
import scipy.sparse as sp

from kernelproba.basis import RULES, centers_to_tolerance, choose_centers
from kernelproba.kernels import RBF, Linear
from kernelproba.rows.store import as_rows

X = np.random.default_rng(0).standard_normal((500, 3))


def unexplained(kernel, X, Z):
    """Share of Σ k(x, x) that the centres leave."""
    K = kernel(X, Z)
    explained = np.einsum("ij,ij->", K @ np.linalg.pinv(kernel(Z, Z), hermitian=True), K)
    return 1 - explained / kernel.diag(X).sum()


@pytest.mark.parametrize("rule", ["uniform", *RULES])
def test_centres_are_distinct_rows(rule):
    Z, index = choose_centers(rule, RBF(1.0), as_rows(X), 40, 0)
    assert len(np.unique(index)) == len(index) == 40
    np.testing.assert_array_equal(Z, X[index])


def test_random_pivots_explain_more_than_uniform_ones():
    clusters = np.concatenate([0.05 * X[:480], X[480:] + 8])
    shares = {
        rule: np.mean([
            unexplained(RBF(1.0), clusters, choose_centers(rule, RBF(1.0), as_rows(clusters), 12, seed)[0])
            for seed in range(5)
        ])
        for rule in ("uniform", "rpcholesky")
    }  # fmt: skip
    assert shares["rpcholesky"] < 0.5 * shares["uniform"]


@pytest.mark.parametrize("tol", [0.3, 0.05, 0.01])
@pytest.mark.parametrize("n", [500, 1500])
def test_a_tolerance_is_kept_with_as_few_centres_as_it_takes(tol, n):
    rows = np.random.default_rng(1).standard_normal((n, 2))
    Z, _ = centers_to_tolerance(RBF(0.7), as_rows(rows), 400, tol, 0)
    assert unexplained(RBF(0.7), rows, Z) <= 1.05 * tol
    assert len(Z) < 400


def test_a_linear_kernel_needs_as_many_centres_as_there_are_features():
    Z, _ = centers_to_tolerance(Linear(), as_rows(X), 100, 1e-6, 0)
    assert len(Z) <= 3 + 1
    assert unexplained(Linear(), X, Z) < 1e-6


class Bounded(Linear):
    """A linear kernel that is asked a bounded number of times."""

    def __call__(self, X, Y=None):
        self.calls = getattr(self, "calls", 0) + 1
        assert self.calls < 500, "pivots are drawn without end"
        return super().__call__(X, Y)


@pytest.mark.parametrize("seed", range(10))
def test_rounding_of_rows_in_single_precision_is_not_drawn_from_for_ever(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(500, 20)).astype(np.float32)
    Z, _ = choose_centers("rpcholesky", Bounded(), as_rows(rows), 100, seed)
    assert len(Z) < 60
    assert unexplained(Linear(), rows.astype(float), Z.astype(float)) < 1e-6


def test_copies_of_a_row_are_one_centre():
    copies = np.repeat(X[:5], 60, axis=0)
    Z, _ = choose_centers("rpcholesky", RBF(1.0), as_rows(copies), 50, 0)
    assert len(Z) == 5


def test_sparse_rows_have_sparse_centres():
    Z, index = choose_centers("rpcholesky", RBF(1.0), as_rows(sp.csr_array(X)), 10, 0)
    assert sp.issparse(Z)
    np.testing.assert_array_equal(Z.toarray(), X[index])
    with pytest.raises(ValueError, match="dense rows"):
        choose_centers("k-means", RBF(1.0), as_rows(sp.csr_array(X)), 10, 0)


def test_a_kernel_that_is_zero_everywhere_has_one_centre():
    Z, index = choose_centers("rpcholesky", Linear(), as_rows(np.zeros((5, 2))), 3, 0)
    assert Z.shape == (1, 2)
    assert index.tolist() == [0]
