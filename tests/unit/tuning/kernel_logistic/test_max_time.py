"""A search that runs out of time ends with the best so far; one that does not is not changed by the clock."""

import time
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from kernelproba import KernelLogisticRegressionCV as CV
from kernelproba.datasets import three_gaussians
from kernelproba.scoring import mean_scores
from kernelproba.tuning.kernel_logistic import final_fits, search
from kernelproba.tuning.time_budget import TimeBudget


@pytest.fixture(scope="module")
def rows():
    return three_gaussians(600, random_state=0)


@pytest.fixture
def slow_clock(monkeypatch):
    """Every candidate takes a second of a clock that tells only that."""
    clock = [0.0]
    evaluate = search.CandidateSearch.evaluate

    def slow(self, *arguments):
        clock[0] += 1.0
        return evaluate(self, *arguments)

    monkeypatch.setattr(search.CandidateSearch, "evaluate", slow)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    return clock


@pytest.mark.parametrize("seconds", [0.5, 5.5, 30.5])
def test_no_candidate_is_tried_after_the_time_and_the_best_so_far_is_fitted(rows, slow_clock, seconds):
    with pytest.warns(ConvergenceWarning, match="max_time=.* ran out after .* candidates"):
        model = CV(max_time=seconds, random_state=0).fit(*rows)
    assert model.stopped_early_
    assert slow_clock[0] <= seconds + 3  # a walk looks once more at where it ends
    scores, sizes = model.cv_results_["mean_test_score"], model.cv_results_["n_rows"]
    own = sizes == sizes[model.best_index_]
    assert scores[model.best_index_] == scores[own].max()
    P = model.predict_proba(rows[0])
    assert mean_scores(P, rows[1], np.ones(600))["log_loss"] < np.log(3)


def test_time_enough_changes_nothing(rows):
    plain, timed = CV(random_state=0).fit(*rows), CV(max_time=1e6, random_state=0).fit(*rows)
    assert not timed.stopped_early_
    np.testing.assert_array_equal(timed.predict_proba(rows[0]), plain.predict_proba(rows[0]))


def test_many_rows_of_which_time_suffices_for_some_are_fitted_in_part(monkeypatch):
    X, y = three_gaussians(3000, random_state=1)
    monkeypatch.setattr(TimeBudget, "is_over", lambda self: setattr(self, "ran_out", True) or True)
    common = {"kernel": "rbf", "max_rows": 200, "n_centers": 30, "random_state": 0}
    with pytest.warns(ConvergenceWarning, match="fitted to 400 of 3000 rows"):
        model = CV(**common, max_time=1.0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        monkeypatch.undo()
        whole = CV(**common).fit(X, y)
    assert model.stopped_early_
    assert not whole.stopped_early_
    assert model.loo_proba_.shape == (3000, 3)
    np.testing.assert_allclose(
        X[model.best_estimator_.support_], _centers_of(model), atol=1e-9
    )  # numbered as in the input
    loss = mean_scores(model.loo_proba_, np.asarray(y), np.ones(3000))["log_loss"]
    assert model.loo_scores_["log_loss"] == pytest.approx(loss)
    assert loss < whole.loo_scores_["log_loss"] + 0.1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_time_to_find_a_number_of_centres_there_are_few(monkeypatch, n_classes):
    """As many as it takes, or all rows, would take many times as long as the search was given."""
    X, y = three_gaussians(12_000, random_state=1)
    monkeypatch.setattr(TimeBudget, "is_over", lambda self: setattr(self, "ran_out", True) or True)
    monkeypatch.setattr(final_fits, "FIRST_CENTERS", 20)
    model = CV(kernel="rbf", max_rows=200, max_time=1.0, random_state=0)
    with pytest.warns(ConvergenceWarning, match="fitted to 10001 of 12000 rows"):
        model.fit(X, np.minimum(y, n_classes - 1))
    assert [each.dual_coef_.shape[1] for each in model.estimators_] == [20]


def _centers_of(model):
    scaler, centers = model.scaler_, model.best_estimator_.support_vectors_
    return centers if scaler is None else centers * scaler.scale_ + scaler.center_


def test_a_budget_keeps_its_reserve_and_tells_how_much_it_suffices_for(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    budget = TimeBudget(10.0)
    assert budget.affordable(100) == 100
    budget.reserve = 8.0
    clock[0] = 1.0
    assert not budget.is_over()
    clock[0] = 6.0
    assert budget.is_over()
    assert budget.affordable(100) == 62  # (4/8)^(2/3)
    clock[0] = 3.0
    assert budget.affordable(100) == 100  # estimates are rough
    clock[0] = 30.0
    assert budget.affordable(100) == 0
    assert not TimeBudget().is_over()


def test_a_piece_that_would_eat_into_the_reserve_is_not_begun(monkeypatch):
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)
    budget = TimeBudget(10.0)
    budget.reserve, budget.coming = 5.0, 4.0
    assert not budget.is_over()
    budget.coming = 6.0
    assert budget.is_over()
