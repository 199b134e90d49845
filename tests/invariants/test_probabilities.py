"""Probabilities are finite, in [0, 1], sum to one, and `predict` is their argmax, on any input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_iris

from kernelproba import BasisLogisticRegression, KernelLogisticRegression

X, y = load_iris(return_X_y=True)
MODELS = [
    KernelLogisticRegression(C=100).fit(X, y),
    KernelLogisticRegression(C=100, kernel="laplacian").fit(X[:100], y[:100]),
    KernelLogisticRegression(kernel="poly", coef0=1.0).fit(X, y),
    BasisLogisticRegression().fit(X, y),
]
numbers = st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1e-300, -1e-8, 1e8, -1e12])
extremes = numbers | st.sampled_from([1e100, -1e200, 1.7e308])


@pytest.mark.parametrize("model", MODELS, ids=str)
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_predict_is_the_argmax_of_a_distribution(model, data):
    unbounded = isinstance(model, BasisLogisticRegression) or model.kernel == "poly"
    rows = data.draw(arrays(float, (3, 4), elements=numbers if unbounded else extremes))
    P = model.predict_proba(rows)
    assert np.isfinite(P).all()
    assert (P >= 0).all()
    assert (P <= 1).all()
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (model.predict(rows) == model.classes_[P.argmax(axis=1)]).all()
    log_P = model.predict_log_proba(rows)
    np.testing.assert_allclose(np.exp(log_P), P)


@settings(max_examples=25, deadline=None)
@given(
    arrays(float, (12, 2), elements=st.floats(-100, 100, width=32)),
    st.lists(st.integers(0, 3), min_size=12, max_size=12).filter(lambda labels: len(set(labels)) > 1),
    st.floats(1e-3, 1e3),
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_any_small_table_can_be_fitted(rows, labels, C):
    model = KernelLogisticRegression(C=C).fit(rows, labels)
    P = model.predict_proba(rows)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert np.isfinite(P).all()
