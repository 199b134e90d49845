"""The order of the columns decides nothing."""

import numpy as np
import pytest
import scipy.sparse as sp
from common.instances import INSTANCES
from common.problems import THREE_CLASSES
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from kernelproba import LinearProgrammingMachine, MaximumContrastClassifier
from kernelproba.rows.duplicates import Duplicates
from kernelproba.rows.row_hash import unordered_keys

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
CLASSIFIERS = [
    each for each in INSTANCES if is_classifier(each) and getattr(each, "kernel", None) != "precomputed"
]


@pytest.mark.parametrize("instance", CLASSIFIERS, ids=repr)
def test_permuted_features_give_the_same_probabilities(instance):
    problem = THREE_CLASSES.for_model(instance)
    order = np.random.default_rng(0).permutation(problem.X.shape[1])
    model, other = clone(instance), clone(instance)
    for each in (model, other):
        if "random_state" in each.get_params(deep=False):
            each.set_params(random_state=0)
    P = model.fit(problem.X, problem.y).predict_proba(problem.query)
    Q = other.fit(problem.X[:, order], problem.y).predict_proba(problem.query[:, order])
    assert_allclose(Q, P, atol=1e-5)


@pytest.mark.parametrize(
    "model", [LinearProgrammingMachine(10.0), MaximumContrastClassifier(calibration_cv=5)]
)
def test_calibrated_scores_of_wine_do_not_depend_on_the_order_of_its_columns(model):
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    P = model.fit(X, y).predict_proba(X)
    assert_allclose(model.fit(X[:, ::-1], y).predict_proba(X[:, ::-1]), P, atol=1e-5)


def test_keys_follow_the_rows_through_any_order_of_rows_and_columns():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, size=(40, 9)).astype(float), rng.integers(0, 2, size=40)
    copies = Duplicates.of(X, y)
    X, y = X[copies.first], y[copies.first]
    rows, columns = rng.permutation(len(y)), rng.permutation(9)
    keys = unordered_keys(X, y)
    assert len(np.unique(keys)) == len(keys)
    assert_array_equal(unordered_keys(X[rows][:, columns], y[rows]), keys[rows])
    assert_array_equal(unordered_keys(sp.csr_array(X), y), keys)


def test_rows_that_a_symmetry_exchanges_have_keys_of_their_own():
    assert len(np.unique(unordered_keys(np.eye(6), np.zeros(6, dtype=int)))) == 6
