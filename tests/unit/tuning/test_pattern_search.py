import numpy as np
import pytest

from kernelproba.tuning.pattern_search import STEPS, PatternSearch, is_outermost, moved


def bowl(*, at, tilt=0.0):
    """A convex function with its least value, 1, at a point; tilted, its valley runs along a diagonal."""

    def loss(point):
        g, c = point[0] - at[0], point[1] - at[1]
        return 1 + 0.01 * (g**2 + c**2 + 2 * tilt * g * c)

    return loss


def descend(loss, search=None):
    """Where a search ends."""
    search = PatternSearch() if search is None else search
    for point in search.descend((0, 0)):
        search.record(point, loss(point))
    return search.best


@pytest.mark.parametrize("at", [(0, 0), (6, -4), (-10, 14), (2, 2)])
@pytest.mark.parametrize("tilt", [0.0, 0.9])
def test_the_search_ends_at_the_least_value_wherever_it_is(at, tilt):
    assert descend(bowl(at=at, tilt=tilt)) == at


@pytest.mark.parametrize("at", [(5, 3), (-7, 1), (0, -11)])
def test_no_neighbour_of_the_end_is_better_whether_tried_or_not(at):
    loss = bowl(at=at)
    end = descend(loss)
    dg, dc = STEPS[-1]
    assert all(loss(moved(end, step)) >= loss(end) for step in [(dg, 0), (-dg, 0), (0, dc), (0, -dc)])
    assert not is_outermost(end)


def test_a_parabola_through_three_points_spares_the_half_step_that_it_sees_rise():
    search = PatternSearch(searched=(False, True))
    assert descend(bowl(at=(0, 1)), search) == (0, 0)
    assert set(search.tried) == {(0, 0), (0, 4), (0, -4), (0, 2)}


def test_a_step_whose_parallel_lost_much_is_not_tried():
    search = PatternSearch(tried={point: bowl(at=(2, 0))(point) for point in [(0, 0), (0, 4), (4, 0)]})
    assert search._is_hopeless((4, 0), (0, 4))
    assert not search._is_hopeless((4, 0), (0, -4))


def test_steps_that_a_screening_found_to_lose_much_are_not_tried_again():
    screened = {(0, 0): 1.0, (0, 2): 1.01, (0, -2): 1.2, (2, 0): 1.5}
    search = PatternSearch(screened=screened.get)
    for point in search.refine((0, 0)):
        search.record(point, bowl(at=(0, 2))(point))
    assert search.best == (0, 2)
    assert not {(0, -2), (2, 0)} & set(search.tried)


def test_a_half_step_that_three_points_of_a_screening_see_rise_is_not_tried():
    screened = {(0, 0): 1.0, (0, 4): 1.5, (0, -4): 1.1}
    search = PatternSearch(screened=screened.get)
    for point in search.refine((0, 0)):
        search.record(point, bowl(at=(0, -2))(point))
    assert search.best == (0, -2)
    assert (0, 2) not in search.tried


def test_without_small_steps_every_point_is_a_large_one_from_the_start():
    search = PatternSearch()
    for point in search.descend((0, 0), fine=False):
        search.record(point, bowl(at=(6, -5))(point))
    assert all(g % STEPS[0][0] == 0 and c % STEPS[0][1] == 0 for g, c in search.tried)
    assert all(
        abs(end - least) < large for end, least, large in zip(search.best, (6, -5), STEPS[0], strict=True)
    )


def test_a_search_that_is_left_early_ends_at_the_best_point_so_far():
    search, loss = PatternSearch(), bowl(at=(0, 12))
    for point in search.descend((0, 0)):
        search.record(point, loss(point))
        if len(search.tried) == 3:
            break
    assert search.best == min(search.tried, key=loss) != (0, 0)


def test_no_point_is_tried_twice():
    calls = []
    descend(lambda point: calls.append(point) or bowl(at=(3, 8))(point))
    assert len(calls) == len(set(calls)) < 30


@pytest.mark.parametrize(("slope", "end", "noticed"), [((1, 0), (20, 0), True), ((0, 1), (0, 24), False)])
def test_a_slope_without_end_is_followed_to_the_limits_and_noticed_for_gamma(slope, end, noticed):
    assert descend(lambda point: 100 - 0.5 * np.dot(slope, point)) == end
    assert is_outermost(end) == noticed


@pytest.mark.parametrize(("searched", "end"), [((True, False), (6, 0)), ((False, True), (0, 8))])
def test_a_parameter_that_is_not_searched_stays(searched, end):
    assert descend(bowl(at=(6, 8)), PatternSearch(searched)) == end


def test_a_flat_loss_is_no_reason_to_move():
    assert descend(lambda _: np.log(2)) == (0, 0)


def test_a_loss_of_zero_has_no_relative_rise():
    loss = {(0, 0): 0.0}
    found = descend(lambda point: loss.get(point, 1.0 * (point[1] % 4 != 0)))
    assert found == (0, 0)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_loss_that_is_not_finite_is_left_behind_and_never_walked_into(bad):
    def loss(point):
        return bad if point[1] > 4 or point == (0, 0) else bowl(at=(2, 4))(point)

    assert descend(loss) == (2, 4)
