"""Coefficients, probabilities and standard errors against scikit-learn and statsmodels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import PolynomialFeatures

from kernelproba.estimators.basis_logistic.estimator import BasisLogisticRegression
from kernelproba.estimators.basis_logistic.expansion import BasisExpansion


def draw(c, n=300):
    rng = np.random.default_rng(c)
    X = rng.normal(size=(n, 3))
    y = (X @ rng.normal(size=(3, c)) + rng.gumbel(size=(n, c))).argmax(axis=1)
    return X, y, rng.uniform(0.5, 3, size=n)


@pytest.mark.parametrize("c", [2, 3, 5])
@pytest.mark.parametrize("C", [0.1, 10.0, np.inf])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_passthrough_is_scikit_learns_logistic_regression(c, C, weighted, fit_intercept):
    X, y, weight = draw(c)
    weight = weight if weighted else None
    ours = BasisLogisticRegression(C, expansion="passthrough", fit_intercept=fit_intercept, tol=1e-9)
    ours.fit(X, y, sample_weight=weight)
    # C = 1e12 is no penalty to all digits that lbfgs can give.
    theirs = LogisticRegression(C=min(C, 1e12), fit_intercept=fit_intercept, tol=1e-12, max_iter=10_000)
    theirs.fit(X, y, sample_weight=weight)
    gauge = theirs.coef_.mean(axis=0) if c > 2 else 0.0
    assert_allclose(ours.coef_, theirs.coef_ - gauge, atol=2e-5)
    intercept = theirs.intercept_ - (theirs.intercept_.mean() if c > 2 else 0.0)
    assert_allclose(ours.intercept_, intercept, atol=2e-5)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("c", [2, 3])
def test_gaussian_basis_functions_are_scikit_learns_rbf_features(c):
    X, y, _ = draw(c)
    centers = X[:6]
    expansion = BasisExpansion(centers=centers, width=1.5)
    Phi = rbf_kernel(X, centers, gamma=1 / (2 * 1.5**2))
    ours = BasisLogisticRegression(10.0, expansion=expansion, tol=1e-9).fit(X, y)
    theirs = LogisticRegression(C=10.0, tol=1e-12, max_iter=10_000).fit(Phi, y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(Phi), atol=1e-6)


def test_polynomials_are_scikit_learns():
    X, _, _ = draw(2)
    ours = BasisExpansion("polynomial", degree=3).fit_transform(X)
    assert_allclose(ours, PolynomialFeatures(3, include_bias=False).fit_transform(X))


def test_binary_standard_errors_are_those_of_statsmodels():
    api = pytest.importorskip("statsmodels.api")
    X, y, _ = draw(2)
    ours = BasisLogisticRegression(np.inf, expansion="passthrough", tol=1e-9).fit(X, y)
    theirs = api.Logit(y, np.column_stack([X, np.ones(len(X))])).fit(disp=0, tol=1e-12)
    assert_allclose(ours.covariance_, theirs.cov_params(), rtol=1e-6)
    table = ours.summary()
    assert_allclose(table.coef, theirs.params, rtol=1e-6)
    assert_allclose(table.std_err, theirs.bse, rtol=1e-6)
    assert_allclose(table.p_value, theirs.pvalues, rtol=1e-5)
    assert_allclose(table[["ci_lower", "ci_upper"]], theirs.conf_int(), rtol=1e-6)
    assert ours.log_likelihood_ == pytest.approx(theirs.llf)


def test_weighted_standard_errors_are_those_of_statsmodels_with_frequency_weights():
    api = pytest.importorskip("statsmodels.api")
    X, y, weight = draw(2)
    ours = BasisLogisticRegression(np.inf, expansion="passthrough", tol=1e-9).fit(X, y, sample_weight=weight)
    design = np.column_stack([X, np.ones(len(X))])
    theirs = api.GLM(y, design, family=api.families.Binomial(), freq_weights=weight).fit(tol=1e-12)
    assert_allclose(ours.covariance_, theirs.cov_params(), rtol=1e-6)


def test_multinomial_contrasts_with_a_reference_class_are_those_of_statsmodels():
    """Differences between classes do not depend on the gauge."""
    api = pytest.importorskip("statsmodels.api")
    X, y, _ = draw(4)
    ours = BasisLogisticRegression(np.inf, expansion="passthrough", tol=1e-9).fit(X, y)
    theirs = api.MNLogit(y, np.column_stack([X, np.ones(len(X))])).fit(disp=0, tol=1e-12)
    theta = np.hstack([ours.coef_, ours.intercept_[:, None]])
    assert_allclose(theta[1:] - theta[0], theirs.params.T, rtol=1e-5)
    minus_first = np.kron(np.hstack([-np.ones((3, 1)), np.eye(3)]), np.eye(4))
    covariance = minus_first @ ours.covariance_ @ minus_first.T
    assert_allclose(covariance, theirs.cov_params(), rtol=1e-5, atol=1e-9)
    assert_allclose(np.sqrt(covariance.diagonal()).reshape(3, 4), theirs.bse.T, rtol=1e-6)
