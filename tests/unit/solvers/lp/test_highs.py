"""The thin layer over HiGHS."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from kernelproba.solvers.lp.highs import FREE, LinearProgramme, ProgrammeFailed


def random_programme(seed, rows=8, columns=12):
    """A feasible and bounded programme: cost, bounds, matrix, row bounds."""
    rng = np.random.default_rng(seed)
    A, x = rng.normal(size=(rows, columns)), rng.random(columns)
    slack = rng.random((2, rows))
    return (
        rng.normal(size=columns),
        np.zeros(columns),
        np.full(columns, 2.0),
        A,
        A @ x - slack[0],
        A @ x + slack[1],
    )


def build(cost, lower, upper, A, low, high, method="dual"):
    programme = LinearProgramme(method)
    programme.add_columns(cost, lower, upper)
    programme.add_rows(low, high, A)
    return programme


def reference(cost, lower, upper, A, low, high):
    return linprog(cost, np.r_[A, -A], np.r_[high, -low], bounds=np.column_stack([lower, upper])).fun


@pytest.mark.parametrize("method", ["primal", "dual", "ipm"])
@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_is_that_of_linprog_and_proves_itself(seed, method):
    data = random_programme(seed)
    optimum = build(*data, method=method).solve()
    cost, lower, upper, A, low, high = data
    assert_allclose(cost @ optimum.x, reference(*data), atol=1e-8)
    assert ((low - 1e-8 <= A @ optimum.x) & (A @ optimum.x <= high + 1e-8)).all()
    # Weak duality: the duals of rows and columns at their bounds reach the same value.
    reduced = cost - A.T @ optimum.dual
    bounds = np.where(optimum.dual > 0, low, high), np.where(reduced > 0, lower, upper)
    assert_allclose(optimum.dual @ bounds[0] + reduced @ bounds[1], cost @ optimum.x, atol=1e-8)


def test_a_programme_grows_by_columns_and_rows():
    cost, lower, upper, A, low, high = random_programme(1)
    programme = LinearProgramme("primal")
    programme.add_columns(cost[:6], lower[:6], upper[:6])
    programme.add_rows(low[:5] - 5, high[:5] + 5, A[:5, :6])
    programme.solve()
    at = programme.add_columns(cost[6:], lower[6:], upper[6:], A[:5, 6:])
    assert at.tolist() == list(range(6, 12))
    programme.add_rows(low[5:], high[5:], sp.csr_array(A[5:]))
    assert programme.shape == A.shape
    loose = np.r_[low[:5] - 5, low[5:]], np.r_[high[:5] + 5, high[5:]]
    assert_allclose(cost @ programme.solve().x, reference(cost, lower, upper, A, *loose), atol=1e-8)


def test_new_costs_and_bounds_are_solved_from_the_last_basis():
    cost, lower, upper, A, low, high = random_programme(2, rows=30, columns=40)
    programme = build(cost, lower, upper, A, low, high, method="primal")
    first = programme.solve()
    cost = cost.copy()
    cost[3] += 1e-3
    programme.set_cost(np.array([3]), cost[[3]])
    again = programme.solve()
    assert again.n_pivots < first.n_pivots / 4
    assert_allclose(cost @ again.x, reference(cost, lower, upper, A, low, high), atol=1e-8)
    upper = upper.copy()
    upper[3] = 3.0
    programme.set_bounds(np.array([3]), lower[[3]], upper[[3]])
    assert_allclose(cost @ programme.solve().x, reference(cost, lower, upper, A, low, high), atol=1e-8)


def test_entries_that_highs_does_not_take_are_refused():
    programme = LinearProgramme()
    programme.add_columns([1.0], 0.0, 1.0)
    with pytest.raises(ProgrammeFailed, match=r"Scale X"):
        programme.add_rows([2.0], [FREE], np.full((1, 1), 1e20))


def test_a_programme_without_an_optimum_says_why():
    unbounded = LinearProgramme()
    unbounded.add_columns([-1.0], 0.0, FREE)
    with pytest.raises(ProgrammeFailed, match=r"(?i)unbounded"):
        unbounded.solve()
    infeasible = LinearProgramme()
    infeasible.add_columns([1.0], 0.0, 1.0)
    infeasible.add_rows([2.0], [FREE], np.ones((1, 1)))
    with pytest.raises(ProgrammeFailed, match=r"(?i)infeasible"):
        infeasible.solve()


@pytest.mark.parametrize("option", ["simplex_iteration_limit", "ipm_iteration_limit"])
def test_no_method_runs_without_end(option):
    # Left to itself HiGHS has taken steps without end on six ill-scaled rows.
    assert LinearProgramme()._highs.getOptionValue(option)[1] <= 100_000
