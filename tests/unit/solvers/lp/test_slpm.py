"""Maximum contrast: formula, proofs of optimality, and two ways to the same optimum."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs, make_moons

from kernelproba.basis.gram import Gram
from kernelproba.kernels import RBF
from kernelproba.solvers.lp.contrast_problem import ContrastProblem, mass_price
from kernelproba.solvers.lp.full_lp import DenseContrast
from kernelproba.solvers.lp.restricted_contrast import RestrictedContrast
from kernelproba.solvers.lp.slpm import contrast_path

ALPHAS = [10.0, 1.0, 0.1, 0.01, 0.001]


def moons(n=120, width=0.4, l1_ratio=0.5, held_values=10**9):
    X, y = make_moons(n, noise=0.3, random_state=0)
    weight = np.random.default_rng(0).integers(1, 4, size=n).astype(float)
    gram = Gram(RBF(width), X, held_values=held_values)
    return ContrastProblem(gram, y, weight, np.array([0.45, 0.55]), l1_ratio)


def three_blobs(n=150, width=1.0):
    X, y = make_blobs(n, centers=[[0, 0], [1.5, 0], [0, 1.5]], cluster_std=0.9, random_state=0)
    return ContrastProblem(Gram(RBF(width), X), y, np.ones(n), np.full(3, 1 / 3))


PROBLEMS = {
    "two classes": moons,
    "three classes": three_blobs,
    "narrow": lambda: moons(width=0.05),
    "wide": lambda: moons(width=5.0),
    "sparse": lambda: moons(l1_ratio=0.99),
    "maximum norm alone": lambda: moons(l1_ratio=0.0),
}


def path(problem, alphas=ALPHAS, programme=RestrictedContrast):
    return list(contrast_path(problem, alphas, programme, tol=0.0, max_iter=100))


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_fit_of_a_path_is_proved_optimal_and_never_falls(name):
    problem = PROBLEMS[name]()
    for fit in path(problem):
        assert fit.converged
        assert abs(fit.gap) < 1e-7
        assert (np.diff(fit.history) >= -1e-12).all()
        assert_array_equal(fit.active, fit.margin > -1)


@pytest.mark.parametrize("name", PROBLEMS)
def test_weights_are_feasible(name):
    problem = PROBLEMS[name]()
    for fit in path(problem):
        mass = np.bincount(problem.y, weights=fit.beta)
        assert_allclose(mass, mass[0], rtol=1e-8)
        assert mass[0] >= 1 - 1e-9
        assert (fit.beta >= 0).all()
        margin, _ = problem.margins(problem.fields(fit.beta))
        assert_allclose(fit.margin, margin, atol=1e-7)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_restricted_programmes_have_the_optimum_of_the_dense_one(name):
    problem = PROBLEMS[name]()
    everyone = np.ones(len(problem.y), dtype=bool)
    dense, restricted = DenseContrast(problem), RestrictedContrast(problem)
    for alpha in ALPHAS:
        values = [
            problem.active_value(p.solve(alpha, everyone), everyone, alpha) for p in (dense, restricted)
        ]
        assert_allclose(values[1], values[0], atol=1e-9)


def test_each_fit_of_a_path_is_the_fit_of_its_alpha_alone():
    problem = moons()
    for fit in path(problem):
        (alone,) = path(problem, [fit.alpha])
        assert_allclose(alone.history, fit.history, atol=1e-9)
        assert_array_equal(alone.active, fit.active)


def test_kernel_rows_computed_on_demand_give_the_same_fit():
    for held_values in (10**9, 10 * 120, 1):
        problem = moons(held_values=held_values)
        assert_allclose(
            [fit.history[-1] for fit in path(problem)], [fit.history[-1] for fit in path(moons())]
        )


def test_from_a_known_alpha_on_the_weights_are_equal():
    problem = moons()
    largest = problem.largest_alpha
    above, below = path(problem, [1.0001 * largest, 0.999 * largest])
    assert_allclose(above.beta, problem.equal_weights(), rtol=1e-12)
    assert np.abs(below.beta - problem.equal_weights()).max() > 1e-5
    (limit,) = path(problem, [np.inf])
    assert_allclose(limit.beta, problem.equal_weights(), rtol=1e-14)


def test_a_weight_of_two_is_a_row_seen_twice():
    X, y = make_moons(60, noise=0.3, random_state=0)
    weight = np.random.default_rng(1).integers(1, 4, size=60)
    priors = np.array([0.5, 0.5])
    weighted = ContrastProblem(Gram(RBF(0.5), X), y, weight.astype(float), priors)
    again = np.repeat(np.arange(60), weight)
    repeated = ContrastProblem(Gram(RBF(0.5), X[again]), y[again], np.ones(len(again)), priors)
    for one, other in zip(path(weighted), path(repeated), strict=True):
        assert_allclose(one.history, other.history, atol=1e-9)
        assert_allclose(one.beta, np.bincount(again, weights=other.beta), atol=1e-6)


def test_scaled_up_any_densities_contrast_tends_to_one_minus_twice_the_error():
    problem = moons()
    (fit,) = path(problem, [1.0])
    margin, _ = problem.margins(problem.fields(1e9 * fit.beta))
    error = problem.importance @ (margin <= 0)
    assert_allclose(problem.importance @ np.clip(margin, -1, 1), 1 - 2 * error, atol=1e-6)


def test_the_bound_holds_for_any_multipliers():
    problem, rng = moons(40), np.random.default_rng(0)
    active = rng.random(40) < 0.8
    best = problem.active_value(DenseContrast(problem).solve(0.1, active), active, 0.1)
    for _ in range(20):
        used = rng.random(40) * problem.importance * active
        U = np.zeros((40, 2))
        U[np.arange(40), problem.y], U[np.arange(40), 1 - problem.y] = used, -used
        assert problem.bound(U, active, 0.1) >= best - 1e-12


def test_the_price_of_mass_is_the_best_of_all_shares():
    rng = np.random.default_rng(0)
    gain, weight = rng.normal(size=6), rng.random(6) + 0.1
    shares = rng.dirichlet(np.full(6, 0.3), size=20_000)
    earned = shares @ gain - 0.4 * (shares / weight).max(axis=1)
    price = mass_price(gain, weight, 0.4)
    assert earned.max() <= price + 1e-12
    assert earned.max() > price - 0.1


@pytest.mark.parametrize("width", [1e-6, 1e6])
def test_a_kernel_matrix_of_the_identity_or_of_ones_is_no_obstacle(width):
    problem = moons(40, width=width)
    for fit in path(problem):
        assert fit.converged
        assert np.isfinite(fit.beta).all()
        assert abs(fit.gap) < 1e-7


def test_too_few_iterations_are_admitted():
    problem = moons(l1_ratio=0.9)
    (full,) = path(problem, [0.01])
    assert len(full.history) > 2
    (short,) = contrast_path(problem, [0.01], RestrictedContrast, tol=0.0, max_iter=2)
    assert not short.converged
    assert_allclose(short.history, full.history[:2], atol=1e-9)


@pytest.mark.parametrize("unit", [1e-60, 1e-9, 1e9, 1e60])
@pytest.mark.parametrize("programme", [RestrictedContrast, DenseContrast])
def test_weights_and_alpha_in_another_unit_are_the_same_problem(unit, programme):
    problem = moons(60)
    (plain,) = contrast_path(problem, [0.3], programme, tol=0.0, max_iter=50)
    rescaled = replace(problem, weight=unit * problem.weight)
    (fit,) = contrast_path(rescaled, [0.3 * unit], programme, tol=0.0, max_iter=50)
    assert_allclose(fit.beta, plain.beta, atol=1e-7)
    assert_allclose(fit.history, plain.history, atol=1e-8)


@pytest.mark.parametrize("alpha", [1e-90, 1e90])
@pytest.mark.parametrize("programme", [RestrictedContrast, DenseContrast])
def test_any_alpha_has_an_optimum_with_a_proof(alpha, programme):
    problem = moons(60)
    (fit,) = contrast_path(problem, [alpha], programme, tol=0.0, max_iter=50)
    assert abs(fit.gap) < 1e-5 * max(1.0, alpha * problem.penalty(fit.beta))
    if alpha > 1:
        assert_allclose(fit.beta, problem.equal_weights(), rtol=1e-6)
