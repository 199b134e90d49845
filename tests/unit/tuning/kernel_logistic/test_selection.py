from dataclasses import replace

import numpy as np
import pytest

from kernelproba import KernelLogisticRegressionCV as CV
from kernelproba.datasets import three_gaussians
from kernelproba.rows.row_hash import row_keys
from kernelproba.tuning.kernel_logistic.search import Candidate, CandidateSearch, FeatureView
from kernelproba.tuning.kernel_logistic.selection import select_models
from kernelproba.tuning.kernel_logistic.stages import finish, screen
from kernelproba.tuning.observations import Observations
from kernelproba.tuning.scorers import held_out_scorer

N = 600


@pytest.fixture
def rows():
    X, y = three_gaussians(N, random_state=0)
    y, ones = np.minimum(y, 1), np.ones(N)
    return Observations(X, y, ones, ones, np.ones(N, dtype=int), row_keys(X, y))


@pytest.fixture
def search():
    return CandidateSearch(held_out_scorer("log_loss", np.arange(2)))


def rival(score):
    return Candidate(FeatureView("other", None), 1.0, 1.0, N, (score,))


def test_a_kernel_far_behind_another_is_given_up_unless_it_has_no_width(rows, search):
    rbf, _, linear = CV()._spaces(rows.X, None)
    for space, kept in ((rbf, False), (linear, True)):
        screened = screen(space, rows, search)
        found = finish(space, rows, search, screened, rival(-1e-3))
        assert (found is not None) is kept


def test_a_kernel_that_is_not_far_behind_is_finished(rows, search):
    space = CV()._spaces(rows.X, None)[0]
    screened = screen(space, rows, search)
    assert finish(space, rows, search, screened, rival(screened[0].best.score)) is not None


def test_beyond_the_rows_that_are_searched_all_have_weight_in_a_pool_of_what_was_held_out(rows, search):
    spaces = CV(max_rows=460)._spaces(rows.X, None)
    selected = select_models(spaces, rows, search)
    assert 1 <= len(selected) <= len(spaces)
    assert {each.best.n_rows for each in selected} == {N}
    assert all(len(search.held_out(each.best)[1]) for each in selected)


def test_a_class_so_rare_that_a_sample_has_more_rows_for_it_is_no_hindrance(rows):
    y = rows.y.copy()
    y[np.argsort(rows.keys)[-2:]] = 2  # the last to be drawn
    rare = replace(rows, y=y)
    assert len(rare.sample(460)) == 462
    search = CandidateSearch(held_out_scorer("log_loss", np.arange(3)))
    selected = select_models(CV(max_rows=460)._spaces(rows.X, None)[:2], rare, search)
    assert 1 <= len(selected) <= 2


@pytest.mark.parametrize("Cs", [[1.0], [0.1, 1.0]])
def test_kernels_of_which_one_has_nothing_left_to_search_are_compared(Cs):
    X, y = three_gaussians(N, random_state=0)
    model = CV(Cs, feature_weights=None, scale=None).fit(X, y)
    assert set(model.cv_results_["param_kernel"]) == {"rbf", "laplacian", "linear"}
    assert set(model.cv_results_["param_C"]) == set(Cs)


def wide(seed, n=40, d=800):
    """Rows of two classes that differ in a tenth of their many columns."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    return rng.normal(size=(n, d)) + 0.5 * y[:, None] * (np.arange(d) < d // 10), y


def test_of_rows_with_many_times_as_many_columns_the_pool_is_a_linear_function():
    model = CV().fit(*wide(0))
    assert [each.kernel for each in model.estimators_] == ["linear"]
    narrower = CV().fit(*wide(0, d=799))
    assert set(narrower.cv_results_["param_kernel"]) == {"rbf", "laplacian", "linear"}
