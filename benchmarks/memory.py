"""Peak memory above the data against `memory_limit`, in fit and in predict, for every store.

    python -m benchmarks.memory                 all stores, 100 MB to 2 GB
    python -m benchmarks.memory STORE LIMIT     one case, as JSON

Every case runs in a process of its own.  *Above the data* is the peak of the resident memory less what the
process held with the data, all modules and one small fit behind it.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.measure import RESULTS, machine, write

STORES = ("dense", "sparse", "Parquet", "Dask")
LIMITS = ("100MB", "250MB", "500MB", "1GB", "2GB")
ROWS, FEATURES, CLASSES = 150_000, 20, 4


def labelled_rows(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Four classes around points far enough apart for a model to learn something."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, CLASSES, n)
    X = rng.standard_normal((n, FEATURES)) + 1.2 * rng.standard_normal((CLASSES, FEATURES))[y]
    return X, y


def stored(store: str, X: np.ndarray, folder: Path):
    """The rows in a store of that name."""
    if store == "sparse":
        import scipy.sparse as sp

        return sp.csr_array(np.where(np.abs(X) > 1.5, X, 0.0))
    if store == "Parquet":
        import pandas as pd

        from kernelproba.rows import ParquetRows

        path = folder / f"rows{len(X)}.parquet"
        pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]).to_parquet(path, row_group_size=20_000)
        return ParquetRows(path)
    if store == "Dask":
        import dask.array as da

        return da.from_array(X, chunks=(10_000, X.shape[1]))
    return X


def resident() -> float:
    """Resident memory of this process, in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


def peak_during(work: Callable[[], object]) -> float:
    """Largest resident memory in MB while `work` runs."""
    peak, done = [resident()], threading.Event()

    def watch() -> None:
        while not done.is_set():
            peak[0] = max(peak[0], resident())
            time.sleep(0.002)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        work()
    finally:
        done.set()
        thread.join()
    return max(peak[0], resident())


def case(store: str, limit: str) -> dict:
    """Peak memory above data of one fit and one prediction of as many rows."""
    import dask

    import kernelproba as kp

    dask.config.set(scheduler="synchronous")
    with tempfile.TemporaryDirectory() as folder:
        small = stored(store, labelled_rows(2000)[0], Path(folder))
        y = labelled_rows(2000)[1]
        warm = kp.KernelLogisticRegression(n_centers=20, random_state=0)
        _values(warm.fit(small, _labels(y, small)).predict_proba(small))
        X, y = labelled_rows(ROWS)
        rows, labels = stored(store, X, Path(folder)), None
        if store in ("sparse", "Parquet"):
            del X
        labels = _labels(y, rows)
        model = kp.KernelLogisticRegression(0.1, gamma=0.02, memory_limit=limit, random_state=0)
        before = resident()
        fit = peak_during(lambda: model.fit(rows, labels)) - before
        before = resident()
        predict = peak_during(lambda: _values(model.predict_proba(rows))) - before
    return {
        "store": store,
        "memory_limit": limit,
        "centres": len(model.support_vectors_) if store != "sparse" else model.support_vectors_.shape[0],
        "fit, MB above data": round(fit),
        "predict, MB above data": round(predict),
        "of which result": round(ROWS * CLASSES * 8 / 1e6),
    }


def _labels(y: np.ndarray, rows):
    """Labels as the store wants them."""
    if hasattr(rows, "dask"):
        import dask.array as da

        return da.from_array(y, chunks=(rows.chunks[0],))
    return y


def _values(proba):
    return proba.compute() if hasattr(proba, "compute") else proba


def main() -> None:
    """Run all cases and write the page."""
    rows = []
    for store in STORES:
        for limit in LIMITS:
            command = [sys.executable, "-m", "benchmarks.memory", store, limit]
            done = subprocess.run(
                command, capture_output=True, text=True, check=True, cwd=RESULTS.parent.parent
            )
            rows.append(json.loads(done.stdout.splitlines()[-1]))
            print(rows[-1], flush=True)
    text = (
        f"{ROWS:,} rows of {FEATURES} features, {CLASSES} classes, `n_centers='auto'`: peak of the resident "
        "memory less what the process held before, with the data in it, sampled every two milliseconds.\n\n"
        "Regenerate: `python -m benchmarks.memory`."
    )
    write("memory", "Peak memory against memory_limit", text, rows, machine())


if __name__ == "__main__":
    print(json.dumps(case(*sys.argv[1:]))) if len(sys.argv) > 1 else main()
