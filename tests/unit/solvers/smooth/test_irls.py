import numpy as np

from kernelproba.kernels import RBF, kernel_matrix
from kernelproba.losses import Softmax
from kernelproba.objective import DenseMatrix, KernelObjective
from kernelproba.solvers.smooth import irls as module


def test_a_fit_whose_steps_rounding_stops_ends_and_says_so(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    objective = KernelObjective(DenseMatrix(kernel_matrix(RBF(2.0), X)), y, np.full(60, 100.0), Softmax(), 3)
    real = module.length_along

    def hardly_any(objective, at, step, value, gradient):
        _, terms = real(objective, at, step, value, gradient)
        return module.LEAST_LENGTH / 2, terms

    monkeypatch.setattr(module, "length_along", hardly_any)
    solution = module.irls(objective, np.zeros((61, 3)), tol=1e-4, max_iter=200)
    assert solution.n_iter == 1
    assert not solution.converged
