"""Time is kept for the final fits of the models that a pool has, by what samples took."""

import pytest

from kernelproba.estimators.kernel_logistic.memory_plan import MemoryPlan
from kernelproba.tuning.kernel_logistic.final_costs import CENTERED_COST, PASSES, FinalCosts
from kernelproba.tuning.kernel_logistic.search import Candidate, FeatureView
from kernelproba.tuning.time_budget import TimeBudget

RBF, LINEAR = FeatureView("rbf", None), FeatureView("linear", None)


def candidate(view, n_centers=1000):
    return Candidate(view, 0.1, 1.0, 8000, (), n_centers)


def costs(n=80_000, limit="8GB"):
    return FinalCosts(n, 10_000, MemoryPlan.within(limit, 1, n), TimeBudget())


def test_a_fit_takes_as_many_times_as_long_as_it_has_rows_and_centres():
    found = costs()
    found.learn(candidate(RBF), 3000, 2.0, 0.01, 1)
    assert found.budget.reserve == pytest.approx(CENTERED_COST * 2.0 * 10 * 3)


def test_where_features_are_not_kept_passes_take_what_predictions_do():
    found = costs(limit="500MB")
    found.learn(candidate(RBF), 3000, 0.1, 0.1, 1)
    assert found.budget.reserve == pytest.approx(PASSES * 0.1 * 8 * 3)


def test_models_that_are_not_known_yet_count_as_others_and_those_that_go_do_not():
    found = costs()
    found.learn(candidate(RBF), 1000, 2.0, 0.0, 2)
    first = found.budget.reserve
    assert first == pytest.approx(2 * CENTERED_COST * 20)
    found.learn(candidate(LINEAR), 1000, 1.0, 0.0, 2)
    assert found.budget.reserve == pytest.approx(0.75 * first)
    found.keep([LINEAR])
    assert found.budget.reserve == pytest.approx(0.25 * first)
    found.begin()
    found.learn(candidate(RBF), 1000, 2.0, 0.0, 1)
    assert found.budget.reserve == pytest.approx(0.5 * first)


def test_all_rows_as_centres_cost_the_square_and_what_cannot_be_known_changes_nothing():
    found = costs(n=16_000)
    found.learn(candidate(RBF, None), None, 1.0, 0.0, 1)
    assert found.budget.reserve == pytest.approx(3.0 * 4)
    unknown = costs(n=10_000_000)
    unknown.learn(candidate(RBF, None), None, 1.0, 0.0, 1)
    assert unknown.budget.reserve == 0.0
