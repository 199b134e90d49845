"""The linear programming machine against scipy.optimize.linprog."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog
from sklearn.datasets import make_moons

from kernelproba.basis.gram import Gram
from kernelproba.kernels import RBF
from kernelproba.solvers.lp import linear_machine
from kernelproba.solvers.lp.linear_machine import linear_machine_path


def reference(K, y, weight, penalty):
    """min λ Σβ + Σ wξ over (β, ξ, b), yᵢ(Σ yⱼβⱼκ(xᵢ, xⱼ) + b) ≥ 1 − ξᵢ, labels ±1."""
    n, sign = len(y), 2 * y - 1
    cost = np.r_[np.full(n, penalty), weight, 0]
    rows = -np.c_[sign[:, None] * K * sign, np.eye(n), sign]
    return linprog(cost, rows, -np.ones(n), bounds=[(0, None)] * (2 * n) + [(None, None)])


@pytest.mark.parametrize("written_out", [True, False])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("width", [0.1, 0.5, 3.0])
def test_every_minimum_of_a_path_is_that_of_linprog(seed, width, written_out, monkeypatch):
    monkeypatch.setattr(linear_machine, "WRITTEN_OUT", np.inf if written_out else 0.0)
    rng = np.random.default_rng(seed)
    X, y = make_moons(60, noise=0.3, random_state=seed)
    y[: 10 * seed] = 0
    weight, K = rng.random(60) + 0.1, RBF(width)(X, X)
    penalties = [100.0, 3.0, 1.0, 0.1, 0.01]
    for penalty, fit in zip(
        penalties, linear_machine_path(Gram.of_matrix(K), y, weight, penalties), strict=True
    ):
        expected = reference(K, y, weight, penalty)
        assert_allclose(fit.value, expected.fun, rtol=1e-7)
        assert abs(fit.gap) < 1e-6 * fit.value
        sign = 2 * y - 1
        hinge = np.maximum(0, 1 - sign * (K @ (sign * fit.beta) + fit.intercept))
        assert_allclose(fit.value, penalty * fit.beta.sum() + weight @ hinge, rtol=1e-7)
