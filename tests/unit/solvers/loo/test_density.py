"""Widths and weights of densities, chosen by leaving rows out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from kernelproba.kernels import RBF, Laplacian
from kernelproba.kernels.logarithm import log_kernel, log_volume
from kernelproba.solvers.loo.density import choose_widths, likelihood_weights, tabulate_widths


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [15, 10, 12])
    return rng.normal(size=(len(y), 2)) + 1.5 * y[:, None], y


@pytest.mark.parametrize("kernel", [RBF(), Laplacian()], ids=repr)
def test_the_table_holds_densities_without_the_row_itself(rows, kernel):
    X, y = rows
    table = tabulate_widths(kernel, X, y, np.ones(len(y)), np.full(3, 1 / 3))
    g = 12
    sized = type(kernel)(table.widths[g])
    for i in (0, 16, 30):
        for j in range(3):
            others = (y == j) & (np.arange(len(y)) != i)
            direct = sized(X[i : i + 1], X[others]).mean()
            assert_allclose(table.log_densities[g, i, j], np.log(direct) - log_volume(sized, 2), rtol=1e-10)


def test_rows_identical_to_the_one_left_out_are_left_out_too(rows):
    X, y = rows
    once = tabulate_widths(RBF(), X, y, np.ones(len(y)), np.full(3, 1 / 3))
    twice = tabulate_widths(RBF(), np.r_[X, X], np.r_[y, y], np.ones(2 * len(y)), np.full(3, 1 / 3))
    assert_allclose(twice.widths, once.widths)
    assert_allclose(twice.log_densities[:, : len(y)], once.log_densities)


def test_the_width_of_a_gaussian_shrinks_with_the_number_of_its_rows():
    rng = np.random.default_rng(0)
    chosen = []
    for n in (30, 200, 800):
        X = np.r_[rng.normal(size=(n, 1)), [[50.0], [52.0]]]
        y = np.r_[np.zeros(n, dtype=int), 1, 1]
        table = tabulate_widths(RBF(), X, y, np.ones(n + 2), np.array([0.5, 0.5]))
        chosen.append(choose_widths(table, "likelihood", per_class=True)[0])
    assert chosen[0] > chosen[1] > chosen[2]
    assert 0.05 < chosen[2] < 0.5


def test_classes_of_different_spread_get_different_widths():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(200, 1)), 10 * rng.normal(size=(200, 1))]
    y = np.repeat([0, 1], 200)
    table = tabulate_widths(RBF(), X, y, np.ones(400), np.array([0.5, 0.5]))
    narrow, wide = choose_widths(table, "likelihood", per_class=True)
    assert wide > 3 * narrow
    same = choose_widths(table, "likelihood", per_class=False)
    assert same[0] == same[1]


@pytest.mark.parametrize("criterion", ["log_loss", "error"])
def test_class_wise_widths_are_no_worse_than_a_common_one(rows, criterion):
    X, y = rows
    table = tabulate_widths(RBF(), X, y, np.ones(len(y)), np.full(3, 1 / 3))
    common, own = (
        table.loss(np.searchsorted(table.widths, choose_widths(table, criterion, per_class=per_class)))
        for per_class in (False, True)
    )
    which = {"error": 0, "log_loss": 1}[criterion]
    assert own[which] <= common[which]


def test_a_class_of_one_row_takes_the_width_of_the_others(rows):
    X, y = np.r_[rows[0], [[9.0, 9.0]]], np.r_[rows[1], 3]
    table = tabulate_widths(RBF(), X, y, np.ones(len(y)), np.full(4, 0.25))
    for criterion in ("likelihood", "log_loss", "error"):
        widths = choose_widths(table, criterion, per_class=criterion == "likelihood")
        assert np.isfinite(widths).all()
        assert (widths > 0).all()


def test_the_most_likely_weights_satisfy_the_conditions_of_the_maximum(rows):
    X, y = rows
    members = X[y == 0]
    exponents = log_kernel(RBF(0.8), members, members)
    np.fill_diagonal(exponents, -np.inf)
    weight = np.random.default_rng(0).integers(1, 4, size=len(members)).astype(float)
    beta = likelihood_weights(exponents, weight, tol=1e-8, max_iter=100_000)
    q = np.exp(exponents) @ beta
    gradient = (weight / weight.sum() / q) @ np.exp(exponents)
    assert_allclose(beta.sum(), 1)
    assert gradient.max() <= 1 + 1e-7
    assert beta @ np.abs(gradient - 1) < 1e-4


def test_the_most_likely_weights_beat_equal_ones(rows):
    X, y = rows
    members = X[y == 0]
    exponents = log_kernel(RBF(0.8), members, members)
    np.fill_diagonal(exponents, -np.inf)
    n = len(members)
    beta = likelihood_weights(exponents, np.ones(n), tol=1e-6, max_iter=10_000)
    with np.errstate(divide="ignore"):
        fitted = logsumexp(exponents + np.log(beta), axis=1).mean()
    assert fitted > logsumexp(exponents - np.log(n), axis=1).mean()


@pytest.mark.parametrize("j", [0, 1, 3])
def test_losses_of_one_class_at_a_time_are_losses_of_all(rows, j):
    X, y = np.r_[rows[0], [[9.0, 9.0]]], np.r_[rows[1], 3]  # the last class has nothing left without its row
    weight = np.random.default_rng(1).uniform(1, 2, len(y))
    table = tabulate_widths(RBF(), X, y, weight, np.array([0.4, 0.3, 0.2, 0.1]))
    chosen = np.array([3, 20, 11, 5])
    error, log_loss = table.losses_of_class(chosen, j)
    trials = [np.where(np.arange(4) == j, g, chosen) for g in range(len(table.widths))]
    expected = np.array([table.loss(each) for each in trials])
    assert_allclose(np.column_stack([error, log_loss]), expected, rtol=1e-10)
