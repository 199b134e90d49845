from dataclasses import replace

import numpy as np
import pytest

from kernelproba.kernels import RBF, kernel_matrix
from kernelproba.losses import Softmax
from kernelproba.objective import DenseMatrix, KernelObjective
from kernelproba.solvers.smooth import recycled_directions
from kernelproba.solvers.smooth.irls import irls
from kernelproba.solvers.smooth.recycled_directions import RecycledDirections


class CountedMatrix(DenseMatrix):
    """Counts its products."""

    n_products = 0

    def product(self, A):
        self.n_products += 1
        return super().product(A)


@pytest.fixture
def any_run(monkeypatch):
    """Keep the directions of any run, however short."""
    monkeypatch.setattr(recycled_directions, "LONG_RUN", 0)


def problem(n=240, k=3, weight=30.0, dtype=np.float64):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = (X[:, :k] + 0.8 * rng.normal(size=(n, k))).argmax(axis=1)
    K = CountedMatrix(kernel_matrix(RBF(2.0), X).astype(dtype))
    return KernelObjective(K, y, np.full(n, weight), Softmax(), k)


def irls_from_smaller_weights(J, *, tol):
    """Directions and the start of an easier problem with a hundredth of the weights."""
    recycled, start = RecycledDirections.of(J), np.zeros((241, 3))
    rough = irls(replace(J, weights=J.weights / 100), start, tol=0.1, max_iter=100, recycled=recycled)
    return irls(J, rough, tol=tol, max_iter=100, recycled=recycled)


@pytest.mark.usefixtures("any_run")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_deflated_system_is_solved_in_the_span_of_its_directions(dtype):
    rng = np.random.default_rng(1)
    n, k, m = 200, 2, 10
    B = rng.normal(size=(n, n))
    K, d = B @ B.T / n, rng.random((n, 1))
    recycled = RecycledDirections(n, k, np.dtype(dtype))
    Z = rng.normal(size=(m, n, k))
    recycled.extend([(z, K @ z, 1.0) for z in Z])
    deflation = recycled.deflation(lambda V: d * V)
    residual = Z[3] + d * (K @ Z[3])  # H z₃: the solution is in the span
    step, K_step, image = deflation.start(residual)
    tolerance = 1e-3 if dtype == np.float32 else 1e-9
    np.testing.assert_allclose(step, Z[3], atol=tolerance)
    np.testing.assert_allclose(K_step, K @ Z[3], atol=10 * tolerance)
    np.testing.assert_allclose(image, residual, atol=10 * tolerance)
    rest, K_rest = deflation.project(*(r := rng.normal(size=(n, k)), K @ r))
    conjugate = [np.vdot(K @ z, rest + d * (K @ rest)) for z in Z]
    np.testing.assert_allclose(conjugate, 0, atol=100 * tolerance)
    np.testing.assert_allclose(K_rest, K @ rest, atol=100 * tolerance)


@pytest.mark.usefixtures("any_run")
@pytest.mark.parametrize("length", [-0.5, np.nan])
def test_a_direction_that_rounding_has_left_without_length_is_passed_over(length):
    rng = np.random.default_rng(1)
    n, k, m = 200, 2, 10
    d, Z = rng.random((n, 1)), rng.normal(size=(m, n, k))
    recycled = RecycledDirections(n, k, np.dtype(np.float64))
    recycled.extend([*((z, z, 1.0) for z in Z), (Z[0], length * Z[0], 1.0)])
    deflation = recycled.deflation(lambda V: d * V)
    step, _, _ = deflation.start(Z[3] + d * Z[3])
    np.testing.assert_allclose(step, Z[3], atol=1e-9)


def test_directions_are_kept_once_a_run_was_long():
    recycled = RecycledDirections(400, 3, np.dtype(np.float64))
    directions = [
        (z, z, 1.0) for z in np.random.default_rng(0).normal(size=(recycled_directions.LONG_RUN + 1, 400, 3))
    ]
    recycled.extend(directions[:-1])
    assert recycled.deflation(lambda V: V) is None
    recycled.extend(directions)
    assert recycled.deflation(lambda V: V) is not None


@pytest.mark.usefixtures("any_run")
def test_recycling_saves_products_and_finds_the_same_minimum(monkeypatch):
    J = problem()
    with_them = irls_from_smaller_weights(J, tol=1e-6)
    spent, J.K.n_products = J.K.n_products, 0
    monkeypatch.setattr(recycled_directions, "MOST_DIRECTIONS", 0)
    without = irls_from_smaller_weights(J, tol=1e-6)
    assert with_them.converged
    assert with_them.value == pytest.approx(without.value, rel=1e-10)
    assert spent < 0.9 * J.K.n_products


def test_a_start_from_smaller_weights_ends_where_a_start_from_zero_does():
    J = problem()
    warm = irls_from_smaller_weights(J, tol=1e-7)
    cold = irls(J, np.zeros((241, 3)), tol=1e-7, max_iter=100)
    assert warm.value == pytest.approx(cold.value, rel=1e-10)
    K = J.K.K
    np.testing.assert_allclose(K @ warm.coef[:240], K @ cold.coef[:240], atol=1e-4)


def test_directions_take_a_quarter_of_the_memory_of_the_matrix_at_most():
    for n, k in [(6000, 26), (1000, 10), (300, 10), (100, 3)]:
        recycled = RecycledDirections(n, k, np.dtype(np.float32))
        assert 2 * recycled.most * n * k <= n**2 / 4
    assert RecycledDirections(5000, 1, np.dtype(np.float32)).most == 0
