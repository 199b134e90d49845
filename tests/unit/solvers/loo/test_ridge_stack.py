"""Leave-one-out of many systems at once against that of each."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelproba.solvers.least_squares.normal_equations import NormalEquations
from kernelproba.solvers.loo.ridge import LeaveOneOut, LeftOutRows
from kernelproba.solvers.loo.ridge_stack import (
    MAX_STACKED,
    EquationStack,
    leave_one_out_path,
    stacked_systems,
)

ALPHAS = [1e-3, 1e-1]
N, TARGETS = 40, 2


def problem(sizes, weight, seed=0):
    """Systems with rows as centres, one after another, and targets of their own."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, 2))
    K = np.exp(-np.square(X[:, None] - X).sum(axis=-1) / 2)
    starts = np.cumsum([0, *sizes])
    features = [K[:, start : start + size] for start, size in zip(starts, sizes, strict=False)]
    rows = np.arange(N)
    centers = [
        np.where((rows >= start) & (rows < start + size), rows - start, -1)
        for start, size in zip(starts, sizes, strict=False)
    ]
    targets = rng.integers(0, 2, (len(sizes), N, TARGETS)).astype(float)
    return [LeftOutRows(*each, weight, own) for *each, own in zip(features, targets, centers, strict=True)]


def stacked(systems):
    """The same as a stack."""
    sizes, weight = [rows.Phi.shape[1] for rows in systems], systems[0].weight
    Phi = np.zeros((len(systems), N, max(sizes)))
    equations, root = EquationStack.empty(len(sizes), max(sizes), TARGETS, float), np.sqrt(weight)[:, None]
    for number, rows in enumerate(systems):
        Phi[number, :, : sizes[number]] = rows.Phi
        equations.system(number, sizes[number]).add(root * rows.Phi, root * rows.Y)
    targets, centers = (np.stack([getattr(rows, name) for rows in systems]) for name in ("Y", "center"))
    return equations, LeftOutRows(Phi, targets, weight, centers)


def one_by_one(systems):
    root, total = np.sqrt(systems[0].weight)[:, None], systems[0].weight.sum()
    Q = []
    for rows in systems:
        equations = NormalEquations.empty(rows.Phi.shape[1], TARGETS)
        equations.add(root * rows.Phi, root * rows.Y)
        Q.append([LeaveOneOut(equations, alpha, total).scores(rows) for alpha in ALPHAS])
    return np.swapaxes(Q, 0, 1)


@given(sizes=st.lists(st.integers(1, 8), min_size=1, max_size=5), seed=st.integers(0, 100))
def test_a_stack_scores_as_its_systems_do_one_by_one(sizes, seed):
    systems = problem(sizes, np.ones(N), seed)
    Q = leave_one_out_path(*stacked(systems), ALPHAS, float(N))
    np.testing.assert_allclose(Q, one_by_one(systems), atol=1e-9)


@pytest.mark.parametrize("fractions", [False, True])
def test_one_ridge_for_all_weights_is_close_to_one_for_each(fractions):
    rng = np.random.default_rng(0)
    weight = rng.random(N) if fractions else rng.integers(1, 4, N).astype(float)
    systems = problem([12], weight)
    Q = leave_one_out_path(*stacked(systems), ALPHAS, weight.sum())
    np.testing.assert_allclose(Q, one_by_one(systems), atol=2e-2)


@given(st.lists(st.integers(1, 2 * MAX_STACKED), min_size=1, max_size=30))
def test_every_system_is_in_one_stack_and_none_is_more_than_doubled(sizes):
    stacks = stacked_systems(sizes)
    assert sorted(chain.from_iterable(stacks)) == list(range(len(sizes)))
    for stack in stacks:
        assert (
            max(sizes[number] for number in stack) < 2 * min(sizes[number] for number in stack)
            or len(stack) == 1
        )
