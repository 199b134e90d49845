"""Peak memory above the data against `memory_limit`, in fit, predict and tuning, for every store.

    python -m benchmarks.memory                 all cases that the record lacks; remove it to begin anew
    python -m benchmarks.memory STORE LIMIT     one case, as JSON

Every case runs in a process of its own.  *Above the data* is the peak of the resident memory less what the
process held with the data, all modules and one small fit behind it, and all free memory given back.
"""

import ctypes
import itertools
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
from kernelproba.rows import memory_budget

STORES = ("dense", "sparse", "Parquet", "Dask")
LIMITS = ("100MB", "250MB", "500MB", "1GB", "2GB")
#: A search over what is given, without weights of features and other kernels: they take time, not memory.
PLAIN = {"kernel": "rbf", "scale": None, "feature_weights": None}
ROWS, FEATURES, CLASSES = 30_000, 20, 4


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


def peak_above(work: Callable[[], object]) -> float:
    """Largest resident memory in MB while `work` runs, above what there was before."""
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    before = resident()
    peak, done = [before], threading.Event()

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
    return max(peak[0], resident()) - before


def case(store: str, limit: str) -> dict:
    """Peak memory above data of one fit, one prediction of as many rows, and one search."""
    import dask

    import kernelproba as kp

    dask.config.set(scheduler="synchronous")
    model = kp.KernelLogisticRegression(0.1, gamma=0.02, memory_limit=limit, random_state=0)
    search = kp.KernelLogisticRegressionCV(
        [0.1, 1.0], gammas=[0.01, 0.02], memory_limit=limit, random_state=0, **PLAIN
    )
    with tempfile.TemporaryDirectory() as folder:
        small, y = labelled_rows(2000)
        small = stored(store, small, Path(folder))
        warm = kp.KernelLogisticRegression(n_centers=20, random_state=0)
        _values(warm.fit(small, _labels(y, small)).predict_proba(small))
        X, y = labelled_rows(ROWS)
        rows = stored(store, X, Path(folder))
        if store in ("sparse", "Parquet"):
            del X
        labels = _labels(y, rows)
        peaks = {
            "fit": peak_above(lambda: model.fit(rows, labels)),
            "predict": peak_above(lambda: _values(model.predict_proba(rows))),
            "tuning": peak_above(lambda: search.fit(rows, labels)),
        }
    centres = model.support_vectors_.shape[0]
    return {"store": store, "memory_limit": limit, "centres": centres} | {
        f"{name}, MB above data": round(peak) for name, peak in peaks.items()
    }


def _labels(y: np.ndarray, rows):
    """Labels as the store wants them."""
    if hasattr(rows, "dask"):
        import dask.array as da

        return da.from_array(y, chunks=(rows.chunks[0],))
    return y


def _values(proba):
    return proba.compute() if hasattr(proba, "compute") else proba


TEXT = f"""
{ROWS:,} rows of {FEATURES} features, {CLASSES} classes, `n_centers='auto'`: peak of the resident memory less what the
process held before, with the data in it, sampled every two milliseconds. *Tuning* is a `KernelLogisticRegressionCV` of
two widths and two strengths. Promised is no more than the limit and a fifth of it, or 50 MB, whichever is more. What
`n_centers` takes at least is said by an error before a fit begins. Limits that the table lacks have not been run.

Regenerate: `python -m benchmarks.memory`.
"""


def main() -> None:
    """Run the cases that are not on record, and write the page after each."""
    record = RESULTS / "memory.json"
    rows = json.loads(record.read_text(encoding="utf8"))["rows"] if record.exists() else []
    known = {(row["store"], row["memory_limit"]) for row in rows}
    for limit, store in itertools.product(LIMITS, STORES):
        if (store, limit) in known:
            continue
        command = [sys.executable, "-m", "benchmarks.memory", store, limit]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=RESULTS.parent.parent)
        here = machine()
        rows.append(json.loads(done.stdout.splitlines()[-1]) | {"commit": here.pop("commit")})
        print(rows[-1], flush=True)
        rows.sort(key=lambda row: (STORES.index(row["store"]), memory_budget(row["memory_limit"])))
        write("memory", "Peak memory against memory_limit", TEXT, rows, here)


if __name__ == "__main__":
    print(json.dumps(case(*sys.argv[1:]))) if len(sys.argv) > 1 else main()
