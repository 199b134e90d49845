"""One kernel matrix serves the fit to all rows and the fits without some of them."""

import numpy as np
import pytest
from sklearn.base import clone

from kernelproba import KernelLogisticRegression
from kernelproba.estimators.kernel_logistic import exact
from kernelproba.estimators.kernel_logistic.refit import RowFits
from kernelproba.solvers.smooth import growing_subspace

MODEL = KernelLogisticRegression(3.0, gamma=0.3, n_centers=None, tol=1e-6)


@pytest.fixture(scope="module", params=[2, 3])
def problem(request):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    F = np.stack([np.sin(2 * X[:, 0]), X[:, 1], np.zeros(300)], axis=1)[:, : request.param]
    y = np.array(list("abc"))[(F + rng.gumbel(size=F.shape)).argmax(axis=1)]
    return X, y, rng.integers(0, 3, 300).astype(float)  # some rows carry no weight


def test_the_fit_to_all_rows_is_that_of_the_estimator(problem):
    X, y, weight = problem
    found = RowFits(clone(MODEL), X, y, weight).to_all()
    expected = clone(MODEL).fit(X, y, weight)
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-12)
    np.testing.assert_array_equal(found.support_, expected.support_)


def test_a_fit_without_rows_is_that_to_the_others_and_knows_their_scores(problem):
    X, y, weight = problem
    left_out = np.arange(300) % 4 == 1
    fits = RowFits(clone(MODEL), X, y, weight)
    (found,) = fits.without_each(fits.to_all(), [left_out])
    expected = clone(MODEL).fit(X[~left_out], y[~left_out], weight[~left_out])
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-5)
    scores = found.decision_function(X[weight > 0]).reshape(len(X[weight > 0]), -1)
    known = fits.scores(found)
    if known.shape[1] == 1:
        np.testing.assert_allclose(known, scores, atol=1e-9)
    else:
        np.testing.assert_allclose(known - known.mean(axis=1, keepdims=True), scores, atol=1e-9)


def test_folds_of_many_rows_are_fitted_in_step_as_one_by_one(problem, monkeypatch):
    X, y, weight = problem
    monkeypatch.setattr(exact, "BINARY_ROWS", 100)
    monkeypatch.setattr(growing_subspace, "FEWEST_ROWS", 100)
    monkeypatch.setattr(exact, "fit_function", None)  # what each of them would be fitted by
    masks = [np.arange(300) % 3 == k for k in range(3)]
    fits = RowFits(clone(MODEL), X, y, weight)
    for mask, found in zip(masks, fits.without_each(fits.to_all(), masks), strict=True):
        expected = clone(MODEL).set_params(solver="newton-cg").fit(X[~mask], y[~mask], weight[~mask])
        np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-5)
