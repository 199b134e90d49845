"""Copies of one observation, which searches take for several."""

import warnings

import numpy as np
import pytest

from kernelproba import (
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifierCV,
    LinearProgrammingMachineCV,
    MaximumContrastClassifierCV,
    SparseKernelLogisticRegressionCV,
)


def drawn(n, seed=0):
    """Rows of continuous features, with labels that have noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] * X[:, 1] + rng.normal(size=n) / 2 > 0).astype(int)


SEARCHES = [
    KernelLogisticRegressionCV(kernel="rbf", random_state=0),
    KernelLogisticRegressionCV(kernel="rbf", max_rows=100, n_centers=40, random_state=0),
    LeastSquaresProbabilisticClassifierCV(random_state=0),
    SparseKernelLogisticRegressionCV(5),
    MaximumContrastClassifierCV(),
    LinearProgrammingMachineCV(),
]


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: type(search).__name__)
def test_copies_that_flatter_a_search_are_told_of(search):
    X, y = drawn(150)
    with warnings.catch_warnings(record=True) as caught:  # of limits of the search, too
        warnings.simplefilter("always")
        search.fit(X, y, np.full(150, 2.0))
    assert any("at the same place as others" in str(each.message) for each in caught)


@pytest.mark.parametrize("repeats", [2, 3])
@pytest.mark.parametrize("as_weights", [False, True])
def test_copies_count_as_one_observation_and_the_promise_holds(repeats, as_weights):
    X, y = drawn(300)
    times = np.where(y == 1, repeats, 1)
    rows = np.arange(300) if as_weights else np.repeat(np.arange(300), times)
    weight, search = times.astype(float) if as_weights else None, KernelLogisticRegressionCV(random_state=0)
    with pytest.warns(UserWarning, match="They count as one observation each"):
        model = search.fit(X[rows], y[rows], weight)
    new, labels = drawn(3000, 1)
    log_P = model.predict_log_proba(new)[np.arange(3000), labels]
    found = -np.average(log_P, weights=np.where(labels == 1, repeats, 1.0))
    assert found == pytest.approx(model.loo_scores_["log_loss"], abs=0.1)
    assert found < 0.6  # labels learnt by heart: 0.8 and more


def test_copies_count_apart_in_folds_of_the_user():
    X, y = drawn(150)
    rows = np.repeat(np.arange(150), np.where(y == 1, 3, 1))
    with pytest.warns(UserWarning, match="If copies are one observation"):
        KernelLogisticRegressionCV(cv=4, random_state=0).fit(X[rows], y[rows])


def test_a_search_of_copies_goes_on_from_its_checkpoint(tmp_path):
    X, y = drawn(150)
    search = KernelLogisticRegressionCV(kernel="rbf", random_state=0, checkpoint=tmp_path / "kept")
    with pytest.warns(UserWarning, match="at the same place as others"):
        first = search.fit(X, y, np.full(150, 2.0)).predict_proba(X)
    with pytest.warns(UserWarning, match="at the same place as others"):
        again = search.fit(X, y, np.full(150, 2.0)).predict_proba(X)
    np.testing.assert_array_equal(again, first)


def test_the_cure_is_one_and_ends_the_warning():
    X, y = drawn(300)
    weight = np.where(y == 1, 3.0, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KernelLogisticRegressionCV(random_state=0).fit(X, y, weight / weight.max())
    new, labels = drawn(3000, 1)
    log_P = model.predict_log_proba(new)[np.arange(3000), labels]
    found = -np.average(log_P, weights=np.where(labels == 1, 3.0, 1.0))
    assert found == pytest.approx(model.loo_scores_["log_loss"], abs=0.1)


@pytest.mark.parametrize("digits", [0, 1])
def test_answers_to_the_same_question_are_no_copies(digits):
    X, y = drawn(1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelLogisticRegressionCV(random_state=0).fit(X.round(digits), y)


def test_copies_that_can_be_told_without_each_other_are_not_told_of():
    X, _ = drawn(200)
    y = X[:, 0] > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelLogisticRegressionCV(kernel="linear", random_state=0).fit(np.r_[X, X], np.r_[y, y])
