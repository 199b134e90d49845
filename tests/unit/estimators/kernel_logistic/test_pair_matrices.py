import numpy as np
import pytest

from kernelproba import KernelLogisticRegression
from kernelproba.coupling.pairs import class_pairs
from kernelproba.estimators.kernel_logistic import pair_matrices
from kernelproba.estimators.kernel_logistic.pair_matrices import PairMatrices
from kernelproba.kernels import RBF


@pytest.fixture
def rows():
    """Five classes of 3 to 40 rows, sorted."""
    sizes = [40, 12, 3, 25, 11]
    X = np.random.default_rng(0).normal(size=(sum(sizes), 2))
    return X, np.concatenate([[0], np.cumsum(sizes)])


@pytest.mark.parametrize("whole", [True, False])
def test_every_pair_is_handed_out_once_with_its_kernel_matrix(rows, whole, monkeypatch):
    X, bounds = rows
    if not whole:
        monkeypatch.setattr(pair_matrices, "WHOLE_BYTES", 0)
    matrices = PairMatrices(RBF(), X, bounds, np.float64)
    seen = []
    for first, pairs in matrices.tasks():
        block = matrices.block_of(first)
        for group in matrices.groups(pairs):
            for (i, j), K in zip(group, matrices.stack(group, block), strict=True):
                both = np.concatenate([X[matrices.classes[i]], X[matrices.classes[j]]])
                np.testing.assert_allclose(K[: len(both), : len(both)], RBF()(both, both), atol=1e-12)
                assert not K[len(both) :].any()
                seen.append((i, j))
    assert sorted(seen) == [tuple(pair) for pair in class_pairs(5)]


def test_stacks_stay_in_the_cache_and_are_not_mostly_padding(rows, monkeypatch):
    X, bounds = rows
    monkeypatch.setattr(pair_matrices, "STACK_BYTES", 8 * 2 * 55**2)
    matrices = PairMatrices(RBF(), X, bounds, np.float64)
    groups = list(matrices.groups([tuple(pair) for pair in class_pairs(5)]))
    for group in groups:
        sizes = [matrices.n_rows(pair) for pair in group]
        assert min(sizes) >= 0.7 * max(sizes)
        assert len(group) == 1 or len(group) * max(sizes) ** 2 <= 2 * 55**2


@pytest.mark.parametrize("pair_Cs", [None, [0.1, 1.0, 10.0]])
def test_pairs_fitted_together_equal_pairs_fitted_alone(pair_Cs, monkeypatch):
    rng = np.random.default_rng(1)
    y = rng.integers(5, size=150)
    X = rng.normal(size=(150, 2)) + 1.5 * np.eye(5)[y, :2]
    settings = {"C": 3.0, "multi_class": "pairwise", "tol": 1e-8, "pair_Cs": pair_Cs}
    together = KernelLogisticRegression(**settings).fit(X, y)
    monkeypatch.setattr(pair_matrices, "STACK_BYTES", 0)
    monkeypatch.setattr(pair_matrices, "WHOLE_BYTES", 0)
    alone = KernelLogisticRegression(**settings).fit(X, y)
    np.testing.assert_array_equal(together.pair_C_, alone.pair_C_)
    np.testing.assert_allclose(together.predict_proba(X), alone.predict_proba(X), atol=1e-6)
    assert together.objective_ == pytest.approx(alone.objective_, rel=1e-9)
