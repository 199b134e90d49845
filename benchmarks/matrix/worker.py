"""A process of its own for each contestant: what it holds, spends and says is its alone.

The process starts anew (spawn), imports the contestant's library, fits once some rows of no interest, so that late
imports and thread pools are not measured, and then answers splits until it is closed or killed.
"""

import multiprocessing
import os
import signal
import time
import warnings
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from benchmarks.matrix.memory import forget_peak, peak_mb, resident_mb

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")


class OverLimit(Exception):
    """A fit and its predictions took longer than allowed; the process is gone."""


class Worker:
    """A contestant in its process; a process that was stopped is started anew when it is needed.

    Parameters
    ----------
    model : estimator
        Unfitted.
    threads : int
        Of BLAS and OpenMP, fixed before the process loads them.
    """

    def __init__(self, model: Any, threads: int):
        self.model, self.threads = model, threads
        self._start()

    def _start(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._pipe, theirs = spawn.Pipe()
        self._process = spawn.Process(target=serve, args=(theirs, self.model), daemon=True)
        before = dict(os.environ)
        os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(self.threads)))
        try:
            self._process.start()
        finally:
            os.environ.clear()
            os.environ.update(before)
        theirs.close()
        self._ready = False

    def wait(self) -> None:
        """Until the process is ready to measure."""
        if self._ready:
            return
        try:
            threads = self._pipe.recv()
        except EOFError:
            raise RuntimeError(f"the process of {self.model!r} did not start") from None
        if threads > self.threads:
            raise RuntimeError(f"{self.model!r} runs {threads} threads where {self.threads} were asked for")
        self._ready = True

    def measure(self, X: np.ndarray, y: np.ndarray, X_test: np.ndarray, limit: float) -> dict:
        """What `trial` returns, or OverLimit after that many seconds."""
        if self._pipe.closed:
            self._start()
        self.wait()
        self._pipe.send((X, y, X_test))
        if not self._pipe.poll(limit):
            self.close()
            raise OverLimit
        try:
            return self._pipe.recv()
        except EOFError:
            self.close()
            return {"failed": "the process died"}

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


def serve(pipe: Connection, model: Any) -> None:
    """Answer each (X, y, X_test) with a trial, until the other end is closed."""
    from sklearn.base import clone
    from threadpoolctl import threadpool_info

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this process ends it
    rng = np.random.default_rng(0)
    y = np.arange(330) % 3
    trial(clone(model), rng.standard_normal((330, 2)) + y[:, None], y, rng.standard_normal((9, 2)))
    pipe.send(max((pool["num_threads"] for pool in threadpool_info()), default=1))
    while True:
        try:
            X, y, X_test = pipe.recv()
            pipe.send(trial(clone(model), X, y, X_test))
        except (EOFError, BrokenPipeError):
            return


def trial(model: Any, X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> dict:
    """Fit, predict: seconds, CPU seconds, peak memory above the start in MB, answers and warnings."""
    forget_peak()
    start = resident_mb()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            clock, cpu = time.perf_counter(), time.process_time()
            model.fit(X, y)
            fitted, cpu = time.perf_counter(), time.process_time() - cpu
            answers = _answers(model, X_test)
        except Exception as error:
            return {"failed": f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"}
        end = time.perf_counter()
    seconds = {"fit s": fitted - clock, "fit CPU s": cpu, "predict s": end - fitted}
    names = sorted({warning.category.__name__ for warning in caught})
    return answers | {"costs": seconds | {"MB": peak_mb() - start}, "warned": names}


def _answers(model: Any, X_test: np.ndarray) -> dict:
    if not hasattr(model, "predict_proba"):
        return {"labels": model.predict(X_test)}
    return {"P": model.predict_proba(X_test), "classes": model.classes_}
