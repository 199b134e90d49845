import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelproba.kernels import RBF, kernel_matrix
from kernelproba.losses import Logistic
from kernelproba.objective import DenseMatrix, KernelObjective
from kernelproba.solvers.smooth.binary_stack import BinaryStack
from kernelproba.solvers.smooth.irls import irls
from kernelproba.solvers.smooth.stacked_subspaces import _solved, binary_subspace, stacked_subspaces


def problems(sizes, seed=0):
    """Kernel matrices and labels of problems of several sizes."""
    rng = np.random.default_rng(seed)
    for n in sizes:
        X = rng.normal(size=(n, 3))
        yield kernel_matrix(RBF(1.5), X), (X[:, 0] + 0.7 * rng.normal(size=n) > 0).astype(int)


def stacked(parts, weight, *, fit_intercept):
    """A stack of problems, padded to the largest."""
    n = max(len(y) for _, y in parts)
    K, sign, weights = np.zeros((len(parts), n, n)), np.zeros((len(parts), n)), np.zeros((len(parts), n))
    for q, (matrix, y) in enumerate(parts):
        m = len(y)
        K[q, :m, :m], sign[q, :m], weights[q, :m] = matrix, 2 * y - 1, weight
    return BinaryStack(K, sign, weights, fit_intercept)


def zeros(stack):
    return np.zeros(stack.sign.shape), np.zeros(len(stack.sign))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weight", [0.1, 10.0, 1000.0])
def test_problems_solved_together_are_solved_as_one_by_one(weight, fit_intercept):
    parts = list(problems([40, 25, 33, 7, 40]))
    stack = stacked(parts, weight, fit_intercept=fit_intercept)
    found = stacked_subspaces(stack, zeros(stack), tol=1e-8, max_iter=100)
    assert found.converged.all()
    for q, (K, y) in enumerate(parts):
        n = len(y)
        J = KernelObjective(DenseMatrix(K), y, np.full(n, weight), Logistic(), 1, fit_intercept)
        alone = irls(J, np.zeros((n + fit_intercept, 1)), tol=1e-8, max_iter=100)
        assert found.value[q] == pytest.approx(alone.value, rel=1e-10)
        np.testing.assert_allclose(K @ found.A[q, :n], K @ alone.coef[:n, 0], atol=1e-5)
        if fit_intercept:
            assert found.b[q] == pytest.approx(alone.coef[n, 0], abs=1e-5)


def test_the_gradient_vanishes_and_padding_stays_at_zero():
    parts = list(problems([30, 12]))
    stack = stacked(parts, 5.0, fit_intercept=True)
    found = stacked_subspaces(stack, zeros(stack), tol=1e-9, max_iter=100)
    for q, (K, y) in enumerate(parts):
        A = found.A[q, : len(y)]
        p = 1 / (1 + np.exp(-(K @ A + found.b[q])))
        np.testing.assert_allclose(K @ (A + 5.0 * (p - y)), 0, atol=1e-7)
        assert abs((p - y).sum()) < 1e-7
    np.testing.assert_array_equal(found.A[1, 12:], 0)


def test_a_single_problem_in_single_precision_converges_as_far_as_its_matrix_is_known():
    ((K, y),) = problems([300])
    stack = BinaryStack(
        K[None].astype(np.float32), 2.0 * y[None] - 1, np.full((1, 300), 10.0), fit_intercept=True
    )
    single = stacked_subspaces(stack, zeros(stack), tol=1e-4, max_iter=100)
    stack = stacked([(K, y)], 10.0, fit_intercept=True)
    double = stacked_subspaces(stack, zeros(stack), tol=1e-4, max_iter=100)
    assert single.converged.all()
    assert single.value[0] == pytest.approx(double.value[0], rel=1e-5)


def test_a_problem_that_may_not_iterate_says_so():
    parts = list(problems([20, 20]))
    stack = stacked(parts, 100.0, fit_intercept=True)
    found = stacked_subspaces(stack, zeros(stack), tol=1e-8, max_iter=1)
    assert not found.converged.any()
    np.testing.assert_array_equal(found.n_iter, 1)


def test_a_problem_of_one_class_has_no_finite_intercept_and_does_no_harm():
    (K, y), (other, z) = problems([20, 20])
    stack = stacked([(K, y), (other, np.ones_like(z))], 1.0, fit_intercept=True)
    found = stacked_subspaces(stack, zeros(stack), tol=1e-6, max_iter=100)
    assert found.converged[0]
    assert np.isfinite(found.A).all()


