"""The Newton system of a group lasso with its cones."""

import numpy as np
import pytest

from kernelproba.basis.columns import KernelColumns
from kernelproba.kernels import RBF
from kernelproba.losses import Logistic, Softmax
from kernelproba.penalties import GroupLasso
from kernelproba.solvers.sparse import group_system, row_system
from kernelproba.solvers.sparse.cones import Pair, Scaling
from kernelproba.solvers.sparse.newton_system import shared_hessian
from kernelproba.solvers.sparse.objective import SparseObjective
from kernelproba.solvers.sparse.row_system import RowSystem

N, M = 40, 10


def system(loss, straight=0.0):
    rng = np.random.default_rng(0)
    k = 1 if isinstance(loss, Logistic) else 3
    y = np.arange(N) % (k + (k == 1))
    columns = KernelColumns(RBF(1.0), rng.standard_normal((N, 2)))
    objective = SparseObjective(columns, y, np.full(N, 2.0), loss, GroupLasso(), k).restrict(np.arange(M))
    theta, V = rng.standard_normal((M + 1, k)), rng.standard_normal((M, k))
    state = loss.curvature(objective.scores(theta))
    x = Pair(1.2 * np.linalg.norm(theta[:M], axis=1), theta[:M])
    scaling = Scaling(x, 0.8 * V / np.linalg.norm(V, axis=1)[:, None])
    step = rng.standard_normal((M + 1, k))
    if k > 1:  # a constant added to all intercepts changes nothing
        step[-1] -= step[-1].mean()
    return RowSystem(objective, state, scaling, straight), objective, state, scaling, step


@pytest.fixture
def exact(monkeypatch):
    monkeypatch.setattr(group_system, "STRAIGHT", 0.0)
    monkeypatch.setattr(row_system, "LARGEST", 1e7)


@pytest.mark.usefixtures("exact")
@pytest.mark.parametrize("loss", [Softmax(), Logistic()], ids=["softmax", "logistic"])
def test_products_are_those_of_hessian_and_cones(loss):
    found, objective, state, scaling, step = system(loss)
    expected = (shared_hessian(objective.smooth, state) @ step.T.ravel()).reshape(step.shape[::-1]).T
    expected[:M] += scaling.stiffness(step[:M])
    np.testing.assert_allclose(found.product(step), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.usefixtures("exact")
@pytest.mark.parametrize("loss", [Softmax(), Logistic()], ids=["softmax", "logistic"])
def test_with_all_terms_the_preconditioner_is_the_inverse(loss):
    found, *_, step = system(loss)
    np.testing.assert_allclose(found.precondition(found.product(step)), step, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("values", [10**6, 0])
@pytest.mark.parametrize("straight", [0.05, 0.5, 100.0])
def test_without_some_terms_it_is_symmetric_and_positive(straight, values, monkeypatch):
    monkeypatch.setattr(group_system, "DOUBLE_VALUES", values)
    found, *_, step = system(Softmax(), straight)
    inverse = np.stack([found.precondition(e.reshape(step.shape)).ravel() for e in np.eye(step.size)])
    scale = np.abs(inverse).max()
    np.testing.assert_allclose(inverse, inverse.T, atol=(1e-9 if values else 1e-5) * scale)
    assert np.linalg.eigvalsh((inverse + inverse.T) / 2).min() > 0
    solved = found.solve(step, 1e-4 if values == 0 else 1e-9)
    np.testing.assert_allclose(found.product(solved), step, rtol=1e-2, atol=1e-2)


def test_no_more_terms_than_there_may_be(monkeypatch):
    monkeypatch.setattr(row_system, "MOST", 12)
    found, *_ = system(Softmax())
    assert len(found.U) <= 12
