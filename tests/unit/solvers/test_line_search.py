"""Backtracking: lengths that are tried, and the rule that accepts one."""

import numpy as np

from kernelproba.solvers.line_search import SHORTEST, SUFFICIENT, Armijo, halvings


def test_lengths_halve_down_to_the_shortest():
    assert list(halvings(0.2)) == [1.0, 0.5, 0.25]
    assert list(halvings())[-1] == SHORTEST


def test_a_line_that_leads_uphill_or_nowhere_has_no_lengths():
    assert list(Armijo(1.0, 0.5).lengths()) == []
    assert list(Armijo(1.0, np.nan).lengths()) == []


def test_a_step_is_accepted_once_it_brings_its_share_of_the_promised_fall():
    rule = Armijo(1.0, -2.0)
    assert rule.accepts(0.5, 1.0 - SUFFICIENT, 3.0)
    assert not rule.accepts(0.5, 1.0 - SUFFICIENT / 2, 3.0)


def test_where_values_are_rounding_the_slope_decides():
    rule = Armijo(1.0, -1e-12)
    level = 1.0 + np.finfo(float).eps
    assert rule.accepts(1.0, level, 4e-13)
    assert not rule.accepts(1.0, level, 6e-13)
    assert not rule.accepts(1.0, 1.1, 0.0)


def test_the_minimum_of_a_parabola_is_accepted_at_the_first_length():
    rule = Armijo(0.5, -1.0)  # J(t) = ½(1 − t)²
    lengths = rule.lengths()
    assert rule.accepts(next(lengths), 0.0, 0.0)
