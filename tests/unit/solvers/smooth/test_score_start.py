import numpy as np
import pytest
from sklearn.datasets import load_digits

from kernelproba.kernels import RBF, kernel_matrix
from kernelproba.losses import loss_for
from kernelproba.objective import DenseMatrix, KernelObjective
from kernelproba.solvers import irls
from kernelproba.solvers.smooth.recycled_directions import RecycledDirections
from kernelproba.solvers.smooth.score_start import from_scores

C = 100.0


class CountedMatrix(DenseMatrix):
    """Counts its products."""

    products = 0

    def product(self, A):
        self.products += 1
        return super().product(A)


def _objective(n_classes, width, rows=slice(None), *, fit_intercept=True):
    X, y = load_digits(return_X_y=True)
    X, y = X[:200][rows] / 16, y[:200][rows] % n_classes
    K, loss = CountedMatrix(kernel_matrix(RBF(width), X)), loss_for(n_classes)
    return KernelObjective(K, y, np.full(len(y), C), loss, loss.n_scores(n_classes), fit_intercept)


def _from_nothing(objective, tol=1e-6):
    theta = np.zeros((len(objective.y) + objective.fit_intercept, objective.n_scores))
    return irls(objective, theta, tol=tol, max_iter=100)


def _scores(objective, solution):
    b = solution.coef[-1] if objective.fit_intercept else 0.0
    return solution.values + b


def _from_scores(objective, F, tol=1e-6):
    recycled = RecycledDirections.of(objective)
    start = from_scores(objective, F, recycled)
    return irls(objective, start, tol=tol, max_iter=100, recycled=recycled)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n_classes", [2, 10])
def test_a_fit_from_any_scores_ends_at_the_minimum(n_classes, fit_intercept):
    objective = _objective(n_classes, 2.0, fit_intercept=fit_intercept)
    F = np.random.default_rng(1).normal(size=(200, objective.n_scores))
    found, expected = _from_scores(objective, F), _from_nothing(objective)
    assert found.converged
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 10])
def test_the_first_step_from_the_scores_of_the_solution_is_the_solution(n_classes, monkeypatch):
    monkeypatch.setattr("kernelproba.solvers.smooth.score_start.ERROR", 1e-8)
    objective = _objective(n_classes, 2.0)
    solution = _from_nothing(objective, tol=1e-8)
    start = from_scores(objective, _scores(objective, solution), RecycledDirections.of(objective))
    np.testing.assert_allclose(start.values, solution.values, atol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 10])
def test_scores_of_another_width_or_of_all_rows_spare_products(n_classes):
    narrow, rows = _objective(n_classes, 1.5), np.flatnonzero(np.arange(200) % 4)
    F = _scores(narrow, _from_nothing(narrow, tol=0.05))
    for objective, known in (
        (_objective(n_classes, 2.0), F),
        (_objective(n_classes, 1.5, rows), F[rows]),
    ):
        _from_nothing(objective, tol=0.05)
        from_nothing, objective.K.products = objective.K.products, 0
        assert _from_scores(objective, known, tol=0.05).converged
        assert objective.K.products < 0.8 * from_nothing
