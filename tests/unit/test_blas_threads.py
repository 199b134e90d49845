"""Threads that BLAS lends."""

from contextlib import contextmanager

import pytest

from kernelproba import blas_threads
from kernelproba.blas_threads import borrowed_blas_threads, in_turn
from kernelproba.tuning.kernel_logistic.search import one_thread_if


class Libraries:
    """BLAS with two threads, limited as by threadpoolctl."""

    def __init__(self):
        self.threads = 2

    def info(self):
        return [{"num_threads": self.threads}]

    @contextmanager
    def limit(self, limits):
        before, self.threads = self.threads, limits
        try:
            yield
        finally:
            self.threads = before


@pytest.fixture
def libraries(monkeypatch):
    libraries = Libraries()
    monkeypatch.setattr(blas_threads, "blas_libraries", lambda: libraries)
    return libraries


@pytest.mark.parametrize("first_to_end", [0, 1])
def test_blas_has_its_threads_again_in_whatever_order_fits_at_the_same_time_end(libraries, first_to_end):
    borrowers = [one_thread_if(True), borrowed_blas_threads()]
    assert [each.__enter__() for each in borrowers] == [2, 1]
    assert libraries.threads == 1
    for each in (borrowers[first_to_end], borrowers[1 - first_to_end]):
        each.__exit__(None, None, None)
    assert libraries.threads == 2


def test_an_error_gives_the_threads_back(libraries):
    with pytest.raises(KeyError), borrowed_blas_threads(), borrowed_blas_threads():
        raise KeyError
    assert libraries.threads == 2
    with borrowed_blas_threads() as threads:
        assert threads == 2


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_results_are_used_in_turn_up_to_the_first_error(threads):
    used = []
    with pytest.raises(ZeroDivisionError):
        in_turn(lambda k: 1 / (k - 5), ((k,) for k in range(20)), used.append, threads)
    assert used == [1 / (k - 5) for k in range(5)]
