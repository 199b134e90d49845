"""Second-order cones and the scaling of Nesterov and Todd."""

import numpy as np
import pytest

from kernelproba.solvers.sparse.cones import Pair, Scaling

M, K = 7, 3


def inside(seed, closeness=0.9):
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((M, K))
    return Pair(np.linalg.norm(W, axis=1) / closeness, W)


def dual(seed, closeness=0.9):
    point = inside(seed, closeness)
    return point.W / point.t[:, None]


def as_rows(pair):
    return np.column_stack(pair)


def matrices(scaling):
    """S of each cone, from its products with unit vectors."""
    units = np.eye(K + 1)
    columns = [as_rows(scaling.apply(Pair(np.full(M, e[0]), np.tile(e[1:], (M, 1))))) for e in units]
    return np.stack(columns, axis=2)


@pytest.mark.parametrize("closeness", [0.1, 0.9, 1 - 1e-6])
def test_the_scaling_takes_point_and_dual_to_one_point(closeness):
    x, V = inside(0, closeness), dual(1, closeness)
    scaling = Scaling(x, V)
    np.testing.assert_allclose(as_rows(scaling.solve(x)), as_rows(scaling.point), rtol=1e-7)
    S = matrices(scaling)
    np.testing.assert_allclose(S, S.transpose(0, 2, 1), rtol=1e-9, atol=1e-9 * np.abs(S).max())
    assert np.linalg.eigvalsh(S).min() > 0


def test_products_with_the_square_are_those_of_its_blocks():
    scaling, D = Scaling(inside(0), dual(1)), np.random.default_rng(2).standard_normal((M, K))
    S = matrices(scaling)
    square = S @ S
    there = np.einsum("jkl,jl->jk", square[:, 1:, 1:], D)
    np.testing.assert_allclose(scaling.stiffness(there), D)
    np.testing.assert_allclose(scaling.first_of_square(D), np.einsum("jl,jl->j", square[:, 0, 1:], D))
    some = Pair(D[:, 0], D[:, [1, 2, 0]])
    np.testing.assert_allclose(as_rows(scaling.solve(scaling.apply(some))), as_rows(some))


def test_jordan_products_are_undone():
    x, y = inside(0), Pair(*(a + 1 for a in inside(3)))
    np.testing.assert_allclose(as_rows(x.solve(x.times(y))), as_rows(y))


@pytest.mark.parametrize("seed", range(20))
def test_the_reach_is_the_way_to_the_boundary(seed):
    rng = np.random.default_rng(seed)
    x, step = inside(seed), Pair(rng.standard_normal(M), rng.standard_normal((M, K)))
    reach = x.reach(step)
    assert x.plus(step, 0.999999 * reach).det().min() > 0
    assert x.plus(step, 0.999999 * reach).t.min() > 0
    past = x.plus(step, 1.000001 * reach)
    assert past.det().min() < 0


def test_a_step_into_the_cones_has_no_end():
    x = inside(0)
    assert x.reach(x) == np.inf
    assert x.reach(Pair(np.zeros(M), np.zeros((M, K)))) == np.inf
    assert x.reach(Pair(-x.t, -x.W)) == pytest.approx(1.0)
