"""What must not change a sparse model: the names of classes, the order of rows, the units of weights."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelproba.estimators.sparse_kernel_logistic.estimator import SparseKernelLogisticRegression
from kernelproba.penalties import GroupLasso, Lasso


def data(seed, n=24):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.standard_normal((n, 2)) + 1.5 * np.column_stack([y == 0, y == 1]), y


def model(penalty="l1", C=1.0):
    return SparseKernelLogisticRegression(C=C, penalty=penalty, gamma=0.5, tol=1e-7)


PENALTY = st.sampled_from(["l1", "group"])


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 1000), penalty=PENALTY, order=st.permutations([0, 1, 2]))
def test_classes_are_treated_alike(seed, penalty, order):
    X, y = data(seed)
    P = model(penalty).fit(X, y).predict_proba(X)
    renamed = model(penalty).fit(X, np.array(order)[y]).predict_proba(X)
    np.testing.assert_allclose(renamed[:, order], P, atol=1e-5)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 1000), penalty=PENALTY, factor=st.floats(0.1, 10.0))
def test_a_factor_on_all_weights_is_a_factor_on_c(seed, penalty, factor):
    X, y = data(seed)
    weighted = model(penalty).fit(X, y, sample_weight=np.full(len(y), factor))
    scaled = model(penalty, C=factor).fit(X, y)
    np.testing.assert_allclose(weighted.predict_proba(X), scaled.predict_proba(X), atol=1e-5)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 1000), penalty=PENALTY)
def test_a_row_seen_twice_is_a_weight_of_two(seed, penalty):
    X, y = data(seed)
    weight = np.ones(len(y))
    weight[:5] = 2.0
    twice = model(penalty).fit(np.vstack([X, X[:5]]), np.append(y, y[:5]))
    weighted = model(penalty).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(twice.predict_proba(X), weighted.predict_proba(X), atol=1e-5)


@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 10_000), step=st.floats(0.01, 10.0), penalty=st.sampled_from([Lasso(), GroupLasso()])
)
def test_proximal_maps_bring_points_closer(seed, step, penalty):
    A, B = np.random.default_rng(seed).standard_normal((2, 5, 3))
    assert np.linalg.norm(penalty.prox(A, step) - penalty.prox(B, step)) <= np.linalg.norm(A - B) + 1e-12
