"""What becomes of a fit when the scheduler of its cluster is lost."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError
from contextlib import contextmanager

import pytest
from sklearn.exceptions import NotFittedError

pytest.importorskip("distributed", reason="clusters need dask and distributed")
da = pytest.importorskip("dask.array")


@contextmanager
def started(script: str, *arguments: str):
    """Run a script of Dask's in a process of its own."""
    command = [sys.executable, "-m", f"distributed.cli.{script}", *arguments, "--no-dashboard"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_lost_scheduler_is_an_error_and_leaves_no_half_of_a_model(rows, model, tmp_path):
    from distributed import Client

    X, y, weight = rows
    file = str(tmp_path / "scheduler.json")
    with (
        started("dask_scheduler", "--port", "0", "--scheduler-file", file) as scheduler,
        started("dask_worker", "--scheduler-file", file, "--nthreads", "1"),
        Client(scheduler_file=file, timeout=60) as client,
    ):
        client.wait_for_workers(1, timeout=60)
        slow = da.from_array(X, chunks=(500, -1)).map_blocks(_slowly, dtype=X.dtype)
        model.set_params(memory_limit=1_200_000)  # features are computed at every pass, from the slow rows
        threading.Timer(1.0, os.kill, (scheduler.pid, signal.SIGKILL)).start()
        with pytest.raises(CancelledError):
            model.fit(slow, y, weight)
        with pytest.raises(NotFittedError):
            model.predict_proba(X)


def _slowly(block):
    time.sleep(0.1)
    return block
