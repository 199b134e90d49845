"""Softmax fits in growing subspaces find the minimum that conjugate gradients find, by fewer products."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelproba.kernels import RBF, kernel_matrix
from kernelproba.losses import Logistic, Softmax
from kernelproba.objective import DenseMatrix, FactoredMatrix, KernelObjective
from kernelproba.solvers.smooth import growing_subspace as module
from kernelproba.solvers.smooth.growing_subspace import Subspace, growing_subspace, growing_subspaces, room
from kernelproba.solvers.smooth.irls import Coefficients, irls


class CountedMatrix(DenseMatrix):
    """Counts its products."""

    n_products = 0

    def product(self, A):
        self.n_products += 1
        return super().product(A)


@pytest.fixture(autouse=True)
def few_rows_suffice(monkeypatch):
    monkeypatch.setattr(module, "FEWEST_ROWS", 50)


def problem(n=240, k=4, weight=30.0, dtype=np.float64, fit_intercept=True):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    y = (X[:, :k] + 0.8 * rng.normal(size=(n, k))).argmax(axis=1)
    K = CountedMatrix(kernel_matrix(RBF(2.0), X).astype(dtype))
    return KernelObjective(K, y, weight * rng.uniform(0.2, 2, size=n), Softmax(), k, fit_intercept)


def zeros(J):
    return np.zeros((len(J.y) + J.fit_intercept, J.n_scores))


def residual(J, coef):
    """√k̄ ‖∇J‖ / (1 + √k̄ ‖f‖) in double precision, nothing being remembered."""
    n, K = len(J.y), J.K.K.astype(np.float64)
    A, b = coef[:n], coef[n] if J.fit_intercept else 0.0
    _, G = J.loss.value_and_gradient(K @ A + b, J.y, J.weights)
    gradient = A + G
    return np.sqrt(np.vdot(gradient, K @ gradient)) / (1 + np.sqrt(np.vdot(A, K @ A)))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weight", [0.1, 30.0, 1e4])
def test_it_ends_where_conjugate_gradients_end(weight, fit_intercept):
    J = problem(weight=weight, fit_intercept=fit_intercept)
    found = growing_subspace(J, zeros(J), tol=1e-7, max_iter=200)
    expected = irls(J, zeros(J), tol=1e-7, max_iter=200)
    assert found.converged
    assert found.value == pytest.approx(expected.value, rel=1e-9)
    assert residual(J, found.coef) <= 1.01e-7
    assert_allclose(J.K.K @ found.coef[:240], found.values, atol=1e-8)


@pytest.mark.parametrize(("weight", "tol"), [(1.0, 1e-4), (30.0, 1e-2)])
def test_the_residual_is_true_in_single_precision(weight, tol):
    J = problem(weight=weight, dtype=np.float32)
    found = growing_subspace(J, zeros(J), tol=tol, max_iter=100)
    assert found.converged
    assert residual(J, found.coef) <= 1.1 * tol


def test_no_residual_is_claimed_that_rounding_hides():
    J = problem(n=1000, weight=300.0, dtype=np.float32)
    found = growing_subspace(J, zeros(J), tol=1e-4, max_iter=100)
    assert not found.converged
    assert found.residual == pytest.approx(residual(J, found.coef), rel=0.5)


def test_it_takes_less_than_half_of_the_products():
    J = problem()
    growing_subspace(J, zeros(J), tol=1e-3, max_iter=100)
    spent, J.K.n_products = J.K.n_products, 0
    irls(J, zeros(J), tol=1e-3, max_iter=100)
    assert spent < 0.5 * J.K.n_products


def test_a_start_at_the_minimum_is_left_at_once():
    J = problem()
    found = growing_subspace(J, zeros(J), tol=1e-6, max_iter=100)
    again = growing_subspace(J, found.coef, tol=1e-5, max_iter=100)
    assert again.n_iter == 0
    assert_allclose(again.coef, found.coef, atol=1e-6)


def test_conjugate_gradients_go_on_where_room_runs_out(monkeypatch):
    J = problem()
    monkeypatch.setattr(module, "FEW_FUNCTIONS", 32)
    cut = growing_subspace(J, zeros(J), tol=1e-6, max_iter=100)
    assert not cut.converged
    assert cut.n_iter > 5
    found = irls(J, cut, tol=1e-6, max_iter=100)
    assert found.converged
    assert found.value < cut.value


def test_it_stops_after_so_many_subspaces():
    J = problem()
    found = growing_subspace(J, zeros(J), tol=1e-6, max_iter=3)
    assert found.n_iter == 3
    assert not found.converged


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_are_orthonormal_and_none_is_added_twice(dtype):
    rng = np.random.default_rng(0)
    B = rng.normal(size=(50, 50))
    K = B @ B.T / 50
    A = rng.normal(size=(50, 3))
    A[:, 2] = -A[:, 0] - A[:, 1]  # as gradients of a softmax sum to zero
    subspace = Subspace(50, 20, np.dtype(dtype))
    assert subspace.extend(Coefficients(A, K @ A))
    assert subspace.size == 2
    more = rng.normal(size=(50, 3))
    more[:, 1] = 0.0
    assert subspace.extend(Coefficients(more, K @ more))
    assert subspace.size == 4
    eye = np.eye(4)
    tolerance = 1e-4 if dtype == np.float32 else 1e-12
    assert_allclose(subspace.products(subspace.coefficients(eye)), eye, atol=tolerance)
    assert_allclose(subspace.values(eye), K @ subspace.coefficients(eye), atol=tolerance)
    assert not subspace.extend(Coefficients(np.zeros((50, 3)), np.zeros((50, 3))))
    assert subspace.size == 4


def test_there_is_room_for_dense_matrices_of_several_classes_and_many_rows_alone():
    J = problem()
    assert room(J) >= 8 * J.n_scores
    few = problem(n=40)
    factored = KernelObjective(FactoredMatrix(np.ones((240, 2))), J.y, J.weights, J.loss, 4)
    binary = KernelObjective(J.K, J.y > 1, J.weights, Logistic(), 1)
    many = KernelObjective(J.K, J.y, J.weights, J.loss, 100)
    assert room(few) == room(factored) == room(binary) == room(many) == 0


def test_fits_in_step_are_those_one_by_one_by_as_many_products_as_the_longest():
    J = problem()
    fold = np.arange(240) % 4
    objectives = [replace(J, weights=np.where(fold == k, 0.0, J.weights)) for k in range(4)]
    alone, products = [], []
    for each in objectives:
        before = J.K.n_products
        alone.append(growing_subspace(each, zeros(J), tol=1e-6, max_iter=100))
        products.append(J.K.n_products - before)
    before = J.K.n_products
    found = growing_subspaces(objectives, [zeros(J)] * 4, tol=1e-6, max_iter=100)
    assert J.K.n_products - before <= max(products) + 1
    for one, other in zip(found, alone, strict=True):
        assert one.converged
        assert one.value == pytest.approx(other.value, rel=1e-10)
        assert_allclose(one.values, other.values, atol=1e-4)
