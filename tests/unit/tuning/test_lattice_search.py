import numpy as np
import pytest

from kernelproba.tuning.lattice_search import STEPS, Lattice


def bowl(*, at, tilt=0.0):
    """A convex function with its least value at a point; tilted, its valley runs along a diagonal."""

    def loss(point):
        g, c = point[0] - at[0], point[1] - at[1]
        return 0.01 * (g**2 + c**2 + 2 * tilt * g * c)

    return loss


@pytest.mark.parametrize("at", [(0, 0), (6, -4), (-10, 14), (2, 2)])
@pytest.mark.parametrize("tilt", [0.0, 0.9])
def test_the_search_ends_at_the_least_value_wherever_it_is(at, tilt):
    assert Lattice(bowl(at=at, tilt=tilt)).descend((0, 0)) == at


def test_all_neighbours_of_the_end_were_tried_and_are_worse():
    lattice = Lattice(bowl(at=(5, 3)))
    g, c = end = lattice.descend((0, 0))
    dg, dc = STEPS[-1]
    for neighbour in [(g + dg, c), (g - dg, c), (g, c + dc), (g, c - dc)]:
        assert lattice.tried[neighbour] >= lattice.tried[end]
    assert not lattice.ends_at(end)


def test_no_point_is_tried_twice():
    calls = []
    lattice = Lattice(lambda point: calls.append(point) or bowl(at=(3, 8))(point))
    lattice.descend((0, 0))
    assert len(calls) == len(set(calls)) < 30


@pytest.mark.parametrize(("slope", "end", "noticed"), [((1, 0), (20, 0), True), ((0, 1), (0, 24), False)])
def test_a_slope_without_end_is_followed_to_the_limits_and_noticed_for_gamma(slope, end, noticed):
    lattice = Lattice(lambda point: 100 - 0.5 * np.dot(slope, point))
    assert lattice.descend((0, 0)) == end
    assert lattice.ends_at(end) == noticed


@pytest.mark.parametrize(("searched", "end"), [((True, False), (6, 0)), ((False, True), (0, 8))])
def test_a_parameter_that_is_not_searched_stays(searched, end):
    lattice = Lattice(bowl(at=(6, 8)), searched)
    assert lattice.descend((0, 0)) == end
    assert not lattice.ends_at(end)


def test_a_flat_loss_is_no_reason_to_move():
    assert Lattice(lambda _: np.log(2)).descend((0, 0)) == (0, 0)
