"""partial_fit: exact, lazy, and hard to break."""

from contextlib import suppress

import numpy as np
import pytest
import scipy.sparse as sp
from common.interrupts import LineCounter, interrupt, tracing
from sklearn.base import clone

from kernelproba import LeastSquaresProbabilisticClassifier as LSPC
from kernelproba.datasets import three_gaussians

X, y = three_gaussians(300, random_state=0)
X_new, _ = three_gaussians(40, random_state=1)
CLASSES = [0, 1, 2]
GIVEN = {"alpha": 1e-3, "gamma": 0.5, "centers": X[:40]}


def stream(model, X, y, size, **kwargs):
    for start in range(0, len(y), size):
        model.partial_fit(X[start : start + size], y[start : start + size], CLASSES, **kwargs)
    return model


def test_centres_come_from_the_first_block():
    model = LSPC(gamma=0.5, n_centers=10, random_state=0)
    stream(model, X, y, 100)
    assert (model.support_ < 100).all()
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    exact = LSPC(gamma=0.5, centers=model.support_vectors_).fit(X, y)
    assert model.dual_coef_.shape == exact.dual_coef_.shape


def test_a_fit_can_be_continued():
    model = LSPC(**GIVEN).fit(X[:200], y[:200])
    before = model.dual_coef_
    model.partial_fit(X[200:], y[200:])
    assert not np.allclose(model.dual_coef_, before)
    whole = LSPC(**GIVEN).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X_new), whole.predict_proba(X_new), atol=1e-10)


def test_fitting_again_forgets():
    model = stream(LSPC(**GIVEN), X, y, 100)
    model.fit(X[:50], y[:50])
    fresh = LSPC(**GIVEN).fit(X[:50], y[:50])
    np.testing.assert_array_equal(model.predict_proba(X_new), fresh.predict_proba(X_new))


def test_blocks_may_lack_classes_and_rows_may_lack_weight():
    order = np.argsort(y, kind="stable")
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    model = LSPC(**GIVEN)
    for part in np.array_split(order, 10):
        model.partial_fit(X[part], y[part], CLASSES, sample_weight=weight[part])
    whole = LSPC(**GIVEN).fit(X, y, weight)
    np.testing.assert_allclose(model.predict_proba(X_new), whole.predict_proba(X_new), atol=1e-10)


@pytest.mark.parametrize("first", [True, False])
def test_a_block_without_any_weight_teaches_nothing(first):
    model, weightless = LSPC(**GIVEN), {"classes": CLASSES, "sample_weight": np.zeros(10)}
    if first:
        model.partial_fit(X[:10], y[:10], **weightless)
    stream(model, X[10:], y[10:], 100)
    if not first:
        model.partial_fit(X[:10], y[:10], **weightless)
    np.testing.assert_allclose(model.dual_coef_, LSPC(**GIVEN).fit(X[10:], y[10:]).dual_coef_, atol=1e-10)


def test_sparse_blocks_are_welcome():
    dense, sparse = LSPC(**GIVEN), LSPC(**GIVEN)
    stream(dense, X, y, 90)
    stream(sparse, sp.csr_array(X), y, 90)
    np.testing.assert_allclose(sparse.predict_proba(X_new), dense.predict_proba(X_new), atol=1e-9)


def test_a_long_stream_is_calibrated_on_a_sample_of_its_rows():
    rows, labels = three_gaussians(9000, random_state=2)
    model = stream(LSPC(1e-3, gamma=0.5, centers=X[:40]), rows, labels, 1500)
    assert len(model._learnt_._sketch) == 2000
    whole = LSPC(1e-3, gamma=0.5, centers=X[:40]).fit(rows, labels)
    np.testing.assert_allclose(model.predict_proba(X_new), whole.predict_proba(X_new), atol=1e-10)


def test_sgd_learns_from_a_stream():
    rows, labels = three_gaussians(20_000, random_state=2)
    options = {"alpha": 1e-2, "gamma": 0.5, "centers": X[:40]}
    sgd = stream(LSPC(solver="sgd", **options), rows, labels, 1000)
    exact = LSPC(**options).fit(rows, labels)
    gap = sgd.raw_scores(X_new) - exact.raw_scores(X_new)
    assert np.sqrt(np.mean(gap**2)) < 0.01


