"""The objective and its losses, by finite differences and by definition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.special import expit, log_expit

from kernelproba import objective
from kernelproba.losses import Logistic, Softmax, logistic_terms, loss_for
from kernelproba.objective import Objective
from kernelproba.penalties import Ridge
from kernelproba.rows.store import as_rows


def problem(n_classes, fit_intercept=True, block_rows=None, dtype=np.float64):
    rng = np.random.default_rng(n_classes)
    Phi = rng.normal(size=(23, 4)).astype(dtype)
    loss = loss_for(n_classes)
    return Objective(
        as_rows(Phi, block_rows=block_rows),
        rng.integers(n_classes, size=23),
        rng.uniform(0.5, 3, size=23),
        loss,
        Ridge(0.7),
        loss.n_scores(n_classes),
        fit_intercept,
    )


def point(objective, seed=1):
    return np.random.default_rng(seed).normal(size=objective.shape)


cases = pytest.mark.parametrize(
    ("n_classes", "fit_intercept"), [(2, True), (2, False), (3, True), (5, True), (4, False)]
)


@cases
def test_the_gradient_is_the_derivative_of_the_value(n_classes, fit_intercept):
    J = problem(n_classes, fit_intercept)
    theta = point(J)
    numeric = approx_fprime(theta.ravel(), lambda v: J.value_and_gradient(v.reshape(J.shape))[0], 1e-7)
    assert_allclose(J.value_and_gradient(theta)[1].ravel(), numeric, atol=2e-5)


@cases
def test_a_hessian_product_is_the_derivative_of_the_gradient(n_classes, fit_intercept):
    J = problem(n_classes, fit_intercept)
    theta, V, h = point(J), point(J, 2), 1e-6
    numeric = (J.value_and_gradient(theta + h * V)[1] - J.value_and_gradient(theta - h * V)[1]) / (2 * h)
    assert_allclose(J.hessian_product(J.curvature(theta), V), numeric, atol=1e-6)


@cases
def test_the_hessian_matrix_agrees_with_its_products(n_classes, fit_intercept):
    J = problem(n_classes, fit_intercept)
    theta, V = point(J), point(J, 2)
    state = J.curvature(theta)
    product = (J.hessian(state) @ V.T.ravel()).reshape(V.T.shape).T
    assert_allclose(product, J.hessian_product(state, V), atol=1e-10)


@cases
def test_blocks_of_rows_give_what_all_rows_give(n_classes, fit_intercept):
    whole, blocked = (problem(n_classes, fit_intercept, block_rows=b) for b in (None, 5))
    theta, V = point(whole), point(whole, 2)
    assert_allclose(blocked.scores(theta), whole.scores(theta))
    for a, b in zip(blocked.value_and_gradient(theta), whole.value_and_gradient(theta), strict=True):
        assert_allclose(a, b)
    state = whole.curvature(theta)
    assert_allclose(blocked.hessian_product(state, V), whole.hessian_product(state, V))
    assert_allclose(blocked.gram(whole.weights), whole.gram(whole.weights))
    assert blocked.gradient_noise(theta) == pytest.approx(whole.gradient_noise(theta))


def test_single_precision_features_give_double_precision_sums():
    J = problem(3, dtype=np.float32)
    value, gradient = J.value_and_gradient(point(J))
    assert isinstance(value, float)
    assert gradient.dtype == np.float64


@pytest.mark.parametrize("loss", [Logistic(), Softmax()])
def test_extreme_scores_lose_no_digits(loss):
    F = np.array([[800.0]]) if isinstance(loss, Logistic) else np.array([[0.0, 800.0]])
    right, wrong = (loss.value_and_gradient(F, np.array([y]), np.ones(1)) for y in (1, 0))
    assert right[0] == 0
    assert wrong[0] == pytest.approx(800)
    log_p = loss.log_probabilities(F)
    assert_allclose(log_p, [[-800.0, 0.0]])
    # p_1 rounds to one at a score of 40, but its gradient must not round to zero
    nearly = F / 20
    _, gradient = loss.value_and_gradient(nearly, np.array([1]), np.ones(1))
    assert -gradient[0, -1] == pytest.approx(np.exp(-40), rel=1e-6)


def test_the_curvature_never_exceeds_its_bound():
    rng = np.random.default_rng(0)
    for loss, k in ((Logistic(), 1), (Softmax(), 4)):
        F, V = 3 * rng.normal(size=(50, k)), rng.normal(size=(50, k))
        quadratic = (V * loss.curvature_product(loss.curvature(F), V)).sum(axis=1)
        assert (quadratic <= loss.curvature_bound * (V**2).sum(axis=1) + 1e-12).all()


def test_the_logistic_loss_refuses_three_classes():
    with pytest.raises(ValueError, match="2 classes, got 3"):
        Logistic().n_scores(3)


def test_terms_of_the_logistic_loss_keep_their_digits_at_every_score():
    z = np.array([-1e308, -800.0, -40.0, -1e-9, 0.0, 1e-9, 3.0, 40.0, 700.0, 1e308])
    loss, slope, curvature = logistic_terms(z)
    assert_allclose(loss, -log_expit(z), rtol=1e-13)
    assert_allclose(slope, -expit(-z), rtol=1e-13)
    assert_allclose(curvature, expit(z) * expit(-z), rtol=1e-13)


@pytest.mark.parametrize(("loss", "k"), [(Logistic(), 1), (Softmax(), 2), (Softmax(), 5)])
@pytest.mark.parametrize("size", [0.0, 1.0, 50.0])
def test_the_terms_of_the_curvature_add_up_to_it(loss, k, size):
    rng = np.random.default_rng(0)
    state, V = loss.curvature(size * rng.standard_normal((30, k))), rng.standard_normal((30, k))
    row, U, bend = loss.curvature_terms(state)
    total = np.zeros_like(V)
    np.add.at(total, row, U * (bend * np.einsum("ak,ak->a", U, V[row]))[:, None])
    np.testing.assert_allclose(total, loss.curvature_product(state, V), atol=1e-12)


@pytest.mark.parametrize("k", [2, 5])
def test_rows_in_parts_have_the_sums_of_the_whole(k, monkeypatch):
    """So small that BLAS copies no operand, where its kernels can do that."""
    rng = np.random.default_rng(0)
    Phi, theta, y = rng.standard_normal((500, 20)), rng.standard_normal((21, k)), rng.integers(0, k, 500)
    block, weights = objective.LinearScores(Softmax(), True), rng.random(500)
    state = rng.dirichlet(np.ones(k), size=500)
    monkeypatch.setattr(objective, "FEW_SCORES", 0)
    value, gradient = block.value_and_gradient(Phi, y, weights, theta)
    product = block.hessian_product(Phi, state, weights, theta)
    monkeypatch.setattr(objective, "FEW_SCORES", 8)
    monkeypatch.setattr(objective, "SMALL_PRODUCT", 70 * 20 * k)
    monkeypatch.setattr(objective, "multiplies_in_place", lambda: True)
    in_parts = block.value_and_gradient(Phi, y, weights, theta)
    assert in_parts[0] == pytest.approx(value, rel=1e-13)
    np.testing.assert_allclose(in_parts[1], gradient, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(
        block.hessian_product(Phi, state, weights, theta), product, rtol=1e-10, atol=1e-10
    )
