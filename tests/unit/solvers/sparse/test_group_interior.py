"""Group lassos of many entries by an interior-point method."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from kernelproba.basis.columns import KernelColumns
from kernelproba.kernels import RBF
from kernelproba.losses import Softmax
from kernelproba.penalties import GroupLasso, Lasso
from kernelproba.solvers.sparse import group_interior, group_smoothing, working_set
from kernelproba.solvers.sparse.objective import SparseObjective

#: The package exports the function of the module's name.
rounds = sys.modules["kernelproba.solvers.sparse.working_set"]
N, K = 240, 6


def problem(C=2.0):
    rng = np.random.default_rng(0)
    y = np.arange(N) % K
    X = rng.standard_normal((N, 3)) + 1.5 * np.eye(K, 3)[y] - 1.5 * np.eye(K, 3, -3)[y]
    return SparseObjective(KernelColumns(RBF(0.7), X), y, np.full(N, C), Softmax(), GroupLasso(), K)


@pytest.fixture
def many(monkeypatch):
    """Let so few entries count as many."""
    for part in (group_smoothing, rounds):
        monkeypatch.setattr(part, "DENSE_SIZE", 100)


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("C", [0.05, 2.0, 20.0])
@pytest.mark.parametrize(("rows", "joining"), [(1000, 0.5), (0, 0.5), (0, 0.0)])
def test_the_path_ends_at_the_minimum(C, rows, joining, monkeypatch):
    """Whether it begins with all rows or with those of a lasso, with others beside or without."""
    monkeypatch.setattr(rounds, "PAIR_ROWS", rows)
    monkeypatch.setattr(group_interior, "FIRST_JOINING", joining)
    whole = problem(C)
    path = working_set(whole, whole.null_model(), tol=1e-4, max_iter=1000)
    assert path.converged
    monkeypatch.setattr(rounds, "MODERATE", 0.0)
    without = working_set(whole, whole.null_model(), tol=1e-4, max_iter=1000)
    assert path.value <= without.value * (1 + 1e-6)
    assert path.value == pytest.approx(without.value, rel=1e-4)


@pytest.mark.usefixtures("many")
def test_the_path_alone_converges_in_few_steps():
    """Steps on working sets that were not the last ones took most of the time."""
    whole = problem()
    lasso = replace(whole, penalty=Lasso())
    state = rounds.WorkingState(whole, working_set(lasso, lasso.null_model(), tol=1.0, max_iter=100).coef)
    assert group_interior.InteriorPath(state).follow(1e-3, 1000) < 40
    assert state.residual <= group_interior.END


@pytest.mark.usefixtures("many")
def test_a_penalty_that_all_but_keeps_no_centre_converges():
    whole = problem()
    weak = problem(2.0 * 1.02 / whole.largest_slope())
    found = working_set(weak, weak.null_model(), tol=1e-3, max_iter=200)
    assert found.converged
    assert 0 < np.count_nonzero(found.coef[:N].any(axis=1)) < 10


@pytest.mark.usefixtures("many")
def test_a_path_without_any_step_left_returns_where_it_stands():
    whole = problem()
    found = working_set(whole, whole.null_model(), tol=1e-6, max_iter=3)
    assert not found.converged
    assert found.n_iter <= 5
    assert np.isfinite(found.value)


@pytest.mark.usefixtures("many")
def test_steps_that_lead_nowhere_end_no_worse_than_they_began(monkeypatch):
    monkeypatch.setattr(group_interior.InteriorPath, "_search", lambda *_: 0.0)
    whole = problem()
    start = np.vstack([np.random.default_rng(0).standard_normal((N, K)), np.zeros((1, K))])
    state = rounds.WorkingState(whole, start)
    before = state.value()
    group_interior.InteriorPath(state).follow(1e-3, 1000)
    assert state.value() <= before * (1 + 1e-9)
    found = working_set(whole, whole.null_model(), tol=1e-3, max_iter=1000)
    assert found.converged
