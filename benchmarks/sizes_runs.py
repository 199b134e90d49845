"""The contestants of `benchmarks.sizes`, each run in a process of its own, which reports its time and its peak memory."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from benchmarks.measure import RESULTS
from benchmarks.rivals_record import RunRecord
from benchmarks.sizes_data import TABLES, parquet_folder, test_waves
from benchmarks.tables_data import Features
from benchmarks.tables_rivals import CATBOOST, CONTESTANTS, OURS, prepared
from kernelproba import KernelLogisticRegressionCV
from kernelproba.tables import TableClassifier

RECORD = RunRecord(RESULTS / "sizes_runs")
#: Sizes of training sets; a table that has fewer rows is taken in full, once.
SIZES = (4_000, 20_000, 100_000, 1_000_000)
#: Rows times columns times classes beyond which a contestant is not run, by the time that it would take.
MOST_WORK = {"Nystroem + logistic": 1.5e8, "logistic": 4e8}
COMPONENTS, TRIED_ROWS = 1000, 20_000


class TunedNystroem(ClassifierMixin, BaseEstimator):
    """1000 landmarks, then logistic regression; gamma of three and C of three by a fifth of at most 20,000 rows."""

    def fit(self, X, y):
        few = slice(min(len(y), TRIED_ROWS))
        train, held, y_train, y_held = train_test_split(
            X[few], y[few], test_size=0.2, stratify=y[few], random_state=0
        )
        best = np.inf
        for gamma in np.array([0.2, 0.5, 1.5]) / X.shape[1]:
            nystroem = Nystroem(gamma=gamma, n_components=min(COMPONENTS, len(train)), random_state=0).fit(
                train
            )
            parts = nystroem.transform(train), nystroem.transform(held)
            for C in (1.0, 10.0, 100.0):
                linear = LogisticRegression(C=C, max_iter=100).fit(parts[0], y_train)
                loss = log_loss(y_held, linear.predict_proba(parts[1]), labels=linear.classes_)
                if loss < best:
                    best, self.nystroem_ = loss, nystroem
                    self.linear_ = LogisticRegression(C=C, max_iter=300)
        self.linear_.fit(self.nystroem_.transform(X), y)
        self.classes_ = self.linear_.classes_
        return self

    def predict_proba(self, X):
        return self.linear_.predict_proba(self.nystroem_.transform(X))


def ours(X: Features):
    """The self-tuned model, under one seed."""
    tuned = KernelLogisticRegressionCV(random_state=0)
    return tuned if isinstance(X, np.ndarray) else TableClassifier(tuned.set_params(scale=None))


SIZED: dict[str, Callable] = {
    OURS: ours,
    "HistGradientBoosting": CONTESTANTS["HistGradientBoosting"],
    "LightGBM": CONTESTANTS["LightGBM"],
    CATBOOST: CONTESTANTS[CATBOOST],
    "logistic": partial(prepared, partial(LogisticRegression, max_iter=300), scale=True),
    "Nystroem + logistic": partial(prepared, TunedNystroem, scale=True),
}


def sizes_of(name: str, most: int) -> list[int]:
    """Training rows of a table, up to the most that are asked for, and never more than it has."""
    full = {"diamonds": 43_940, "flights": 317_346, "letter": 16_000, "mnist": 60_000}.get(name, SIZES[-1])
    return sorted({min(size, full) for size in SIZES if min(size, full) <= most})


def run_missing(most: int, names: list[str], models: list[str], seconds: float) -> None:
    """Run what has not been run, small sizes first; stop once the time is over."""
    end = time.monotonic() + seconds
    for rows, name in sorted((size, each) for each in names for size in sizes_of(each, most)):
        for model in models:
            left = end - time.monotonic()
            if (name, rows) not in RECORD.runs(model) and left > 0:
                run = apart("run_one", {"name": name, "rows": rows, "model": model}, left)
                if run is not None:
                    RECORD.keep(model, {"data": name, "split": rows} | run)


def run_one(name: str, rows: int, model: str) -> dict:
    """One fit and its predictions, in this process."""
    table = TABLES[name](rows)
    X, y = table.first(rows)
    if rows * X.shape[1] * len(np.unique(y)) > MOST_WORK.get(model, np.inf):
        return {"left out": True}
    classifier, before = SIZED[model](X), peak_memory()
    start = time.process_time()
    classifier.fit(X, y)
    seconds, after = time.process_time() - start, peak_memory()
    P = classifier.predict_proba(table.X_test)
    loss = log_loss(table.y_test, P, labels=classifier.classes_)
    return {
        "log_loss": float(loss),
        "error": float((classifier.classes_[P.argmax(axis=1)] != table.y_test).mean()),
        "cpu s": seconds,
        "MB": after,
        "MB above data": after - before,
        "least": table.least,
    } | _facts(classifier)


class StageTimes:
    """Callback that adds up the processor time of the steps of a fit, by their names."""

    def __init__(self):
        self.seconds: dict[str, float] = {}
        self._begun: dict[int, float] = {}
        self.passes = 0

    def setup(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):  # noqa: ARG002
        self._begun[id(context)] = time.process_time()

    def on_fit_task_end(self, estimator, context):  # noqa: ARG002
        spent = time.process_time() - self._begun.pop(id(context))
        self.seconds[str(context.task_name)] = self.seconds.get(str(context.task_name), 0.0) + spent
        self.passes += context.task_name == "pass"

    def teardown(self, estimator, context):
        pass


def run_parquet(rows: int, n_classes: int, memory_limit: str, max_time: float | None) -> dict:
    """The self-tuned fit of rows on disk, within a memory limit; the folder is there already."""
    from kernelproba.rows import ParquetRows

    folder = parquet_folder(rows, n_classes)
    X_test, y_test, least = test_waves(n_classes)
    store, times = ParquetRows(folder, [f"x{j}" for j in range(20)]), StageTimes()
    model = KernelLogisticRegressionCV(random_state=0, memory_limit=memory_limit, max_time=max_time)
    model.set_callbacks(times)
    before, start, wall = peak_memory(), time.process_time(), time.perf_counter()
    model.fit(store, store.column("label"))
    seconds, wall = time.process_time() - start, time.perf_counter() - wall
    P = model.predict_proba(pd.DataFrame(X_test, columns=store.columns))
    final = times.seconds["fit of all rows"]
    return {
        "log_loss": float(log_loss(y_test, P, labels=model.classes_)),
        "cpu s": seconds,
        "seconds": wall,
        "tuning s": times.seconds["candidate"] + times.seconds.get("fit of a sample", 0.0),
        "final fit s": final,
        "folds s": times.seconds["fit without a fold"],
        "steps over all rows": times.passes,
        "rows/s": rows / seconds,
        "stopped early": model.stopped_early_,
        "MB": peak_memory(),
        "MB above data": peak_memory() - before,
        "least": least,
    } | _facts(model)


def _facts(classifier: object) -> dict:
    """What our own model has chosen."""
    own = getattr(classifier, "estimator_", classifier)
    if not isinstance(own, KernelLogisticRegressionCV):
        return {}
    return {
        "promised": float(own.loo_scores_["log_loss"]),
        "models": [
            {
                "kernel": str(each.kernel),
                "C": float(each.C),
                "centers": int(each.dual_coef_.shape[1]),
                "weight": float(w),
            }
            for each, w in zip(own.estimators_, own.weights_, strict=True)
        ],
        "candidates": len(own.cv_results_["params"]),
    }


def peak_memory() -> float:
    """Largest resident size of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def apart(function: str, arguments: dict, seconds: float | None = None, threads: int = 1) -> dict | None:
    """Call a function of this module in a process of its own, on so many threads; None if the time is over."""
    code = f"import json, warnings; warnings.simplefilter('ignore'); from benchmarks import sizes_runs; print(json.dumps(sizes_runs.{function}(**{arguments!r})))"
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=seconds,
            env=os.environ | limits,
            check=True,
        )
    except subprocess.TimeoutExpired:
        print(function, arguments, "stopped: the time is over", flush=True)
        return None
    except subprocess.CalledProcessError as error:
        print(function, arguments, error.stderr[-2000:], flush=True)
        return None
    return json.loads(done.stdout.splitlines()[-1])