def test_the_residual_that_is_claimed_holds_by_values_in_double_precision():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] + 0.5 * rng.normal(size=400) > 0).astype(int)
    K = kernel_matrix(RBF(4.0), X)
    stack = BinaryStack([K.astype(np.float32)], 2.0 * y[None] - 1, np.full((1, 400), 300.0), True)
    found = stacked_subspaces(stack, zeros(stack), tol=1e-2, max_iter=100)
    A = found.A[0]
    gradient = A + 300.0 * (1 / (1 + np.exp(-(K @ A + found.b[0]))) - y)
    residual = np.sqrt(gradient @ K @ gradient) / (1 + np.sqrt(A @ K @ A))
    assert found.converged.all()
    assert residual <= 1.1 * max(found.residual[0], 1e-2)


def test_of_large_matrices_the_upper_triangle_is_not_read():
    (whole,) = problems([150])
    K, y = whole
    both = []
    for matrix in (K, np.tril(K)):
        stack = BinaryStack([matrix], 2.0 * y[None] - 1, np.full((1, 150), 10.0), True)
        both.append(stacked_subspaces(stack, zeros(stack), tol=1e-6, max_iter=100))
    np.testing.assert_array_equal(both[0].A, both[1].A)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_start_at_the_minimum_stays_there(fit_intercept):
    ((K, y),) = problems([120])
    stack = stacked([(K, y)], 10.0, fit_intercept=fit_intercept)
    found = stacked_subspaces(stack, zeros(stack), tol=1e-8, max_iter=100)
    again = stacked_subspaces(stack, (found.A, found.b), tol=1e-6, max_iter=100)
    assert again.n_iter[0] == 0
    np.testing.assert_allclose(again.KA, found.KA, atol=1e-6)


@pytest.mark.parametrize("size", [0.1, 1.0, 10.0, 1e4])
def test_a_start_at_which_no_score_has_curvature_is_left_behind(size):
    (K, y), weights = next(problems([200])), np.full(200, 30.0)
    objective = KernelObjective(DenseMatrix(K), y, weights, Logistic(), 1, True)
    far = np.zeros((201, 1))
    far[:200, 0] = size * (2 + np.where(y == 1, -1, 1))
    found = binary_subspace(objective, K, far, tol=1e-6, max_iter=200)
    near = binary_subspace(objective, K, np.zeros((201, 1)), tol=1e-6, max_iter=200)
    assert not found.converged or abs(found.value / near.value - 1) < 1e-6


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_one_problem_ends_where_conjugate_gradients_end(fit_intercept):
    ((K, y),) = problems([200])
    J = KernelObjective(DenseMatrix(K), y, np.full(200, 20.0), Logistic(), 1, fit_intercept)
    start = np.zeros((200 + fit_intercept, 1))
    alone = irls(J, start, tol=1e-8, max_iter=100)
    found = binary_subspace(J, K, start, tol=1e-8, max_iter=100)
    assert found.converged
    assert found.value == pytest.approx(alone.value, rel=1e-10)
    np.testing.assert_allclose(found.values, alone.values, atol=1e-5)


def test_a_problem_whose_hessian_is_singular_takes_no_step_and_holds_up_no_other():
    H, rhs = np.stack([np.diag([2.0, 4.0]), np.ones((2, 2))]), np.ones((2, 2))
    assert_allclose(_solved(H, rhs), [[0.5, 0.25], [0.0, 0.0]])


def test_problems_of_one_matrix_are_solved_as_one_by_one():
    ((K, y),) = problems([150])
    sign, fold = np.tile(2.0 * y - 1, (3, 1)), np.arange(150) % 3
    weights = np.stack([np.where(fold == k, 0.0, 20.0) for k in range(3)])
    stack = BinaryStack([K] * 3, sign, weights, True)
    together = stacked_subspaces(stack, zeros(stack), tol=1e-8, max_iter=100)
    assert together.converged.all()
    for k, found in enumerate(together.each(fit_intercept=True)):
        J = KernelObjective(DenseMatrix(K), y, weights[k], Logistic(), 1, True)
        alone = irls(J, np.zeros((151, 1)), tol=1e-8, max_iter=100)
        assert found.value == pytest.approx(alone.value, rel=1e-10)
        assert_allclose(found.values + found.coef[-1], alone.values + alone.coef[-1], atol=1e-4)
        assert_allclose(found.coef[:-1][fold == k], 0, atol=1e-6)
