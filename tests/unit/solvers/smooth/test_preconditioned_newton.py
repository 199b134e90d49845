"""Newton steps whose conjugate gradients know the curvature of the leading features."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelproba.kernels import Laplacian
from kernelproba.losses import loss_for
from kernelproba.objective import Objective
from kernelproba.penalties import Ridge
from kernelproba.rows import MemoryRows
from kernelproba.solvers import newton_cholesky
from kernelproba.solvers.smooth import preconditioned_newton as preconditioned_newton_module
from kernelproba.solvers.smooth import preconditioner
from kernelproba.solvers.smooth.preconditioned_newton import preconditioned_newton

N, M = 500, 60


def problem(n_classes, C=10.0, dtype=np.float64, fit_intercept=True):
    """Whitened features of M centres, in the order in which Cholesky has them."""
    rng = np.random.default_rng(n_classes)
    X = rng.standard_normal((N, 3))
    y = (np.sin(2 * X[:, :1]) * np.arange(n_classes) + rng.gumbel(size=(N, n_classes))).argmax(axis=1)
    kernel, Z = Laplacian(0.5), X[:M]
    Phi = np.linalg.solve(np.linalg.cholesky(kernel(Z, Z)), kernel(Z, X)).T
    loss, weights = loss_for(n_classes), C * rng.uniform(0.5, 1.5, N)
    k = loss.n_scores(n_classes)
    return Objective(
        MemoryRows(np.ascontiguousarray(Phi, dtype)), y, weights, loss, Ridge(), k, fit_intercept
    )


@pytest.fixture(autouse=True)
def few_leading_features(monkeypatch):
    monkeypatch.setattr(preconditioner, "LEADING", 20)
    monkeypatch.setattr(preconditioner, "BLOCK_ROWS", 128)


def least(objective):
    return newton_cholesky(objective, objective.start(), tol=1e-10, max_iter=100).value


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_it_finds_the_minimum(n_classes, fit_intercept):
    J = problem(n_classes, fit_intercept=fit_intercept)
    solution = preconditioned_newton(J, J.start(), tol=1e-6, max_iter=100)
    assert solution.converged
    assert_allclose(solution.value, least(J), rtol=1e-9)


@pytest.mark.parametrize("C", [0.1, 1e3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("tol", [1e-2, 1e-3])
def test_the_tolerance_squared_bounds_the_relative_gap(tol, dtype, C):
    solution = preconditioned_newton(problem(4, C, dtype), problem(4).start(), tol=tol, max_iter=100)
    best = least(problem(4, C))
    assert solution.converged
    assert solution.value - best <= tol**2 * best + 1e-6 * best


def test_features_that_are_all_leading_leave_no_rest(monkeypatch):
    monkeypatch.setattr(preconditioner, "LEADING", 1000)
    J = problem(3)
    assert_allclose(preconditioned_newton(J, J.start(), tol=1e-6, max_iter=50).value, least(J), rtol=1e-9)


def test_rows_of_weight_zero_are_as_if_absent():
    J = problem(3)
    kept = np.arange(N) % 4 > 0
    without = Objective(MemoryRows(J.features.data[kept]), J.y[kept], J.weights[kept], J.loss, Ridge(), 3)
    zero = Objective(J.features, J.y, np.where(kept, J.weights, 0.0), J.loss, Ridge(), 3)
    found, expected = (
        preconditioned_newton(each, J.start(), tol=1e-7, max_iter=50) for each in (zero, without)
    )
    assert_allclose(found.coef, expected.coef, atol=1e-4)


def test_the_more_features_lead_the_fewer_products_are_needed(monkeypatch):
    counts, product = [], Objective.hessian_product
    monkeypatch.setattr(
        Objective, "hessian_product", lambda self, *given: counts.append(1) or product(self, *given)
    )
    J, needed = problem(3, C=1e4), []
    for leading in (1, M):
        monkeypatch.setattr(preconditioner, "LEADING", leading)
        counts.clear()
        preconditioned_newton(J, J.start(), tol=1e-4, max_iter=50)
        needed.append(len(counts))
    assert needed[1] < 0.7 * needed[0]


def test_a_fit_that_is_cut_short_says_so():
    J = problem(3, C=1e4)
    assert not preconditioned_newton(J, J.start(), tol=1e-6, max_iter=1).converged


def test_near_the_minimum_the_curvature_is_not_factorised_again(monkeypatch):
    made, factorise = [], preconditioned_newton_module.precondition_leading
    monkeypatch.setattr(
        preconditioned_newton_module,
        "precondition_leading",
        lambda *given: made.append(1) or factorise(*given),
    )
    J = problem(3, C=100.0)
    rough = preconditioned_newton(J, J.start(), tol=0.03, max_iter=50)
    made.clear()
    fine = preconditioned_newton(J, rough.coef, tol=1e-6, max_iter=50)
    assert fine.n_iter > 1
    assert len(made) == 1
    assert_allclose(fine.value, least(J), rtol=1e-9)
