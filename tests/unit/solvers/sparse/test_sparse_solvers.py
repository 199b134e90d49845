"""Solvers of sparse kernel models: optimality, agreement, descent and the null model."""

from dataclasses import replace
from functools import cache
from importlib import import_module

import numpy as np
import pytest

from kernelproba.basis import columns as columns_module
from kernelproba.basis.columns import KernelColumns
from kernelproba.kernels import RBF
from kernelproba.losses import loss_for
from kernelproba.penalties import GroupLasso, Lasso
from kernelproba.solvers.sparse import SPARSE_SOLVERS
from kernelproba.solvers.sparse import quadratic_model as penalised_model
from kernelproba.solvers.sparse.objective import SparseObjective

#: The package exports functions of the same names.
working_set_module = import_module("kernelproba.solvers.sparse.working_set")
bound_module = import_module("kernelproba.solvers.sparse.bound_optimisation")
PENALTIES = {"l1": Lasso(), "group": GroupLasso()}


def problem(penalty="l1", *, C=2.0, n=30, n_classes=3, fit_intercept=True):
    rng = np.random.default_rng(0)
    y = np.arange(n) % n_classes
    X = rng.standard_normal((n, 2)) + 2 * np.column_stack([y == 0, y == 1])
    loss = loss_for(n_classes)
    weights = C * rng.uniform(0.5, 2.0, n)
    kernel = KernelColumns(RBF(1.5), X)
    return SparseObjective(
        kernel, y, weights, loss, PENALTIES[penalty], loss.n_scores(n_classes), fit_intercept
    )


@cache
def solved(solver, penalty, n_classes, fit_intercept):
    objective = problem(penalty, n_classes=n_classes, fit_intercept=fit_intercept)
    return SPARSE_SOLVERS[solver](objective, objective.null_model(), tol=2e-4, max_iter=20_000)


def kkt_residual(objective, theta):
    """The optimality conditions, written out from scores alone."""
    n = len(objective.columns)
    K = objective.columns.take(np.arange(n))
    F = K @ theta[:n] + (theta[n] if objective.fit_intercept else 0.0)
    _, G = objective.loss.value_and_gradient(F, objective.y, objective.weights)
    D, W = K.T @ G, theta[:n]
    if isinstance(objective.penalty, Lasso):
        rows = np.where(W != 0, np.abs(D + np.sign(W)), np.maximum(np.abs(D) - 1, 0)).max(axis=1)
    else:
        norm = np.linalg.norm(W, axis=1)
        on = np.linalg.norm(D + W / np.where(norm, norm, 1.0)[:, None], axis=1)
        rows = np.where(norm > 0, on, np.maximum(np.linalg.norm(D, axis=1) - 1, 0))
    return max(rows.max(), np.abs(G.sum(axis=0)).max() if objective.fit_intercept else 0.0)


CASES = [("l1", 3, True), ("group", 3, True), ("l1", 2, True), ("l1", 3, False)]


