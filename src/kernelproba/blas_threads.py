"""How many threads BLAS may use, and lending them to whoever shares work among threads of its own.

Whoever limits BLAS (an environment variable, `threadpoolctl`, a worker of joblib) thereby limits those, too.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from threading import Lock
from typing import TypeVar

from threadpoolctl import ThreadpoolController

#: Blocks that are worked on at the same time, at most: each takes memory.
MOST_WORKERS = 4

R = TypeVar("R")

_changing_blas = Lock()


@contextmanager
def borrowed_blas_threads() -> Iterator[int]:
    """Yield the number of threads BLAS may use, having taken all but one from it.

    Whoever limits BLAS in this package does it here.  Two limits at once would restore each other: the last
    to end would find the one thread that the other has left, and BLAS would keep to it for good.  So of calls
    at the same time the first has all threads, and the others go without.
    """
    if not _changing_blas.acquire(blocking=False):
        yield 1
        return
    try:
        threads = blas_threads()
        with blas_libraries().limit(limits=1):
            yield threads
    finally:
        _changing_blas.release()


def blas_threads() -> int:
    """Return the number of threads BLAS may use at this moment."""
    return max((library["num_threads"] for library in blas_libraries().info()), default=1)


def in_turn(work: Callable[..., R], items: Iterable[tuple], use: Callable[[R], None], threads: int) -> None:
    """Call use(work(*item)) for all items, in their order; so many threads are at work at the same time.

    One item more than that is taken from `items` ahead of its turn.
    """
    if threads == 1:
        for item in items:
            use(work(*item))
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future] = deque()
        for item in items:
            # The caller's context holds its np.errstate, which is to apply here too.
            waiting.append(pool.submit(copy_context().run, work, *item))
            if len(waiting) > threads:
                use(waiting.popleft().result())
        while waiting:
            use(waiting.popleft().result())


@cache
def blas_libraries():
    """Return the controller of the BLAS libraries; finding them takes milliseconds."""
    # Only those that are loaded are found, and NumPy and SciPy may each bring one along.
    import scipy.linalg  # noqa: F401

    return ThreadpoolController().select(user_api="blas")
