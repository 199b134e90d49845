"""The lasso on pairs of centres and scores: what it says of the whole problem, and where its steps lead."""

from importlib import import_module

import numpy as np
import pytest

from kernelproba.basis.columns import KernelColumns
from kernelproba.kernels import RBF
from kernelproba.losses import loss_for
from kernelproba.penalties import Lasso
from kernelproba.solvers.sparse.objective import SparseObjective
from kernelproba.solvers.sparse.pair_newton import _grams, _SupportSystem, pair_newton
from kernelproba.solvers.sparse.pair_problem import PairProblem, moved_scores, products

#: The package exports a function of the same name.
working_set_module = import_module("kernelproba.solvers.sparse.working_set")


def objective(n=80, n_classes=4, *, fit_intercept=True, C=2.0):
    rng = np.random.default_rng(0)
    y = np.arange(n) % n_classes
    X = rng.standard_normal((n, 2)) + 2 * np.column_stack([np.cos(y), np.sin(y)])
    loss = loss_for(n_classes)
    weights = C * rng.uniform(0.5, 2.0, n)
    columns = KernelColumns(RBF(1.0), X)
    return SparseObjective(columns, y, weights, loss, Lasso(), loss.n_scores(n_classes), fit_intercept)


def pair_problem(whole, negligible):
    """All pairs, at a point with a few of them in use."""
    restricted = whole.restrict(np.arange(len(whole.columns)))
    theta = np.zeros(whole.shape)
    theta[:5] = np.random.default_rng(1).standard_normal((5, whole.n_scores))
    F = restricted.scores(theta)
    value, G = restricted.value(theta, F)
    pairs = [np.arange(len(whole.columns))] * whole.n_scores
    features = restricted.smooth.features.whole().T
    problem = PairProblem(
        whole.loss, whole.y, whole.weights, features, pairs, theta, F, G, restricted.gradient(G), negligible
    )
    return problem, restricted, value


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("negligible", [0.0, 0.3])
def test_where_it_is_set_up_the_slope_is_that_of_the_whole_problem(fit_intercept, negligible):
    problem, restricted, _ = pair_problem(objective(fit_intercept=fit_intercept), negligible)
    F = restricted.scores(problem.theta)
    gradient = restricted.gradient(restricted.value(problem.theta, F)[1])
    expected = restricted.subgradient(problem.theta, gradient)
    np.testing.assert_allclose(problem.slope, expected[problem.at], atol=1e-10)
    assert problem.residual == pytest.approx(restricted.residual(expected))


def test_with_all_rows_steps_lead_to_the_minimum_of_the_whole_problem():
    whole = objective()
    problem, restricted, _ = pair_problem(whole, 0.0)
    for _ in range(20):
        pair_newton(problem, tol=1e-8, max_iter=100)
    F = restricted.scores(problem.theta)
    value, G = restricted.value(problem.theta, F)
    assert restricted.residual(restricted.subgradient(problem.theta, restricted.gradient(G))) < 1e-6
    found = working_set_module.working_set(whole, whole.null_model(), tol=1e-6, max_iter=1000)
    assert value == pytest.approx(found.value, rel=1e-9)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_working_sets_of_pairs_and_of_rows_have_the_same_minimum(n_classes, fit_intercept, monkeypatch):
    whole = objective(n_classes=n_classes, fit_intercept=fit_intercept, C=10.0)
    rows = working_set_module.working_set(whole, whole.null_model(), tol=1e-5, max_iter=1000)
    monkeypatch.setattr(working_set_module, "PAIR_ROWS", 0)
    monkeypatch.setattr(working_set_module, "JOINT_SIZE", 0)
    pairs = working_set_module.working_set(whole, whole.null_model(), tol=1e-5, max_iter=1000)
    assert pairs.converged
    assert pairs.value == pytest.approx(rows.value, rel=1e-8)
    # An equal shift of all intercepts changes nothing.
    np.testing.assert_allclose(pairs.coef[:80], rows.coef[:80], atol=1e-3)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_products_on_the_support_are_those_of_the_hessian(n_classes):
    problem, _, _ = pair_problem(objective(n_classes=n_classes), 0.0)
    system, free = _SupportSystem(problem, _grams(problem)), np.flatnonzero(problem.free)
    v, h = np.random.default_rng(2).standard_normal(len(free)), 1e-5

    step = np.zeros_like(problem.x)
    step[free] = v

    def gradient(t):
        F = problem.F + moved_scores(problem.blocks, t * step, problem.F)
        G = problem.loss.value_and_gradient(F, problem.y, problem.weights)[1]
        return products(problem.blocks, G)[free]

    expected = (gradient(h) - gradient(-h)) / (2 * h)
    np.testing.assert_allclose(system.product(v), expected, rtol=0.01, atol=1e-3 * abs(expected).max())


@pytest.mark.parametrize("n_classes", [2, 4])
def test_intercept_steps_lead_to_the_minimum_over_the_intercepts(n_classes):
    whole = objective(n_classes=n_classes)
    F = np.random.default_rng(3).standard_normal((len(whole.y), whole.n_scores))
    for _ in range(5):
        F = F + whole.intercept_step(F)
    np.testing.assert_allclose(whole.score_gradient(F).sum(axis=0), 0.0, atol=1e-9)


def test_an_intercept_step_never_raises_the_loss():
    whole = objective(n_classes=2)
    F = np.full((len(whole.y), 1), 40.0)  # hardly any curvature: Newton steps lead far too far
    before = whole.loss.value_and_gradient(F, whole.y, whole.weights)[0]
    after = whole.loss.value_and_gradient(F + whole.intercept_step(F), whole.y, whole.weights)[0]
    assert after <= before
