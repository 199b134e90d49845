"""Fits by way of samples: the optimum, its certificate, and what samples may lack."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelproba.kernels import RBF
from kernelproba.losses import loss_for
from kernelproba.objective import Objective
from kernelproba.penalties import FunctionNorm, Ridge
from kernelproba.rows import MemoryRows
from kernelproba.solvers import newton_cholesky
from kernelproba.solvers.smooth.preconditioner import precondition
from kernelproba.solvers.smooth.progressive import _shrunk, progressive

N, M = 600, 15


def problem(n_classes, fit_intercept=True, C=5.0, dtype=np.float64):
    """Kernel features of N rows; also the whitened ones, of the same function space."""
    rng = np.random.default_rng(n_classes)
    X = rng.standard_normal((N, 3))
    y = (np.sin(2 * X[:, :1]) * np.arange(n_classes) + rng.gumbel(size=(N, n_classes))).argmax(axis=1)
    kernel, Z = RBF(1.0), X[:M]
    K, Phi, loss = kernel(Z, Z) + 1e-9 * np.eye(M), kernel(X, Z), loss_for(n_classes)
    k = loss.n_scores(n_classes)

    def objective(rows=slice(None), factor=1.0):
        features = MemoryRows(Phi[rows].astype(dtype), 100)
        weights = np.full(len(y[rows]), factor * C)
        return Objective(features, y[rows], weights, loss, FunctionNorm(K), k, fit_intercept)

    whitened = Phi @ np.linalg.inv(np.linalg.cholesky(K)).T
    reference = Objective(MemoryRows(whitened), y, np.full(N, C), loss, Ridge(), k, fit_intercept)
    return objective, reference


def optimum(reference):
    return newton_cholesky(reference, reference.start(), tol=1e-10, max_iter=100).value


@pytest.mark.parametrize(("n_classes", "fit_intercept"), [(2, True), (2, False), (3, True), (5, False)])
def test_it_finds_the_optimum_of_the_whitened_problem(n_classes, fit_intercept):
    objective, reference = problem(n_classes, fit_intercept)
    samples = [objective(slice(0, 60), 10.0), objective(slice(0, 300), 2.0)]
    solution = progressive(samples, objective(), objective().start(), tol=1e-5, max_iter=200)
    assert solution.converged
    assert_allclose(solution.value, optimum(reference), rtol=1e-9)


def test_a_sample_of_all_rows_is_the_problem_itself():
    objective, reference = problem(3)
    solution = progressive([objective()], None, objective().start(), tol=1e-5, max_iter=200)
    assert_allclose(solution.value, optimum(reference), rtol=1e-9)


@pytest.mark.parametrize("tol", [1e-1, 1e-2, 1e-3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_tolerance_squared_bounds_the_relative_gap(tol, dtype):
    objective, reference = problem(4, C=100.0, dtype=dtype)
    samples = [objective(slice(0, 150), 4.0)]
    solution = progressive(samples, objective(), objective().start(), tol=tol, max_iter=200)
    best = optimum(reference)
    assert solution.converged
    assert solution.value - best <= tol**2 * best + 1e-6 * best


def test_a_class_that_the_sample_lacks_is_learnt_from_all_rows():
    objective, reference = problem(3)
    present = np.flatnonzero(objective().y != 2)[:200]
    samples = [objective(present, N / 200)]
    solution = progressive(samples, objective(), objective().start(), tol=1e-5, max_iter=200)
    assert solution.converged
    assert_allclose(solution.value, optimum(reference), rtol=1e-8)


def test_a_fit_that_is_cut_short_says_so():
    objective, _ = problem(3, C=1e4)
    solution = progressive(
        [objective(slice(0, 60), 10.0)], objective(), objective().start(), tol=1e-6, max_iter=1
    )
    assert not solution.converged
    assert solution.residual > 1e-6


def test_for_one_score_the_preconditioner_is_the_hessian():
    objective, _ = problem(2, fit_intercept=False)
    J = objective()
    theta = np.random.default_rng(0).standard_normal(J.shape)
    G = np.random.default_rng(1).standard_normal(J.shape)
    step = precondition(J, theta, per_score=True).solve(G)
    assert_allclose(J.hessian_product(J.curvature(theta), step), G, rtol=1e-3, atol=1e-3)


def test_all_rows_are_seen_a_few_times_only():
    objective, _ = problem(3)
    full, visits = objective(), []
    fold = MemoryRows.fold

    class Counted(MemoryRows):
        def fold(self, fn, *aligned, shared=()):
            visits.append(fn)
            return fold(self, fn, *aligned, shared=shared)

    counted = Objective(
        Counted(full.features.data, 100), full.y, full.weights, full.loss, full.penalty, 3, True
    )
    progressive([objective(slice(0, 300), 2.0)], counted, full.start(), tol=1e-2, max_iter=200)
    assert len(visits) <= 12


def test_a_larger_sample_spares_passes_over_all_rows_and_ends_at_the_same_minimum():
    objective, reference = problem(3)
    full, counts = objective(), []
    for larger in ([], [objective(slice(0, 400), 1.5)]):
        seen = []
        steps = CountedObjective(**vars(full) | {"seen": seen})
        solution = progressive(
            [objective(slice(0, 60), 10.0)], steps, full.start(), tol=1e-4, max_iter=200, larger=iter(larger)
        )
        assert_allclose(solution.value, optimum(reference), rtol=1e-7)
        counts.append(len(seen))
    assert counts[1] < counts[0]


def test_a_separable_sample_leads_no_further_astray_than_no_sample():
    # A function of the sample that is certain of everything is worse on more rows than none.
    objective, reference = problem(5, C=1e7)
    samples, seen = [objective(slice(0, 20), 30.0), objective(slice(0, 300), 2.0)], []
    steps = CountedObjective(**vars(objective()) | {"seen": seen})
    solution = progressive(samples, steps, objective().start(), tol=1e-3, max_iter=200)
    assert solution.converged
    assert solution.value <= optimum(reference) * (1 + 1e-5)
    assert len(seen) <= 20


def test_a_function_is_shrunk_to_what_suits_other_rows():
    objective, _ = problem(3)
    few, more = objective(slice(0, 15), 40.0), objective(slice(100, 400), 2.0)
    certain = progressive([few], None, few.start(), tol=1e-3, max_iter=200).coef
    shrunk = _shrunk(more, 10 * certain)
    values = [more.value_and_gradient(theta)[0] for theta in (shrunk, 10 * certain, 0 * certain)]
    assert values[0] == min(values)
    assert values[0] < values[1]


@dataclass(frozen=True)
class CountedObjective(Objective):
    """Tells how often all rows were walked."""

    seen: list = field(default_factory=list)

    def value_and_gradient(self, theta):
        self.seen.append(theta)
        return super().value_and_gradient(theta)
