"""The Newton system of a group lasso."""

import numpy as np
import pytest

from kernelproba.basis.columns import KernelColumns
from kernelproba.kernels import RBF
from kernelproba.losses import Softmax
from kernelproba.penalties import GroupLasso
from kernelproba.solvers.sparse import group_system, newton_system
from kernelproba.solvers.sparse.group_system import GroupSystem
from kernelproba.solvers.sparse.newton_system import NewtonSystem, hessian_block, shared_hessian
from kernelproba.solvers.sparse.objective import SparseObjective

RNG = np.random.default_rng(0)
Y = np.arange(40) % 3
OBJECTIVE = SparseObjective(
    KernelColumns(RBF(1.0), RNG.standard_normal((40, 2))), Y, np.full(40, 2.0), Softmax(), GroupLasso(), 3
).restrict(np.arange(10))
THETA, STEP = RNG.standard_normal((2, 11, 3))
STATE, ALL = Softmax().curvature(OBJECTIVE.scores(THETA)), np.ones((40, 3), dtype=bool)


def system():
    return GroupSystem(OBJECTIVE, THETA, np.arange(11), STATE, ALL)


@pytest.mark.parametrize(("values", "rtol"), [(10**6, 1e-5), (0, 1e-4)])
def test_products_in_either_precision_are_those_of_the_hessian(values, rtol, monkeypatch):
    monkeypatch.setattr(group_system, "DOUBLE_VALUES", values)
    expected = NewtonSystem(OBJECTIVE, THETA, np.ones((11, 3), dtype=bool), STATE, ALL).product(STEP)
    np.testing.assert_allclose(system().product(STEP), expected, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("share", [0.0, 0.3, 1e9])
def test_the_preconditioner_is_symmetric_and_positive(share, monkeypatch):
    monkeypatch.setattr(group_system, "SHARE", share)
    inverse = system()
    M = np.stack([inverse.precondition(e.reshape(11, 3)).ravel() for e in np.eye(33)])
    np.testing.assert_allclose(M, M.T, atol=1e-12)
    assert np.linalg.eigvalsh(M).min() > 0


@pytest.mark.parametrize(("straight", "atol"), [(0.0, 1e-12), (1e-4, 40 * 1e-4)])
def test_a_hessian_of_all_scores_leaves_out_next_to_no_curvature(straight, atol, monkeypatch):
    monkeypatch.setattr(newton_system, "STRAIGHT", straight)
    H = shared_hessian(OBJECTIVE.smooth, STATE)
    whole = hessian_block(OBJECTIVE.smooth, STATE, [(j, np.arange(11)) for j in range(3)])
    np.testing.assert_allclose(H, whole, atol=atol)
    assert np.linalg.eigvalsh(H).min() > -1e-10
