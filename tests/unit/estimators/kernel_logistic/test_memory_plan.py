import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone

from kernelproba import KernelLogisticRegression, KernelLogisticRegressionCV
from kernelproba.estimators.kernel_logistic.memory_plan import BLOCK, BLOCK_BYTES, MemoryPlan


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 12_000)
    return rng.standard_normal((len(y), 6)) + 1.5 * rng.standard_normal((4, 6))[y], y


def peak_of(work) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("limit", [10_000_000, 30_000_000])
def test_a_fit_stays_within_its_limit(rows, limit):
    model = KernelLogisticRegression(0.1, gamma=0.3, memory_limit=limit, random_state=0)
    peak_of(lambda: model.fit(rows[0][:500], rows[1][:500]))  # what is imported on the way
    assert peak_of(lambda: model.fit(*rows)) < limit
    assert len(model.support_vectors_) > 100
    assert model.score(*rows) > 0.8


def test_all_shares_together_are_no_more_than_the_limit():
    for total, k in [(10**8, 1), (10**8, 10), (2 * 10**9, 4)]:
        plan = MemoryPlan(total, k)
        m = plan.most_centers
        sample = plan.sample_rows(m) * m * 8
        assert plan.least(m) <= total
        assert sample + plan.matrices(m) + plan.kept_features(m, sample) <= total


def test_what_is_known_of_every_row_is_part_of_the_limit():
    few, many = (MemoryPlan.within("2GB", 5, n) for n in (1000, 10_000_000))
    assert few.total - many.total == 40 * (10_000_000 - 1000)
    assert many.most_centers < few.most_centers
    assert MemoryPlan.within("2GB", 5, 10**9).total == 10**9  # half of the limit is left in any case


def test_too_many_centres_are_refused_with_what_they_take(rows):
    model = KernelLogisticRegression(n_centers=2000, memory_limit="50MB")
    with pytest.raises(MemoryError, match=r"2000 takes 358 MB at least.*to 527 or less"):
        model.fit(*rows)


def test_a_search_stays_within_its_limit(rows):
    limit = 60_000_000
    options = {"kernel": "rbf", "scale": None, "feature_weights": None, "random_state": 0}
    model = KernelLogisticRegressionCV([0.1, 1.0], gammas=[0.3], memory_limit=limit, **options)
    peak_of(lambda: clone(model).fit(rows[0][:300], rows[1][:300]))  # what is imported on the way
    assert peak_of(lambda: model.fit(*rows)) < limit
    assert model.score(*rows) > 0.8


@pytest.mark.parametrize("m", [100, 1000, 2000, 4000])
def test_samples_are_worked_on_by_as_many_rows_as_centres_where_there_is_room(m):
    roomy, tight = MemoryPlan(12 * 2**30, 1), MemoryPlan(200 * 2**20, 1)
    assert roomy.sample_block_rows(m) >= m
    for plan in (roomy, tight):
        taken = BLOCK_BYTES * m * plan.sample_block_rows(m)
        assert plan.sample_block_rows(m) == plan.block_rows(m) or taken <= BLOCK * plan.total
