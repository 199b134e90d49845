"""Rows computed from others: what is kept, and blocks on several threads."""

from threading import current_thread

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from threadpoolctl import threadpool_limits

from kernelproba import KernelLogisticRegression
from kernelproba.blas_threads import blas_threads
from kernelproba.rows import MemoryRows

X = np.random.default_rng(0).standard_normal((101, 3))


class Doubled:
    """Twice the rows, and which threads have computed them; blocks are counted."""

    def __init__(self, runs_in_threads=True):
        self.runs_in_threads, self.threads, self.blocks = runs_in_threads, set(), 0

    def __call__(self, block):
        self.threads.add(current_thread().name)
        self.blocks += 1
        if np.isnan(block).any():
            raise ValueError("a row is missing")
        return 2 * block


def computed(fn, X=X, budget=0):
    return MemoryRows(X, 7).features(fn, 3, budget=budget)


def sums(block, weight, factor):
    return factor * weight @ block, np.float64(weight.sum())


@pytest.mark.parametrize("budget", [0, 500, 10**6])
def test_threads_change_nothing(budget):
    weight, found = np.arange(101.0), []
    for limit in (1, 2):
        rows = computed(Doubled(), budget=budget)
        with threadpool_limits(limits=limit, user_api="blas"):
            for _ in range(2):
                found.append((*rows.fold(sums, weight, shared=(3.0,)), rows.map(lambda block: block[:, 0])))
    for each in found[1:]:
        for one, other in zip(found[0], each, strict=True):
            assert_array_equal(one, other)
    assert_array_equal(found[0][2], 2 * X[:, 0])


def test_only_a_function_that_says_so_is_called_by_other_threads():
    with threadpool_limits(limits=2, user_api="blas"):
        for fn in (Doubled(runs_in_threads=False), Doubled()):
            computed(fn).fold(lambda block: block.sum(axis=0))
            assert (fn.threads == {current_thread().name}) is not fn.runs_in_threads


@pytest.mark.parametrize(("budget", "computed_blocks"), [(0, 30), (7 * 3 * 8 * 5, 25), (10**6, 15)])
@pytest.mark.parametrize("limit", [1, 2])
def test_what_fits_into_the_budget_is_computed_once(budget, computed_blocks, limit):
    fn = Doubled()
    rows = computed(fn, budget=budget)
    with threadpool_limits(limits=limit, user_api="blas"):
        for _ in range(2):
            assert_array_equal(rows.fold(lambda block: block.sum(axis=0)), sum_of_blocks())
    assert fn.blocks == computed_blocks


def sum_of_blocks():
    return sum((2 * X[start : start + 7]).sum(axis=0) for start in range(0, 101, 7))


def test_an_error_on_another_thread_says_where_and_gives_the_threads_back():
    gapped = X.copy()
    gapped[50, 1] = np.nan
    with threadpool_limits(limits=2, user_api="blas"):
        with pytest.raises(ValueError, match=r"a row is missing \(in rows 49 to 55\)"):
            computed(Doubled(), gapped).fold(lambda block: block.sum(axis=0))
        fn = Doubled()
        computed(fn).fold(lambda block: block.sum(axis=0))
        assert current_thread().name not in fn.threads


@pytest.mark.parametrize("limit", ["6MB", "200MB"])
def test_a_fit_is_the_same_to_the_last_bit_whatever_the_number_of_threads(limit):
    rng, found = np.random.default_rng(0), []
    rows, y = rng.standard_normal((4000, 3)), rng.integers(3, size=4000)
    for threads in (1, 2):
        model = KernelLogisticRegression(n_centers=40, memory_limit=limit, random_state=0)
        with threadpool_limits(limits=threads, user_api="blas"):
            found.append(model.fit(MemoryRows(rows, 512), y).predict_proba(rows))
    assert_array_equal(*found)


def test_an_interrupt_gives_the_threads_back_and_leaves_the_rows_as_they_were():
    def interrupted(block):
        if block[0, 0] == 2 * X[35, 0]:
            raise KeyboardInterrupt
        return block.sum(axis=0)

    rows = computed(fn := Doubled(), budget=10**6)
    with threadpool_limits(limits=2, user_api="blas"):
        with pytest.raises(KeyboardInterrupt):
            rows.fold(interrupted)
        fn.threads.clear()
        assert_array_equal(rows.fold(lambda block: block.sum(axis=0)), sum_of_blocks())
        assert current_thread().name not in fn.threads
        assert blas_threads() == 2
