"""Whether a likelihood has a maximum, on data constructed to decide it."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kernelproba.losses import loss_for
from kernelproba.objective import Objective
from kernelproba.penalties import Ridge
from kernelproba.rows.store import as_rows
from kernelproba.solvers.smooth import separation
from kernelproba.solvers.smooth.information import observed_information
from kernelproba.solvers.smooth.newton_cholesky import newton_decrement


def separated(X, y, *, fit_intercept=True, weight=None, tol=1e-6, max_iter=100):
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    c = int(y.max()) + 1
    loss = loss_for(c)
    weights = np.ones(len(y)) if weight is None else weight
    objective = Objective(as_rows(X), y, weights, loss, Ridge(0.0), loss.n_scores(c), fit_intercept)
    solution = newton_decrement(objective, objective.start(), tol=tol, max_iter=max_iter)
    information = observed_information(objective, solution.coef)
    return separation.separated_rows(objective, solution, information, tol=tol)


@pytest.fixture
def no_linear_programme(monkeypatch):
    monkeypatch.delattr(separation, "linprog")


def column(*values):
    return np.array(values, dtype=float)[:, None]


@pytest.mark.usefixtures("no_linear_programme")
def test_complete_separation_is_certified_by_the_fit_itself():
    assert separated(column(0, 1, 2, 3), [0, 0, 1, 1]).all()
    assert separated(column(0, 1, 5, 6, 10, 11), [0, 0, 1, 1, 2, 2]) is not None


@pytest.mark.usefixtures("no_linear_programme")
@pytest.mark.parametrize("weight", [1e-9, 1.0, 1e9])
def test_overlap_is_certified_by_the_fit_itself(weight):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = (X[:, 0] + rng.logistic(size=100) > 0).astype(int)
    assert separated(X, y, weight=np.full(100, weight)) is None
    assert separated(X, np.where(rng.random(100) < 0.3, 2, y)) is None


def test_a_shared_point_makes_separation_quasi_complete():
    assert_array_equal(separated(column(0, 1, 1, 1, 2), [0, 0, 1, 0, 1]), [True, False, False, False, True])


def test_one_swapped_pair_restores_the_maximum():
    assert separated(column(0, 1, 1.1, 2, 3), [0, 1, 0, 1, 1]) is None


def test_an_indicator_that_is_always_one_class_separates_its_rows_alone():
    rng = np.random.default_rng(1)
    x = rng.normal(size=60)
    y = (x + rng.logistic(size=60) > 0).astype(int)
    indicator = (y == 1) & (x > 1)
    assert_array_equal(separated(np.column_stack([x, indicator]), y), indicator)


def test_one_class_apart_from_two_that_overlap_is_found():
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(size=60), rng.normal(size=20) + 30])[:, None]
    y = np.r_[np.arange(60) % 2, np.full(20, 2)]
    assert separated(X, y) is not None
    X[-1] = 0.0
    assert separated(X, y) is None


def test_without_an_intercept_only_directions_through_the_origin_count():
    X, y = column(1, 2, 3, 4), [0, 0, 1, 1]
    assert separated(X, y) is not None
    assert separated(X, y, fit_intercept=False) is None


def test_a_fit_that_was_cut_short_is_not_trusted():
    rng = np.random.default_rng(3)
    x = rng.normal(size=40)
    y = (x + rng.logistic(size=40) > 0).astype(int)
    assert separated(x[:, None], y, max_iter=1) is None
    assert separated(column(0, 1, 1, 1, 2), [0, 0, 1, 0, 1], max_iter=1) is not None


@pytest.mark.parametrize(("c", "n"), [(2, 7), (3, 12)])
def test_the_answer_agrees_with_the_fate_of_a_nearly_free_fit(c, n):
    """Few rows on a lattice are sometimes separable; a tiny ridge then stops only at large scores."""
    seen = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 4, size=(n, 2)).astype(float)
        y = np.r_[np.arange(c), rng.integers(0, c, size=n - c)]
        loss = loss_for(c)
        objective = Objective(as_rows(X), y, np.ones(n), loss, Ridge(1e-6), loss.n_scores(c))
        fit = newton_decrement(objective, objective.start(), tol=1e-8, max_iter=500)
        diverges = bool(np.abs(objective.scores(fit.coef)).max() > 9)
        assert (separated(X, y) is not None) == diverges, seed
        seen.add(diverges)
    assert seen == {True, False}
