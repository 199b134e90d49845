"""`coef_` of models with a linear kernel, and who reads it."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from kernelproba import (
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    LinearProgrammingMachine,
    LinearProgrammingMachineCV,
    RelevanceVectorClassifier,
    SparseKernelLogisticRegression,
    SparseKernelLogisticRegressionCV,
)
from kernelproba.kernels import Linear

X, Y = load_iris(return_X_y=True)
LINEAR = [
    KernelLogisticRegression(kernel="linear"),
    KernelLogisticRegression(kernel=2 * Linear(), solver="irls"),
    KernelLogisticRegression(kernel="linear", n_centers=5, random_state=0),
    KernelLogisticRegressionCV(kernel="linear"),
    KernelLogisticRegressionCV(kernel="linear", scale=None),
    SparseKernelLogisticRegression(kernel="linear", tol=1e-6),
    SparseKernelLogisticRegressionCV(kernel="linear", Cs=3, cv=3),
    LinearProgrammingMachine(kernel="linear"),
    LinearProgrammingMachineCV(kernel="linear", Cs=[1.0, 10.0], cv=3),
]
every_model = pytest.mark.parametrize("model", LINEAR, ids=repr)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@every_model
@pytest.mark.parametrize("rows", [X, sp.csr_array(X)], ids=["dense", "sparse"])
@pytest.mark.parametrize("y", [Y, (Y == 1).astype(int)], ids=["three classes", "two classes"])
def test_scores_are_linear_in_the_features(model, rows, y):
    model.fit(rows, y)
    F = model.decision_function(rows).reshape(len(y), -1)
    assert model.coef_.shape == (F.shape[1], 4)
    assert_allclose(rows @ model.coef_.T + model.intercept_, F, atol=1e-9 * (1 + np.abs(F).max()))


def test_the_coefficients_are_those_of_logistic_regression():
    ours = KernelLogisticRegression(0.5, kernel="linear", tol=1e-8).fit(X, Y)
    theirs = LogisticRegression(C=0.5, tol=1e-8, max_iter=1000).fit(X, Y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert_allclose(ours.intercept_, theirs.intercept_ - theirs.intercept_.mean(), atol=1e-4)


def test_pairs_have_the_shape_and_the_signs_of_svc():
    ours = KernelLogisticRegression(10.0, kernel="linear", multi_class="pairwise").fit(X, Y)
    theirs = SVC(kernel="linear").fit(X, Y)
    assert ours.coef_.shape == theirs.coef_.shape
    assert_allclose(X @ ours.coef_.T + ours.intercept_, ours.pairwise_decision_function(X), atol=1e-9)
    assert (np.einsum("ij,ij->i", ours.coef_, theirs.coef_) > 0).all()


def test_each_problem_of_relevance_vectors_has_its_coefficients():
    model = RelevanceVectorClassifier(kernel="linear", fit_intercept=True).fit(X, Y)
    (expansion,) = model.kernel_expansions()
    assert_allclose(X @ model.coef_.T + model.intercept_, expansion.scores(X), atol=1e-9)


@every_model
def test_feature_selection_finds_the_column_that_matters(model):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 4))
    y = (rows[:, 2] + 0.3 * rng.normal(size=80) > 0).astype(int)
    assert RFE(model, n_features_to_select=1).fit(rows, y).support_.tolist() == [False, False, True, False]
    assert SelectFromModel(model, max_features=1, threshold=-np.inf).fit(rows, y).get_support()[2]


@pytest.mark.parametrize(
    "model",
    [
        KernelLogisticRegression(),
        KernelLogisticRegressionCV(kernel="linear", scale="squashed"),
        KernelLogisticRegressionCV([1.0], [0.1]),
        SparseKernelLogisticRegressionCV(Cs=2, cv=3),
        LinearProgrammingMachine(),
    ],
    ids=repr,
)
def test_other_kernels_have_no_coefficients_and_say_what_to_do(model):
    assert not hasattr(model, "coef_")
    with pytest.raises(NotFittedError):
        model.coef_  # noqa: B018
    model.fit(X, Y)
    assert not hasattr(model, "coef_")
    with pytest.raises(AttributeError, match="permutation_importance"):
        model.coef_  # noqa: B018


def test_a_precomputed_matrix_has_no_features():
    model = KernelLogisticRegression(kernel="precomputed").fit(X @ X.T, Y)
    assert not hasattr(model, "coef_")
