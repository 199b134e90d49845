"""What must not change the least-squares classifier: blocks, order, repetition, units, names."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kernelproba import LeastSquaresProbabilisticClassifier as LSPC
from kernelproba.datasets import three_gaussians

X_new, _ = three_gaussians(20, random_state=9)
seeds = st.integers(0, 2**31 - 1)
SETTINGS = settings(max_examples=25, deadline=None)


def draw(seed, n=60):
    """Rows on a coarse grid, so that some occur twice, with all three classes."""
    X, y = three_gaussians(n, random_state=seed)
    y[:3] = [0, 1, 2]
    return np.round(2 * X) / 2, y


@SETTINGS
@given(seeds, st.lists(st.integers(1, 59), max_size=6), st.booleans())
def test_blocks_give_what_fit_gives(seed, cuts, weighted):
    X, y = draw(seed)
    weight = np.random.default_rng(seed).integers(0, 4, 60).astype(float) if weighted else None
    if weighted:
        weight[:3] = 1
    options = {"alpha": 1e-2, "gamma": 0.5, "centers": X[:15]}
    whole, blocks = LSPC(**options).fit(X, y, weight), LSPC(**options)
    for part in np.split(np.arange(60), sorted(cuts)):
        if len(part):
            blocks.partial_fit(X[part], y[part], [0, 1, 2], None if weight is None else weight[part])
    np.testing.assert_allclose(blocks.dual_coef_, whole.dual_coef_, atol=1e-10)
    np.testing.assert_allclose(blocks.predict_proba(X_new), whole.predict_proba(X_new), atol=1e-10)


@pytest.mark.parametrize("centers", ["class", "all"])
@SETTINGS
@given(seed=seeds)
def test_a_weight_is_a_repetition_in_any_order(centers, seed):
    X, y = draw(seed)
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 4, 60)
    weight[:3] = 1
    order = rng.permutation(weight.sum())
    model = LSPC(1e-2, centers=centers)
    P = model.fit(X, y, weight).predict_proba(X_new)
    repeated = model.fit(X.repeat(weight, axis=0)[order], y.repeat(weight)[order])
    np.testing.assert_allclose(repeated.predict_proba(X_new), P, atol=1e-9)


@SETTINGS
@given(seeds, st.floats(1e-3, 1e3))
def test_the_unit_of_weights_does_not_matter(seed, unit):
    X, y = draw(seed)
    weight = np.random.default_rng(seed).random(60) + 0.1
    P, Q = (LSPC(gamma=0.5).fit(X, y, w).predict_proba(X_new) for w in (weight, unit * weight))
    np.testing.assert_allclose(P, Q, atol=1e-8)


@SETTINGS
@given(seeds, st.permutations([0, 1, 2]))
def test_names_of_classes_do_not_matter(seed, names):
    X, y = draw(seed)
    names = np.array(names)
    P = LSPC(gamma=0.5).fit(X, y).predict_proba(X_new)
    renamed = LSPC(gamma=0.5).fit(X, names[y]).predict_proba(X_new)
    np.testing.assert_allclose(renamed[:, names], P, atol=1e-9)


@SETTINGS
@given(seeds, st.floats(-100, 100), st.floats(0.01, 100))
def test_place_and_unit_of_features_do_not_matter(seed, shift, unit):
    X, y = draw(seed)
    P = LSPC(gamma="scale").fit(X, y).predict_proba(X_new)
    moved = LSPC(gamma="scale").fit(unit * X + shift, y).predict_proba(unit * X_new + shift)
    np.testing.assert_allclose(moved, P, atol=1e-5)


X_FIT, Y_FIT = draw(0)
MODELS = [
    LSPC().fit(X_FIT, Y_FIT),
    LSPC(calibration=None, outside="tails").fit(X_FIT, Y_FIT),
    LSPC(calibration=None, kernel="laplacian").fit(X_FIT, Y_FIT),
    LSPC(outside="tails", centers="all").fit(X_FIT, Y_FIT),
    LSPC(solver="sgd", random_state=0).fit(X_FIT, Y_FIT),
]
numbers = st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1e-300, -1e-8, 1e8, 1e100, -1e200, 1.7e308])


@pytest.mark.parametrize("model", MODELS, ids=str)
@settings(max_examples=40, deadline=None)
@given(rows=arrays(float, (3, 2), elements=numbers))
def test_predict_is_the_argmax_of_a_distribution(model, rows):
    P = model.predict_proba(rows)
    assert np.isfinite(P).all()
    assert (P >= 0).all()
    assert (P <= 1 + 1e-12).all()
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (model.predict(rows) == model.classes_[P.argmax(axis=1)]).all()
    np.testing.assert_allclose(np.exp(model.predict_log_proba(rows)), P)
