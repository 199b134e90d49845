"""Newton–Raphson with the full Hessian: optimality, both stopping rules, and bad scales."""

import importlib

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelproba.losses import loss_for
from kernelproba.objective import Objective
from kernelproba.penalties import Ridge
from kernelproba.rows.store import as_rows
from kernelproba.solvers.smooth.newton_cholesky import newton_cholesky, newton_decrement, solve_semidefinite

newton = importlib.import_module("kernelproba.solvers.smooth.newton_cholesky")


def make_objective(c, *, strength=1.0, weight=1.0, scale=1.0, fit_intercept=True):
    rng = np.random.default_rng(c)
    Phi = rng.normal(size=(80, 3))
    y = (Phi @ rng.normal(size=(3, c)) + rng.gumbel(size=(80, c))).argmax(axis=1)
    loss = loss_for(c)
    weights = weight * rng.uniform(0.5, 2, size=80)
    rows = as_rows(Phi * scale)
    return Objective(rows, y, weights, loss, Ridge(strength), loss.n_scores(c), fit_intercept)


def solve(objective, solver=newton_decrement, tol=1e-9, max_iter=50):
    return solver(objective, objective.start(), tol=tol, max_iter=max_iter)


@pytest.mark.parametrize("solver", [newton_cholesky, newton_decrement])
@pytest.mark.parametrize("c", [2, 4])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_gradient_vanishes_at_the_solution(solver, c, fit_intercept):
    objective = make_objective(c, fit_intercept=fit_intercept)
    solution = solve(objective, solver)
    assert solution.converged
    assert solution.residual <= 1e-9
    assert_allclose(objective.value_and_gradient(solution.coef)[1], 0, atol=1e-6)


@pytest.mark.parametrize("c", [2, 3])
def test_the_hessian_is_the_derivative_of_the_gradient(c):
    objective = make_objective(c, strength=0.3)
    theta = np.random.default_rng(0).normal(size=objective.shape)
    H = objective.hessian(objective.curvature(theta))
    step = 1e-6
    columns = []
    for j in range(theta.size):
        shift = step * np.eye(theta.size)[j].reshape(theta.T.shape).T
        up, down = (objective.value_and_gradient(theta + s * shift)[1] for s in (1, -1))
        columns.append(((up - down) / (2 * step)).T.ravel())
    assert_allclose(H, np.array(columns).T, atol=1e-6)


def test_the_decrement_is_the_length_of_the_next_step_in_the_metric_of_the_hessian():
    objective = make_objective(2)
    solution = solve(objective, tol=1e-30, max_iter=1)
    theta = solution.coef
    g = objective.value_and_gradient(theta)[1].T.ravel()
    H = objective.hessian(objective.curvature(theta))
    expected = np.sqrt(g @ np.linalg.solve(H, g) / objective.weights.mean())
    assert solution.residual == pytest.approx(expected)
    assert not solution.converged


@pytest.mark.parametrize("c", [2, 3])
def test_the_scale_of_features_does_not_change_the_steps_of_maximum_likelihood(c):
    scale = np.array([1e7, 1.0, 1e-7])
    plain = solve(make_objective(c, strength=0.0))
    scaled = solve(make_objective(c, strength=0.0, scale=scale))
    W, V = plain.coef[:-1], scaled.coef[:-1] * scale[:, None]
    assert scaled.n_iter == plain.n_iter
    assert_allclose(V, W, rtol=1e-6)


def test_the_scale_of_weights_does_not_change_the_steps_of_maximum_likelihood():
    plain = solve(make_objective(2, strength=0.0))
    light = solve(make_objective(2, strength=0.0, weight=1e-12))
    assert light.n_iter == plain.n_iter
    assert_allclose(light.coef, plain.coef, rtol=1e-8)


def test_a_tolerance_below_rounding_still_converges():
    solution = solve(make_objective(3), tol=1e-300)
    assert solution.converged
    assert solution.n_iter < 20


def test_running_out_of_iterations_is_told():
    solution = solve(make_objective(3), max_iter=1)
    assert not solution.converged
    assert solution.n_iter == 1
    assert solution.residual > 1e-9


def test_a_semidefinite_system_is_solved_in_its_range():
    A = np.random.default_rng(0).normal(size=(6, 4)) * np.array([1e6, 1.0, 1e-6, 1.0])
    A[:, 3] = A[:, 1]
    H, truth = A.T @ A, np.array([1e-6, 1.0, 1e6, 1.0])
    rhs = np.column_stack([H @ truth, 2 * (H @ truth)])
    assert_allclose(H @ solve_semidefinite(H, rhs), rhs, rtol=1e-6)
    x = solve_semidefinite(H, rhs[:, 0])
    assert_allclose([x[0], x[1] + x[3], x[2]], [1e-6, 2.0, 1e6], rtol=1e-6)


def test_a_start_in_another_gauge_leads_to_the_same_solution():
    objective = make_objective(3)
    start = np.random.default_rng(0).normal(size=objective.shape) + 5
    solution = newton_decrement(objective, start, tol=1e-9, max_iter=50)
    assert_allclose(solution.coef, solve(objective).coef, atol=1e-8)
    assert_allclose(solution.coef.sum(axis=1), 0, atol=1e-12)


def test_steps_without_curvature_end_the_fit_unconverged(monkeypatch):
    objective, counts = make_objective(4), []

    def ridge_alone(H, rhs):
        counts.append(len(H))
        return rhs / (1e3 * np.trace(H))

    monkeypatch.setattr(newton, "solve_semidefinite", ridge_alone)
    solution = solve(objective, newton_cholesky, max_iter=500)
    assert not solution.converged
    assert len(counts) == newton.MOST_DAMPED_STEPS