@pytest.fixture
def begun():
    return LSPC(**GIVEN).partial_fit(X[:100], y[:100], CLASSES)


@pytest.mark.parametrize(
    ("rows", "labels", "options", "message"),
    [
        (X[:3], [0, 1, 7], {}, r"not in classes: \[7\]"),
        (X[:3, :1], [0, 1, 2], {}, "features"),
        (X[:3], [0, 1, 2], {"classes": [0, 1]}, "cannot change its classes"),
        (X[:3], [0, 1], {}, "inconsistent numbers of samples"),
        (X[:3], [0, 1, 2], {"sample_weight": [1, -1, 1]}, "Negative"),
        (X[:3] * np.nan, [0, 1, 2], {}, "NaN"),
        (X[:3], [0.5, 1.2, 2.2], {}, "Unknown label type"),
    ],
)
def test_a_bad_block_is_refused_and_leaves_the_model_unharmed(begun, rows, labels, options, message):
    before = begun.predict_proba(X_new)
    with pytest.raises(ValueError, match=message):
        begun.partial_fit(rows, labels, **options)
    np.testing.assert_array_equal(begun.predict_proba(X_new), before)
    begun.partial_fit(X[100:], y[100:])
    whole = LSPC(**GIVEN).fit(X, y)
    np.testing.assert_allclose(begun.predict_proba(X_new), whole.predict_proba(X_new), atol=1e-10)


def test_a_bad_first_block_leaves_the_model_unfitted():
    model = LSPC(gamma=0.5)
    with pytest.raises(ValueError, match="classes must be given on the first call"):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match="at least 2 classes"):
        model.partial_fit(X, y, classes=[0])
    with pytest.raises(ValueError, match=r"no centres, of the classes \[2\]"):
        model.partial_fit(X[y < 2], y[y < 2], CLASSES)
    assert not model.__sklearn_is_fitted__()
    model.partial_fit(X[:, :1], y, CLASSES)
    assert model.n_features_in_ == 1


def test_what_a_stream_cannot_do_is_said():
    with pytest.raises(AttributeError, match="partial_fit") as error:
        LSPC(class_weight="balanced").partial_fit(X, y, CLASSES)
    assert "class_weight as a dict" in str(error.value.__cause__)
    assert not hasattr(LSPC(kernel="precomputed"), "partial_fit")
    weighted = LSPC(class_weight={0: 2.5, 1: 1.0, 2: 1.0}, **GIVEN)
    same = LSPC(**GIVEN).fit(X, y, np.where(y == 0, 2.5, 1.0))
    np.testing.assert_allclose(
        stream(weighted, X, y, 70).predict_proba(X_new), same.predict_proba(X_new), atol=1e-10
    )


@pytest.mark.parametrize("solver", ["cholesky", "sgd"])
def test_an_interrupted_block_is_learnt_wholly_or_not_at_all(solver):
    first, second = slice(0, 60), slice(60, 100)
    start = LSPC(1e-3, gamma=0.5, centers=X[:20], solver=solver).partial_fit(X[first], y[first], [0, 1, 2])
    before, after = start.predict_proba(X), clone_fit(start).partial_fit(X[second], y[second])
    expected = after.predict_proba(X)
    counter = LineCounter()
    with tracing(counter):
        clone_fit(start).partial_fit(X[second], y[second])
    for moment in range(1, counter.count + 1, max(1, counter.count // 50)):
        model = clone_fit(start)
        with tracing(LineCounter([moment], interrupt)), suppress(KeyboardInterrupt):
            model.partial_fit(X[second], y[second])
        P = model.predict_proba(X)
        assert np.array_equal(P, before) or np.allclose(P, expected, atol=1e-12)
        np.testing.assert_array_equal(start.predict_proba(X), before)


def clone_fit(model):
    """Another estimator that shares what the first has learnt."""
    twin = clone(model)
    twin.__dict__.update(vars(model))
    return twin
