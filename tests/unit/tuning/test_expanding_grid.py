import numpy as np
import pytest

from kernelproba.tuning.expanding_grid import Axis, OpenGrid

GAMMAS, ALPHAS = [0.25, 1.0, 4.0], [1e-2, 1e-1, 1.0]
LIMITS = (1e-4, 1e4)


def parabola(top):
    """Score −1 − (steps from the top)², of which a step is a factor of 4 in gamma and of 10 in alpha."""

    def score(gammas, alphas):
        g = np.log(np.array(gammas) / top[0]) / np.log(4)
        a = np.log10(np.array(alphas) / top[1])
        return -1 - np.square(g)[:, None] - np.square(a)

    return score


def best(grid):
    return grid.walk(grid.scan())


def open_grid(score, limits=LIMITS):
    return OpenGrid(score, Axis(GAMMAS, 4.0, limits), Axis(ALPHAS, 10.0, limits))


@pytest.mark.parametrize(
    "top", [(1.0, 0.1), (4.0**4, 0.1), (4.0**-3, 0.1), (1.0, 1e-4), (1.0, 1e3), (256.0, 1e-4)]
)
def test_the_walk_ends_at_the_top_wherever_it_is(top):
    grid = open_grid(parabola(top))
    assert best(grid) == pytest.approx(top)
    assert not grid.gammas.stops_at(top[0])


def test_an_inner_best_point_needs_no_point_beyond_the_grid():
    grid = open_grid(parabola((1.0, 0.1)))
    best(grid)
    assert len(grid.tried) == 9


def test_all_neighbours_of_the_last_point_were_tried_and_are_no_better():
    grid = open_grid(parabola((300.0, 2e-3)))
    gamma, alpha = best(grid)
    for near in [(gamma * 4, alpha), (gamma / 4, alpha), (gamma, alpha * 10), (gamma, alpha / 10)]:
        (found,) = [score for point, score in grid.tried.items() if point == pytest.approx(near)]
        assert found <= grid.tried[gamma, alpha]


def test_the_limits_stop_a_walk_and_say_so():
    grid = open_grid(parabola((1e9, 0.1)), limits=(1 / 64, 64.0))
    gamma, _ = best(grid)
    assert gamma == 64.0
    assert grid.gammas.stops_at(gamma)


def test_a_plateau_ends_the_walk_at_the_smoothest_point_of_the_grid():
    grid = open_grid(lambda gammas, alphas: np.full((len(gammas), len(alphas)), -0.5))
    assert best(grid) == (0.25, 1.0)
    assert len(grid.tried) == 11  # one more along each axis


def test_given_values_are_taken_as_they_are():
    grid = OpenGrid(parabola((1e6, 1e-9)), Axis(GAMMAS), Axis([1.0, 1e-2, 1e-1, 1.0]))
    assert best(grid) == (4.0, 1e-2)
    assert sorted(grid.tried) == [(gamma, alpha) for gamma in GAMMAS for alpha in ALPHAS]
    assert not grid.gammas.stops_at(4.0)


def test_a_parameter_that_there_is_not_is_not_walked_along():
    grid = OpenGrid(lambda _, alphas: -np.array([alphas]), Axis([None]), Axis(ALPHAS, 10.0, LIMITS))
    assert best(grid) == (None, 1e-4)
    assert not grid.gammas.stops_at(None)
