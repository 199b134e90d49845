"""BFGS for few parameters, on functions whose minimum is known."""

import numpy as np
import pytest

from kernelproba.solvers.evidence.bfgs import bfgs


def rosenbrock(x):
    a, b = 1 - x[0], x[1] - x[0] ** 2
    return a**2 + 100 * b**2, np.array([-2 * a - 400 * x[0] * b, 200 * b])


@pytest.mark.parametrize("curvature", [0.25, 100.0])
def test_the_bottom_of_a_curved_valley_is_found(curvature):
    x = bfgs(rosenbrock, np.array([-1.2, 1.0]), ftol=0.0, gtol=1e-8, curvature=curvature)
    np.testing.assert_allclose(x, 1.0, atol=1e-7)


def test_a_quadratic_is_minimised_whatever_its_scales():
    Q, c = np.diag([1e-2, 1.0, 1e3]), np.array([1.0, -2.0, 3.0])
    x = bfgs(lambda x: (0.5 * x @ Q @ x - c @ x, Q @ x - c), np.zeros(3), ftol=0.0, gtol=1e-9, max_iter=500)
    np.testing.assert_allclose(Q @ x, c, atol=1e-8)


def test_a_start_that_is_flat_enough_stays():
    calls = []

    def flat(x):
        calls.append(x)
        return 0.0, np.full(2, 1e-3)

    np.testing.assert_array_equal(bfgs(flat, np.ones(2), ftol=0.0, gtol=1e-2), 1.0)
    assert len(calls) == 1


def test_steps_are_bounded_where_a_function_falls_for_ever():
    x = bfgs(lambda x: (-x.sum(), -np.ones(2)), np.zeros(2), ftol=0.0, gtol=0.0, curvature=1e-6, max_iter=5)
    np.testing.assert_allclose(x, 15.0)
