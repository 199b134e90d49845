"""How many centres span a function of many rows."""

import numpy as np
import pytest

from kernelproba import KernelLogisticRegression
from kernelproba.estimators.kernel_logistic import center_choice
from kernelproba.estimators.kernel_logistic.center_choice import CenterChoice
from kernelproba.estimators.kernel_logistic.memory_plan import MemoryPlan
from kernelproba.kernels import RBF
from kernelproba.rows.store import as_rows

X = np.random.default_rng(0).normal(size=(1500, 3))


def number(kernel, C):
    choice = CenterChoice("auto", "rpcholesky", MemoryPlan.within(None), 0, C)
    return len(choice.among(kernel, as_rows(X), 1000)[1])


def test_a_weaker_penalty_wants_more_centres():
    few, same, more = (number(RBF(3.0), C) for C in (0.1, 10.0, 1000.0))
    assert few == same
    assert more > 1.5 * few


def test_a_higher_kernel_is_a_weaker_penalty():
    assert number(100.0 * RBF(3.0), 10.0) == pytest.approx(number(RBF(3.0), 1000.0), abs=3)  # draws differ


@pytest.fixture
def few_rows_are_many(monkeypatch):
    monkeypatch.setattr(center_choice, "EXACT_ROWS", 1000)


@pytest.mark.usefixtures("few_rows_are_many")
def test_chosen_centres_predict_like_all_rows_under_a_weak_penalty():
    rng = np.random.default_rng(1)
    rows, new = rng.normal(size=(2, 1500, 3))
    y = rng.random(1500) < 1 / (1 + np.exp(-4 * np.sin(3 * rows[:, 0]) * rows[:, 1]))
    model = KernelLogisticRegression(C=1000, gamma=0.05, random_state=0)
    chosen = model.fit(rows, y).predict_proba(new)
    assert len(model.support_) < 1500
    every = model.set_params(n_centers=None).fit(rows, y).predict_proba(new)
    assert np.abs(chosen - every).mean() < 0.01
