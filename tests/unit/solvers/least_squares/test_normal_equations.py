import numpy as np
import pytest

from kernelproba.solvers.least_squares.normal_equations import (
    ForwardSolver,
    NormalEquations,
    cholesky_factor,
    cholesky_path,
    eigh_path,
    least_ridge,
)


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    return rng.standard_normal((60, 12)), rng.standard_normal((60, 3))


def equations_of(Phi, Y):
    equations = NormalEquations.empty(Phi.shape[1], Y.shape[1])
    equations.add(Phi, Y)
    return equations


def test_sums_do_not_depend_on_blocks(problem):
    Phi, Y = problem
    whole, parts = equations_of(Phi, Y), NormalEquations.empty(12, 3)
    for start in range(0, 60, 7):
        parts.add(Phi[start : start + 7], Y[start : start + 7])
    np.testing.assert_allclose(parts.gram, whole.gram, atol=1e-12)
    np.testing.assert_allclose(parts.moment, whole.moment, atol=1e-12)
    np.testing.assert_allclose(whole.gram, Phi.T @ Phi, atol=1e-12)


def test_columns_of_a_wider_array_are_counted_in_place(problem):
    wide, Y = problem
    np.testing.assert_allclose(equations_of(wide[:, 3:9], Y).gram, wide[:, 3:9].T @ wide[:, 3:9], atol=1e-12)


def test_both_paths_solve_the_equations_and_agree(problem):
    Phi, Y = problem
    ridges = [1e-3, 1.0, 50.0]
    equations = equations_of(Phi, Y)
    A = cholesky_path(equations, ridges)
    np.testing.assert_allclose(eigh_path(equations, ridges), A, atol=1e-10)
    for ridge, a in zip(ridges, A, strict=True):
        np.testing.assert_allclose((Phi.T @ Phi + ridge * np.eye(12)) @ a, Phi.T @ Y, atol=1e-10)


@pytest.mark.parametrize("columns", [3, 40])
def test_a_forward_solver_is_the_same_for_few_columns_for_many_and_again(problem, columns):
    gram = problem[0].T @ problem[0]
    B = np.asfortranarray(np.random.default_rng(1).standard_normal((12, columns)))
    L = cholesky_factor(gram, 1.0)
    solver = ForwardSolver(L.copy(order="F"))
    for _ in range(8):  # until few columns have become many
        np.testing.assert_allclose(L @ solver(B), B, atol=1e-12)


def test_a_ridge_below_rounding_is_raised_to_it():
    ones = np.ones((50, 50))
    L = cholesky_factor(ones, 1e-300)
    np.testing.assert_allclose(L @ L.T, ones + least_ridge(50.0, float) * np.eye(50), atol=1e-13)


def test_single_precision_stays_single(problem):
    Phi, Y = (A.astype(np.float32) for A in problem)
    equations = NormalEquations.empty(12, 3, np.float32)
    equations.add(Phi, Y)
    assert cholesky_path(equations, [1.0]).dtype == np.float32


def test_values_that_are_not_finite_are_reported():
    for path in (cholesky_path, eigh_path):
        with pytest.raises(ValueError, match="not finite: scale X"):
            path(NormalEquations(np.full((3, 3), np.inf), np.ones((3, 1))), [1.0])
