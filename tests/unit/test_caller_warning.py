"""Warnings name the line of the user."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from kernelproba import KernelLogisticRegression, RelevanceVectorClassifier

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    "model",
    [
        KernelLogisticRegression(max_iter=1, tol=1e-9),
        KernelLogisticRegression(max_iter=1, tol=1e-9, multi_class="pairwise"),
        RelevanceVectorClassifier(max_iter=1),
        GridSearchCV(KernelLogisticRegression(max_iter=1, tol=1e-9), {"C": [1.0]}, cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_warning_deep_inside_a_fit_names_the_line_that_called_it(model):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, Y)
    assert caught
    assert {warning.filename for warning in caught} == {__file__}
    assert {warning.category for warning in caught} == {ConvergenceWarning}


def test_a_warning_of_a_callback_of_the_user_stays_with_the_user():
    def kernel(A, B):
        return np.exp(-((A[:, None] - B) ** 2).sum(axis=2))

    with pytest.warns(ConvergenceWarning) as caught:
        KernelLogisticRegression(kernel=kernel, max_iter=1, tol=1e-9).fit(X, Y)
    assert caught[0].filename == __file__
