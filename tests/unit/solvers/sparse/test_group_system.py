"""The Newton system of a group lasso."""

import numpy as np
import pytest

from kernelproba.basis.columns import KernelColumns
from kernelproba.kernels import RBF
from kernelproba.losses import Softmax
from kernelproba.penalties import GroupLasso
from kernelproba.solvers.sparse import group_system, newton_system
from kernelproba.solvers.sparse.group_system import GroupSystem, definite_inverse
from kernelproba.solvers.sparse.newton_system import NewtonSystem, hessian_block, shared_hessian
from kernelproba.solvers.sparse.objective import SparseObjective

RNG = np.random.default_rng(0)
Y = np.arange(40) % 3
OBJECTIVE = SparseObjective(
    KernelColumns(RBF(1.0), RNG.standard_normal((40, 2))), Y, np.full(40, 2.0), Softmax(), GroupLasso(), 3
).restrict(np.arange(10))
THETA, STEP = RNG.standard_normal((2, 11, 3))
STATE = Softmax().curvature(OBJECTIVE.scores(THETA))


def system(theta=THETA):
    return GroupSystem(OBJECTIVE, theta, np.arange(11), STATE)


@pytest.mark.parametrize(("values", "rtol"), [(10**6, 1e-5), (0, 1e-4)])
def test_products_in_either_precision_are_those_of_the_hessian(values, rtol, monkeypatch):
    monkeypatch.setattr(group_system, "DOUBLE_VALUES", values)
    monkeypatch.setattr(group_system, "STRAIGHT", 0.0)
    everything = np.ones((11, 3), dtype=bool), STATE, np.ones((40, 3), dtype=bool)
    expected = NewtonSystem(OBJECTIVE, THETA, *everything).product(STEP)
    np.testing.assert_allclose(system().product(STEP), expected, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("share", [0.0, 0.1, 2.0])
@pytest.mark.parametrize("values", [10**6, 0])
def test_the_preconditioner_is_symmetric_and_positive(share, values, monkeypatch):
    monkeypatch.setattr(group_system, "LEAST_SHARE", share)
    monkeypatch.setattr(group_system, "DOUBLE_VALUES", values)
    inverse = system()
    M = np.stack([inverse.precondition(e.reshape(11, 3)).ravel() for e in np.eye(33)])
    np.testing.assert_allclose(M, M.T, atol=1e-12 if values else 1e-3)
    assert np.linalg.eigvalsh((M + M.T) / 2).min() > 0


def test_of_one_curvature_for_all_scores_the_preconditioner_is_the_inverse(monkeypatch):
    """The penalty's curvature is in it as it is, not its bound alone."""
    monkeypatch.setattr(group_system, "STRAIGHT", 0.0)
    exact = system()
    shared = exact.curvature.gram()
    product = shared @ STEP + exact.damping * STEP
    product[:10] += GroupLasso().curvature_product(THETA[:10], STEP[:10])
    np.testing.assert_allclose(exact.precondition(product), STEP, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_inverse_of_a_matrix_without_full_rank_is_that_with_the_diagonal(dtype):
    root = RNG.standard_normal((300, 5)).astype(dtype)
    A, diagonal = root @ root.T, np.linspace(1, 2, 300)
    product = definite_inverse(A, diagonal) @ (A + np.diag(diagonal))
    np.testing.assert_allclose(product, np.eye(300), atol=1e-10 if dtype == np.float64 else 2e-3)


def test_groups_next_to_zero_move_as_far_as_the_loss_lets_them():
    """The bound of the penalty's curvature alone would hold them where they are."""
    theta = THETA.copy()
    theta[:3] *= 1e-6
    near = system(theta)
    along = np.zeros_like(theta)
    along[0] = theta[0] / np.linalg.norm(theta[0])
    assert np.vdot(along, near.precondition(near.product(along))) > 0.1
    # Of the curvature that it knows, one for all scores, it is the inverse there, too, but for what is left.
    known = near.curvature.gram() @ along + near.damping * along
    known[:10] += GroupLasso().curvature_product(theta[:10], along[:10])
    assert np.vdot(along, near.precondition(known)) == pytest.approx(1, abs=0.2)


@pytest.mark.parametrize(("straight", "atol"), [(0.0, 1e-12), (1e-4, 40 * 1e-4)])
def test_a_hessian_of_all_scores_leaves_out_next_to_no_curvature(straight, atol, monkeypatch):
    monkeypatch.setattr(newton_system, "STRAIGHT", straight)
    H = shared_hessian(OBJECTIVE.smooth, STATE)
    whole = hessian_block(OBJECTIVE.smooth, STATE, [(j, np.arange(11)) for j in range(3)])
    np.testing.assert_allclose(H, whole, atol=atol)
    assert np.linalg.eigvalsh(H).min() > -1e-10
