"""Centres are taken by what they bring."""

import numpy as np

from kernelproba.compression.pursuit import MatchingPursuit, SharedCenters
from kernelproba.kernels import RBF, Linear


def pursuit_of(kernel, Z, coef):
    return MatchingPursuit(kernel, Z, [SharedCenters(np.arange(len(coef)), coef)])


def squared_distance(kernel, Z, coef, chosen) -> float:
    """‖f − Pf‖² summed over the functions, by a least-squares solution."""
    K = kernel(Z, Z)
    values, part = (K @ coef)[chosen], K[np.ix_(chosen, chosen)]
    return float(np.vdot(coef, K @ coef) - np.vdot(values, np.linalg.solve(part, values)))


def test_every_step_takes_the_centre_that_lowers_the_distance_most():
    rng = np.random.default_rng(0)
    Z, coef, kernel = rng.normal(size=(12, 2)), rng.normal(size=(12, 3)), RBF()
    order = pursuit_of(kernel, Z, coef).first(4).tolist()
    for step in range(4):
        rest = [j for j in range(12) if j not in order[:step]]
        left = [squared_distance(kernel, Z, coef, [*order[:step], j]) for j in rest]
        assert rest[int(np.argmin(left))] == order[step]


def test_a_function_of_two_centres_needs_these_two():
    Z = np.random.default_rng(1).normal(size=(30, 3))
    coef = np.zeros((30, 1))
    coef[[4, 17]] = [[2.0], [-3.0]]
    assert set(pursuit_of(RBF(), Z, coef).first(2)) == {4, 17}


def test_a_linear_kernel_needs_as_many_centres_as_features():
    rng = np.random.default_rng(2)
    Z, coef = rng.normal(size=(20, 3)), rng.normal(size=(20, 2))
    chosen = pursuit_of(Linear(), Z, coef).first(3)
    assert abs(squared_distance(Linear(), Z, coef, chosen)) < 1e-8


def test_asking_for_more_continues_where_it_stopped():
    rng = np.random.default_rng(3)
    Z, coef = rng.normal(size=(40, 2)), rng.normal(size=(40, 1))
    stepwise = pursuit_of(RBF(), Z, coef)
    first = stepwise.first(5).tolist()
    assert stepwise.first(20).tolist()[:5] == first
    assert stepwise.first(20).tolist() == pursuit_of(RBF(), Z, coef).first(20).tolist()


def test_a_centre_of_two_groups_is_worth_what_it_brings_in_both():
    Z = np.array([[0.0], [10.0], [20.0]])  # too far apart to say anything of each other
    groups = [
        SharedCenters(np.array([0, 1]), np.array([[1.5], [1.2]])),
        SharedCenters(np.array([1, 2]), np.array([[1.2], [1.5]])),
    ]
    # 1.5² alone, but 1.2² twice
    assert MatchingPursuit(RBF(), Z, groups).first(1).tolist() == [1]
