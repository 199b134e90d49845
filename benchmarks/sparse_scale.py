"""Sparse models at their largest: letter beside a calibrated SVC, weak penalties, and ten thousand rows.

Every fit runs in a process of its own; times are processor seconds.
"""

import multiprocessing
import resource
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from time import perf_counter, process_time

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_moons
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.measure import machine, recorded, write
from kernelproba.datasets import official_split, two_gaussians_problem
from kernelproba.estimators.linear_programming_machine import LinearProgrammingMachine
from kernelproba.estimators.relevance_vector import RelevanceVectorClassifier
from kernelproba.estimators.sparse_kernel_logistic.estimator import SparseKernelLogisticRegression

TEXT = """
The first rows of letter and rows drawn of the other sets: letter scaled to [-1, 1], RBF with gamma = 2, SVC with C = 10 and the sparse models with C = 5;
satimage standardised, group penalty with C = 100; two classes of 10,000 rows, and mnist (digits above four against the
others, and all ten) for the relevance vector and the linear programming machine with their defaults. *Excess* is what
the objective lies above that of the same fit with tol = 1e-5, relative to it (for the linear programming machine the
duality gap instead); *ratio* is the processor time over that of the calibrated SVC of the same run, with the commit
that is given. A fit without a log loss was
stopped after the processor seconds that are given.
"""


def scale(letter: int, satimage: int, rows: int, kinds: str, converged: int, limit: int) -> None:
    """Measure the kinds of fits asked for and write the page after each; none takes longer than `limit` seconds.

    Lines of others stay as they are. Ratios are to the calibrated SVC of the same run, which is measured anyway.
    """
    where, known = machine(), {row["fit"]: row for row in recorded("sparse_scale")}
    svc = 0.0
    for kind, (data, n) in tasks(letter, satimage, rows).items():
        if kind.split(",")[0].split(" ")[0] in ["svc", *kinds.split(",")]:
            row = measured_apart(kind, data, n, converged, limit)
            svc = svc or row["CPU seconds"]
            known[kind] = row | {"ratio": row["CPU seconds"] / svc, "commit": where["commit"]}
            print(known[kind], flush=True)
            results = [known[name] for name in tasks(letter, satimage, rows) if name in known]
            write("sparse_scale", "Sparse models at scale", TEXT, results, where)


def tasks(letter: int, satimage: int, rows: int) -> dict[str, tuple[str, int]]:
    """Data and rows of each fit, by its name."""
    named = {"svc": ("letter", letter), "l1": ("letter", letter), "group": ("letter", letter)}
    named["weak group"] = ("satimage", satimage)
    for data in ("gaussians", "moons", "mnist halves", "mnist"):
        for kind in ("rvm", "lpm"):
            named[f"{kind}, {data}"] = (data, rows)
    return named


def measured_apart(kind: str, data: str, n: int, converged: int, limit: int) -> dict:
    """`measure` in a process of its own, which the system ends where the fit takes too long."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        try:
            return pool.submit(measure, kind, data, n, converged, limit).result()
        except BrokenProcessPool:
            unknown = (
                "classes",
                "CPU seconds",
                "seconds",
                "peak GB",
                "kernels",
                "log loss",
                "residual",
                "excess",
            )
            row = {"fit": kind, "data": data, "rows": n} | dict.fromkeys(unknown, float("nan"))
            return row | {"CPU seconds": limit}


def measure(kind: str, data: str, n: int, converged: int, limit: int) -> dict:
    """One fit, its time, memory, size, quality and distance from the optimum."""
    X, y, X_test, y_test = rows_of(data, n)
    model = model_of(kind)
    wall, start = perf_counter(), process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(start) + limit, resource.RLIM_INFINITY))
    model.fit(X, y)
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    seconds, wall = process_time() - start, perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    inner = model.calibrated_classifiers_[0].estimator if kind == "svc" else model
    return {
        "fit": kind,
        "data": data,
        "rows": len(y),
        "classes": len(np.unique(y)),
        "CPU seconds": seconds,
        "seconds": wall,
        "peak GB": peak,
        "kernels": len(inner.support_),
        "log loss": float(log_loss(y_test, model.predict_proba(X_test))),
        "residual": float(getattr(model, "residual_", np.nan)),
        "excess": excess(model, kind, X, y) if converged else float("nan"),
    }


def excess(model, kind: str, X: np.ndarray, y: np.ndarray) -> float:
    """Relative distance of the objective from its minimum, as far as the model has one."""
    if kind.startswith("lpm"):
        return model.duality_gap_ / model.objective_
    if not isinstance(model, SparseKernelLogisticRegression):
        return float("nan")
    exact = SparseKernelLogisticRegression(**model.get_params() | {"tol": 1e-5}).fit(X, y)
    return model.objective_ / exact.objective_ - 1


def model_of(kind: str):
    """The model of a fit."""
    models: dict[str, Callable] = {
        "svc": lambda: CalibratedClassifierCV(SVC(C=10.0, gamma=2.0), ensemble=False),
        "l1": lambda: SparseKernelLogisticRegression(C=5.0, gamma=2.0),
        "group": lambda: SparseKernelLogisticRegression(C=5.0, gamma=2.0, penalty="group"),
        "weak group": lambda: SparseKernelLogisticRegression(C=100.0, penalty="group"),
        "rvm": RelevanceVectorClassifier,
        "lpm": LinearProgrammingMachine,
    }
    return models[kind.split(",")[0]]()


def rows_of(data: str, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training and test rows."""
    if data == "gaussians":
        X, y = two_gaussians_problem().sample(2 * n, random_state=0)
        return X[:n], y[:n], X[n:], y[n:]
    if data == "moons":
        X, y = make_moons(2 * n, noise=0.25, random_state=0)
        return X[:n], y[:n], X[n:], y[n:]
    X, y, X_test, y_test = official_split(data.split()[0])
    chosen = np.arange(n) if data == "letter" else np.random.default_rng(0).permutation(len(y))[:n]
    X, y = X[chosen].astype(float), y[chosen]
    if data == "letter":
        return X / 7.5 - 1, y, X_test.astype(float) / 7.5 - 1, y_test
    if data == "satimage":
        scaler = StandardScaler().fit(X)
        return scaler.transform(X), y, scaler.transform(X_test.astype(float)), y_test
    if data == "mnist halves":
        y, y_test = (part.astype(int) > 4 for part in (y, y_test))
    return X / 255, y, X_test.astype(float) / 255, y_test
