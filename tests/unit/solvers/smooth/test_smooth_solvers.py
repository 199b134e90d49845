"""Every smooth solver reaches the same optimum, and says truly whether it did."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelproba.basis import span_rows
from kernelproba.kernels import RBF
from kernelproba.losses import loss_for
from kernelproba.objective import DenseMatrix, FactoredMatrix, KernelObjective, Objective
from kernelproba.penalties import Ridge
from kernelproba.rows.store import as_rows
from kernelproba.solvers import SOLVERS, irls
from kernelproba.solvers.conjugate_gradient import conjugate_gradient
from kernelproba.solvers.line_search import backtrack

every_solver = pytest.mark.parametrize("solve", SOLVERS.values(), ids=SOLVERS)


def problem(n_classes, C=3.0, fit_intercept=True, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 2))
    y = (X[:, 0] + 0.5 * rng.normal(size=90) > np.linspace(-1, 1, n_classes - 1)[:, None]).sum(axis=0)
    _, Phi = span_rows(RBF(1.0), X)
    loss = loss_for(n_classes)
    weights = C * rng.uniform(0.2, 2, size=90)
    return Objective(as_rows(Phi), y, weights, loss, Ridge(), loss.n_scores(n_classes), fit_intercept)


@every_solver
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_converged_solver_is_at_a_stationary_point(solve, n_classes, fit_intercept):
    J = problem(n_classes, fit_intercept=fit_intercept)
    solution = solve(J, J.start(), tol=1e-6, max_iter=500)
    assert solution.converged
    value, gradient = J.value_and_gradient(solution.coef)
    scale = np.sqrt((J.features.data**2).sum(axis=1).mean())
    W, _ = J.split(solution.coef)
    residual = scale * np.linalg.norm(gradient) / (1 + scale * np.linalg.norm(W))
    assert residual <= 1e-6
    assert solution.residual == pytest.approx(residual)
    assert solution.value == value


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("C", [0.01, 1.0, 1e3])
def test_all_solvers_agree(n_classes, C):
    J = problem(n_classes, C)
    scores = [J.scores(solve(J, J.start(), tol=1e-5, max_iter=2000).coef) for solve in SOLVERS.values()]
    for F in scores[1:]:
        F, first = (A - A.mean(axis=1, keepdims=True) * (n_classes > 2) for A in (F, scores[0]))
        assert_allclose(F, first, atol=1e-3 * (1 + np.abs(first).max()))


@every_solver
def test_the_residual_bounds_the_error_of_the_scores(solve):
    J = problem(3, fit_intercept=False)
    exact = SOLVERS["newton-cholesky"](J, J.start(), tol=1e-12, max_iter=100)
    rough = solve(J, J.start(), tol=1e-2, max_iter=500)
    norm = np.linalg.norm(rough.coef)
    assert np.abs(J.scores(rough.coef) - J.scores(exact.coef)).max() <= rough.residual * (1 + norm)


@every_solver
def test_a_solver_that_is_cut_short_says_so(solve):
    J = problem(3, C=1e3)
    solution = solve(J, J.start(), tol=1e-9, max_iter=2)
    assert not solution.converged
    assert solution.n_iter <= 2
    assert solution.residual > 1e-9


@every_solver
def test_starting_at_the_optimum_costs_nothing(solve):
    J = problem(3)
    solution = solve(J, J.start(), tol=1e-6, max_iter=500)
    again = solve(J, solution.coef, tol=1e-5, max_iter=500)
    assert again.converged
    assert again.n_iter <= 1


@every_solver
def test_a_tolerance_below_rounding_still_ends(solve):
    J = problem(2, C=1e6)
    assert np.isfinite(solve(J, J.start(), tol=1e-300, max_iter=3000).value)


def kernel_problem(n_classes, C=3.0, fit_intercept=True):
    J = problem(n_classes, C, fit_intercept)
    K = J.features.data @ J.features.data.T
    return J, KernelObjective(DenseMatrix(K), J.y, J.weights, J.loss, J.n_scores, fit_intercept)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.01, 3.0, 1e4])
def test_irls_finds_the_optimum_of_the_whitened_problem(n_classes, fit_intercept, C):
    J, dual = kernel_problem(n_classes, C, fit_intercept)
    solution = irls(dual, np.zeros((90 + fit_intercept, J.n_scores)), tol=1e-8, max_iter=200)
    assert solution.converged
    W = J.features.data.T @ solution.coef[:90]
    theta = np.vstack([W, solution.coef[90:]])
    value, gradient = J.value_and_gradient(theta)
    assert value == pytest.approx(solution.value, rel=1e-9)
    best = SOLVERS["newton-cholesky"](J, J.start(), tol=1e-10, max_iter=100)
    assert value <= best.value * (1 + 1e-12)
    scale = np.sqrt((J.features.data**2).sum(axis=1).mean())
    residual = scale * np.linalg.norm(gradient) / (1 + scale * np.linalg.norm(W))
    assert residual == pytest.approx(solution.residual, abs=1e-7)


def test_a_factored_matrix_multiplies_as_the_dense_one_does():
    Phi = np.random.default_rng(0).normal(size=(30, 4))
    dense, factored = DenseMatrix(Phi @ Phi.T), FactoredMatrix(Phi)
    for k in (1, 3):
        A = np.random.default_rng(k).normal(size=(30, k))
        assert_allclose(factored.product(A), dense.product(A))
    assert factored.mean_diagonal == pytest.approx(dense.mean_diagonal)


def test_irls_finds_coefficients_that_are_the_residuals():
    J, dual = kernel_problem(3)
    solution = irls(dual, np.zeros((91, 3)), tol=1e-10, max_iter=200)
    P = np.exp(J.loss.log_probabilities(dual.K.product(solution.coef[:90]) + solution.coef[90]))
    assert_allclose(solution.coef[:90], J.weights[:, None] * (np.eye(3)[J.y] - P), atol=1e-6)


def test_irls_resumes_and_is_cut_short():
    _, dual = kernel_problem(3, C=1e3)
    zero = np.zeros((91, 3))
    short = irls(dual, zero, tol=1e-9, max_iter=2)
    assert not short.converged
    done = irls(dual, zero, tol=1e-6, max_iter=200)
    assert irls(dual, done.coef, tol=1e-5, max_iter=200).n_iter == 0


def test_conjugate_gradients_solve_a_linear_system():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(12, 12))
    A = A @ A.T + np.eye(12)
    B = rng.normal(size=(12, 3))
    diagonal = A.diagonal()[:, None]
    for precondition in (np.copy, lambda R: R / diagonal):
        X = conjugate_gradient(lambda V: A @ V, B, rtol=1e-13, max_iter=200, precondition=precondition)
        assert_allclose(A @ X, B, atol=1e-9)


def test_no_step_is_taken_uphill():
    J = problem(2)
    theta = J.start()
    value, gradient = J.value_and_gradient(theta)
    assert backtrack(J, theta, value, gradient, gradient) is None


@pytest.mark.parametrize("C", [1e2, 1e6, 1e10, 1e12])
def test_irls_claims_no_optimum_of_a_singular_matrix_that_rounding_hides(C):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5)) * [1, 10, 100, 1e3, 1e-3]
    y = (X[:, 0] + rng.logistic(size=300) > 0).astype(int)
    weights, loss = np.full(300, C), loss_for(2)
    exact = Objective(as_rows(X), y, weights, loss, Ridge(), 1, True)
    F = exact.scores(SOLVERS["newton-cholesky"](exact, exact.start(), tol=1e-6, max_iter=200).coef)
    J = KernelObjective(DenseMatrix(X @ X.T), y, weights, loss, 1, True)
    solution = irls(J, np.zeros((301, 1)), tol=1e-2, max_iter=200)
    scores = X @ (X.T @ solution.coef[:300]) + solution.coef[300]
    wrong = np.abs(1 / (1 + np.exp(-scores)) - 1 / (1 + np.exp(-F))).max() > 0.02
    assert not (solution.converged and wrong)
