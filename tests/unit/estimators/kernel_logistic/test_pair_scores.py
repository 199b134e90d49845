"""Scores for each class, or log-odds for each pair of classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.svm import SVC

from kernelproba import KernelLogisticRegression, SparseKernelLogisticRegression

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("multi_class", ["multinomial", "pairwise"])
def test_one_against_one_has_the_shape_and_the_signs_of_svc(multi_class):
    params = {"decision_function_shape": "ovo", "gamma": 0.3}
    ours = KernelLogisticRegression(10.0, multi_class=multi_class, **params).fit(X, Y).decision_function(X)
    theirs = SVC(**params).fit(X, Y).decision_function(X)
    sure = np.abs(theirs) > 0.9
    assert ours.shape == theirs.shape == (150, 3)
    assert np.mean((ours > 0)[sure] == (theirs > 0)[sure]) > 0.99


def test_log_odds_of_pairs_follow_from_the_probabilities_of_softmax():
    model = KernelLogisticRegression(decision_function_shape="ovo").fit(X, Y)
    log_P = model.predict_log_proba(X)
    expected = np.stack([log_P[:, i] - log_P[:, j] for i, j in [(0, 1), (0, 2), (1, 2)]], axis=1)
    assert_allclose(model.decision_function(X), expected, atol=1e-9)


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_two_classes_have_one_score(shape):
    model = KernelLogisticRegression(decision_function_shape=shape).fit(X, Y == 1)
    F = model.decision_function(X)
    assert_allclose(F, np.diff(model.predict_log_proba(X), axis=1)[:, 0], atol=1e-9)
    assert_allclose(model.pairwise_decision_function(X), -F[:, None])


@pytest.mark.parametrize("kind", [KernelLogisticRegression, SparseKernelLogisticRegression])
def test_an_infinite_c_is_refused_with_the_cure(kind):
    with pytest.raises(ValueError, match="BasisLogisticRegression"):
        kind(C=np.inf).fit(X, Y)
