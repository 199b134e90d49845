"""Do tasks that are not on record: in this process or in several, timed ones alone."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

from kernelproba.papers.paper import Task
from kernelproba.papers.record import Record

#: Called with the number of tasks that are done and of all.
Progress = Callable[[int, int], None]


class WorkerLost(RuntimeError):
    """A process that did tasks has died, most likely because memory was short."""


class Work:
    """The tasks of a paper, done in the order of their needs.

    Parameters
    ----------
    tasks : mapping of str to Task
        By key.
    record : Record
        Gives finished tasks, and keeps each further one at once.
    jobs : int
        Processes; with more than one, each has one BLAS thread.
    timed : bool
        Whether to do the tasks that measure time; otherwise only those on record are taken.
    progress : callable
        Told of each task that is done.
    """

    def __init__(
        self, tasks: Mapping[str, Task], record: Record, *, jobs: int, timed: bool, progress: Progress
    ):
        self._tasks, self._record = tasks, record
        self._jobs, self._timed, self._progress = jobs, timed, progress
        self.results: dict[str, object] = {}

    def do(self) -> dict[str, object]:
        """Do all tasks; return their results by key."""
        while ready := self._ready():
            missing = self._take_recorded(ready)
            together = {key: run for key, run in missing.items() if not self._tasks[key].timed}
            if self._jobs > 1 and len(together) > 1:
                self._do_together(together)
            else:
                self._do_here(together)
            self._do_here({key: run for key, run in missing.items() if key not in together})
        return {key: self.results[key] for key in self._tasks if key in self.results}

    def _ready(self) -> dict[str, tuple]:
        """Arguments of the tasks that can be done now, by key."""
        return {
            key: task.arguments_from(self.results)
            for key, task in self._tasks.items()
            if key not in self.results and task.needs <= self.results.keys() and self._is_wanted(key, task)
        }

    def _is_wanted(self, key: str, task: Task) -> bool:
        if self._timed or not task.timed:
            return True
        return self._record.find(key, task.arguments_from(self.results)) is not None

    def _take_recorded(self, ready: dict[str, tuple]) -> dict[str, tuple]:
        """Take what is on record; return the rest."""
        for key, arguments in ready.items():
            if (entry := self._record.find(key, arguments)) is not None:
                self.results[key] = entry["result"]
        self._tell()
        return {key: arguments for key, arguments in ready.items() if key not in self.results}

    def _do_here(self, runs: dict[str, tuple]) -> None:
        for key, arguments in runs.items():
            self._keep(key, arguments, *perform(self._tasks[key], arguments))

    def _do_together(self, runs: dict[str, tuple]) -> None:
        with workers(min(self._jobs, len(runs))) as pool:
            futures = {pool.submit(perform, self._tasks[key], run): key for key, run in runs.items()}
            failures = [*self._keep_completed(futures, runs)]
            if failures:
                raise failures[0]

    def _keep_completed(self, futures: dict[Future, str], runs: dict[str, tuple]) -> Iterator[BaseException]:
        """Keep what succeeds.  After a failure nothing more is begun, but what has begun is kept, too."""
        for future in as_completed(futures):
            if future.cancelled():
                continue
            if (error := future.exception()) is None:
                self._keep(key := futures[future], runs[key], *future.result())
            else:
                for other in futures:
                    other.cancel()
                yield error

    def _keep(self, key: str, arguments: tuple, result: object, texts: list[str]) -> None:
        self.results[key] = self._record.add(key, arguments, result, texts)
        self._tell()

    def _tell(self) -> None:
        self._progress(len(self.results), len(self._tasks))


def perform(task: Task, arguments: tuple) -> tuple[object, list[str]]:
    """Return what a task returns, and the texts of the warnings that it gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        warnings.filterwarnings("ignore", category=FutureWarning)
        result = task.function(*arguments)
    return result, list(dict.fromkeys(w.category.__name__ for w in caught))


@contextmanager
def workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Give processes that end with the block, and if it fails at once."""
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _start_worker)
    try:
        yield pool
        pool.shutdown()
    except BrokenProcessPool as error:
        raise WorkerLost("a process has died, most likely for lack of memory: use fewer jobs") from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()


def _start_worker() -> None:
    """Use one thread, leave Ctrl-C to the parent, and end when the parent does, be it killed."""
    threadpool_limits(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
