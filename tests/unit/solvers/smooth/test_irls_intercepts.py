import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from kernelproba import KernelLogisticRegression
from kernelproba.kernels import RBF, kernel_matrix
from kernelproba.losses import Softmax
from kernelproba.objective import DenseMatrix, KernelObjective
from kernelproba.solvers import irls
from kernelproba.solvers.smooth.irls import best_intercept


class CountedSoftmax(Softmax):
    """Counts how often the loss is evaluated."""

    calls = 0

    def terms(self, F, y, weights):
        self.calls += 1
        return super().terms(F, y, weights)


@pytest.mark.parametrize("row", [123, 131])
def test_shifts_of_all_scores_are_no_obstacle_at_large_C(row):
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = KernelLogisticRegression(1000, gamma=0.08, tol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(np.delete(X, row, axis=0), np.delete(y, row))
    assert model.residual_ <= 1e-6


def test_intercepts_take_few_evaluations_of_the_loss():
    X, y = load_digits(return_X_y=True)
    X, y, loss = X[:300], y[:300], CountedSoftmax()
    K = DenseMatrix(kernel_matrix(RBF(30.0), X))
    objective = KernelObjective(K, y, np.full(300, 1e4), loss, 10)
    solution = irls(objective, np.zeros((301, 10)), tol=1e-4, max_iter=100)
    assert solution.converged
    assert loss.calls <= 25 * (solution.n_iter + 1)


def _of_random_labels(seed):
    """Five classes that say nothing of 60 rows, and coefficients that say nothing of them either."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 5, 60)
    K = DenseMatrix(kernel_matrix(RBF(2.0), X))
    return KernelObjective(K, y, np.full(60, 100.0), Softmax(), 5), rng.normal(size=(61, 5))


@pytest.mark.parametrize("scale", [30, 300, 1e4])
@pytest.mark.parametrize("seed", range(3))
def test_a_start_that_is_certain_of_wrong_labels_leads_to_the_minimum_too(seed, scale):
    objective, start = _of_random_labels(seed)
    found, expected = (
        irls(objective, theta, tol=1e-4, max_iter=200) for theta in (scale * start, np.zeros_like(start))
    )
    assert found.converged
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-6)


def test_intercepts_never_raise_the_loss_where_scores_leave_no_curvature():
    objective, start = _of_random_labels(0)
    F = objective.K.product(30 * start[:-1])
    _, terms = best_intercept(objective, F, np.zeros(5))
    assert terms.value <= objective.terms(F).value
