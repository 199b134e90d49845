import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from kernelproba import KernelLogisticRegression
from kernelproba.kernels import RBF, kernel_matrix
from kernelproba.losses import Softmax
from kernelproba.objective import DenseMatrix, KernelObjective
from kernelproba.solvers import irls


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
