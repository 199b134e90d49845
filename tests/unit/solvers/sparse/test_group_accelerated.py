"""Accelerated gradients for group lassos."""

import sys

import numpy as np
import pytest

from kernelproba.basis.columns import KernelColumns
from kernelproba.kernels import RBF
from kernelproba.losses import Softmax
from kernelproba.penalties import GroupLasso
from kernelproba.solvers.sparse import group_smoothing, proximal_newton, quadratic_model, working_set
from kernelproba.solvers.sparse.group_accelerated import accelerated_model, accelerated_start
from kernelproba.solvers.sparse.group_system import GroupCurvature
from kernelproba.solvers.sparse.objective import SparseObjective
from kernelproba.solvers.sparse.proximal_newton import Point

RNG = np.random.default_rng(0)
Y = np.arange(90) % 3
X = RNG.standard_normal((90, 2)) + 1.5 * np.column_stack([Y == 0, Y == 1])


def problem(C=1.0, fit_intercept=True):
    columns = KernelColumns(RBF(1.0), X)
    return SparseObjective(columns, Y, np.full(90, C), Softmax(), GroupLasso(), 3, fit_intercept)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_start_comes_near_the_minimum(fit_intercept):
    whole = problem(fit_intercept=fit_intercept)
    restricted = whole.restrict(np.arange(90))
    least = working_set(whole, whole.null_model(), tol=1e-6, max_iter=1000).value
    begun = Point(restricted, whole.null_model()).value
    value = Point(restricted, accelerated_start(restricted, whole.null_model(), 200)).value
    assert value - least < 0.01 * (begun - least)


def test_a_model_is_solved_in_enough_steps():
    whole = problem()
    restricted = whole.restrict(np.arange(90))
    point = Point(restricted, accelerated_start(restricted, whole.null_model(), 20))
    rows, strength = np.arange(91), (np.arange(91) < 90) * 1.0
    curvature = GroupCurvature(restricted.smooth, rows, Softmax().curvature(point.scores))
    solved = accelerated_model(curvature, point.gradient, strength, point.theta, 3000)
    slope = point.gradient + curvature.product(solved - point.theta)
    slope[:90] = GroupLasso().subgradient(solved[:90], slope[:90])
    assert np.abs(slope).max() < 1e-3


def test_many_entries_have_the_minimum_of_few(monkeypatch):
    whole = problem()
    few = working_set(whole, whole.null_model(), tol=1e-4, max_iter=1000)
    # The package exports the function of the module's name.
    rounds = sys.modules["kernelproba.solvers.sparse.working_set"]
    for part in (group_smoothing, rounds):
        monkeypatch.setattr(part, "DENSE_SIZE", 0)
    monkeypatch.setattr(quadratic_model, "ACCELERATED_VALUES", 0)
    many = working_set(whole, whole.null_model(), tol=1e-4, max_iter=1000)
    assert many.converged
    assert many.value == pytest.approx(few.value, rel=1e-6)


def test_groups_that_would_vanish_on_their_own_are_cleared():
    whole = problem()
    restricted = whole.restrict(np.arange(90))
    solved = working_set(whole, whole.null_model(), tol=1e-6, max_iter=1000).coef
    unused = np.flatnonzero(~solved[:90].any(axis=1))[:1]
    theta = solved.copy()
    theta[unused] = 1e-4
    cleared = proximal_newton._cleared(Point(restricted, theta))
    assert cleared is not None
    np.testing.assert_array_equal(cleared.theta.any(axis=1), solved.any(axis=1))