@pytest.mark.parametrize("solver", SPARSE_SOLVERS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_solver_meets_the_optimality_conditions(solver, case):
    solution = solved(solver, *case)
    objective = problem(case[0], n_classes=case[1], fit_intercept=case[2])
    assert solution.converged
    assert kkt_residual(objective, solution.coef) <= 2.01e-4


@pytest.mark.parametrize("solver", SPARSE_SOLVERS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_kernel_that_is_zero_throughout_leaves_the_null_model(solver, case):
    objective = problem(case[0], n_classes=case[1], fit_intercept=case[2])
    nothing = replace(objective, columns=KernelColumns(0.0 * RBF(1.5), np.ones((30, 2))))
    solution = SPARSE_SOLVERS[solver](nothing, nothing.null_model(), tol=2e-4, max_iter=100)
    assert solution.converged
    np.testing.assert_allclose(solution.coef, nothing.null_model(), atol=1e-6)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_solvers_agree_on_objective_and_support(case):
    reference = solved("working-set", *case)
    assert 0 < (reference.coef[:30] != 0).any(axis=1).sum() < 30
    for solver in SPARSE_SOLVERS:
        other = solved(solver, *case)
        assert other.value == pytest.approx(reference.value, rel=1e-6)
        np.testing.assert_array_equal(other.coef[:30] != 0, reference.coef[:30] != 0)


@pytest.mark.parametrize("solver", ["bound", "bound-newton"])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_bound_optimisation_never_raises_the_objective(solver, penalty):
    objective = problem(penalty)
    start = np.random.default_rng(1).standard_normal(objective.shape)
    values = [
        SPARSE_SOLVERS[solver](objective, start, tol=1e-12, max_iter=steps).value for steps in range(1, 25)
    ]
    assert np.all(np.diff(values) <= 1e-12 * np.abs(values[:-1]))


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_one_matrix_of_the_rows_serves_all_scores_of_a_group_penalty(fit_intercept):
    objective = problem("group", fit_intercept=fit_intercept)
    theta = np.random.default_rng(1).standard_normal(objective.shape)
    theta[:10] = 0.0
    restricted = objective.restrict(np.arange(30))
    point, bound = bound_module.Point(restricted, theta), bound_module._BohningBound(restricted)
    whole, shared = bound_module._step(point, bound), bound_module._row_step(point, bound.gram)
    assert not np.array_equal(shared.theta, theta)
    np.testing.assert_allclose(shared.theta[:30], whole.theta[:30], atol=1e-7)
    # Softmax does not feel equal shifts of all intercepts, which the other step leaves to rounding.
    ours, theirs = (np.diff(each.theta[30:], axis=1) for each in (shared, whole))
    np.testing.assert_allclose(ours, theirs, atol=1e-7)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_first_centre_enters_at_the_largest_slope_of_the_null_model(penalty, fit_intercept):
    objective = problem(penalty, fit_intercept=fit_intercept)
    unit = objective.weights / objective.largest_slope()
    for factor, empty in ((0.999, True), (1.01, False)):
        scaled = replace(objective, weights=factor * unit)
        solution = SPARSE_SOLVERS["working-set"](scaled, scaled.null_model(), tol=1e-6, max_iter=100)
        assert solution.converged
        assert (not solution.coef[:30].any()) == empty


@pytest.mark.parametrize("penalty", PENALTIES)
def test_where_a_solver_starts_does_not_matter(penalty):
    objective = problem(penalty)
    start = np.random.default_rng(1).standard_normal(objective.shape)
    solution = SPARSE_SOLVERS["working-set"](objective, start, tol=1e-6, max_iter=500)
    assert solution.value == pytest.approx(solved("working-set", penalty, 3, True).value, rel=1e-7)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_sample_first_and_screening_in_single_precision_give_the_same_minimum(penalty, monkeypatch):
    reference = solved("working-set", penalty, 3, True)
    for module in (columns_module, working_set_module):
        monkeypatch.setattr(module, "HELD_ROWS", 12)
    objective = problem(penalty)
    solution = SPARSE_SOLVERS["working-set"](objective, objective.null_model(), tol=1e-3, max_iter=100)
    assert solution.converged
    assert solution.value == pytest.approx(reference.value, rel=1e-5)


def test_scores_that_take_turns_reach_the_same_minimum(monkeypatch):
    monkeypatch.setattr(penalised_model, "JOINT_SIZE", 0)
    objective = problem()
    solution = SPARSE_SOLVERS["working-set"](objective, objective.null_model(), tol=1e-8, max_iter=200)
    assert kkt_residual(objective, solution.coef) < 1e-7


def test_rows_whose_class_is_certain_do_not_hinder_convergence():
    """Classes far apart: at the minimum most scores do not matter."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.standard_normal((90, 2)) + 6 * np.column_stack([y == 0, y == 1])
    objective = SparseObjective(
        KernelColumns(RBF(2.0), X), y, np.full(90, 100.0), loss_for(3), Lasso(), 3, True
    )
    solution = SPARSE_SOLVERS["working-set"](objective, objective.null_model(), tol=1e-8, max_iter=200)
    assert kkt_residual(objective, solution.coef) < 1e-7


def test_a_few_columns_stand_for_many(monkeypatch):
    """No more columns than the working set needs are ever asked for."""
    objective = problem(n=600, C=0.05)
    asked = []
    monkeypatch.setattr(KernelColumns, "take", lambda self, i: asked.append(len(i)) or self._whole.T[i].T)
    solution = SPARSE_SOLVERS["working-set"](objective, objective.null_model(), tol=1e-3, max_iter=100)
    assert solution.converged
    assert sum(asked) < 300
