"""Sparse models: speed against the paper's solver, prediction with few kernels, scale, and evidence.

    python -m benchmarks.sparse speed        satimage, 2000 rows: working set against bound optimisation
    python -m benchmarks.sparse prediction   satimage: time of prediction against the number of kernels
    python -m benchmarks.sparse letter       16,000 rows, 26 classes, against a calibrated SVC; time and memory
    python -m benchmarks.sparse rvm          evidence, kernels and time against fastrvm
    python -m benchmarks.sparse scale        letter by lasso and group lasso beside a calibrated SVC, satimage at C = 100,
                                             relevance vector and linear programming machines of 10,000 rows

Each writes docs/results/sparse_*.json and .md, `speed` a picture as well.  The table of shim2007 is
``kernelproba papers shim2007``.  KERNELPROBA_DATA names the directory of the data sets.
"""

import argparse
import multiprocessing
import resource
from time import perf_counter

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks import sparse_scale, sparse_solvers
from benchmarks.measure import interleaved, machine, write
from kernelproba.datasets import load, official_split
from kernelproba.estimators.kernel_logistic.estimator import KernelLogisticRegression
from kernelproba.estimators.relevance_vector import RelevanceVectorClassifier
from kernelproba.estimators.sparse_kernel_logistic.estimator import SparseKernelLogisticRegression
from kernelproba.kernels import RBF
from kernelproba.solvers.evidence.laplace import laplace


def satimage(n: int):
    """Return standardised rows, labels and test rows of satimage."""
    X, y, X_test, y_test = official_split("satimage")
    chosen = np.random.default_rng(0).permutation(len(y))[:n]
    scaler = StandardScaler().fit(X[chosen].astype(float))
    return (
        scaler.transform(X[chosen].astype(float)),
        y[chosen],
        scaler.transform(X_test.astype(float)),
        y_test,
    )


# --- speed and prediction ---------------------------------------------------------------------------------


def speed(n: int = 2000, C: float = 1.0, budget: float = 150.0) -> None:
    """satimage: time to the same objective as the paper's bound optimisation"""
    X, y, _, _ = satimage(n)
    sparse_solvers.speed(X, y, C, budget)


def prediction(n: int = 2000) -> None:
    """satimage: predict_proba of sparse models beside that of the dense one"""
    where = machine()
    X, y, X_test, y_test = satimage(n)
    models = {"dense (all rows)": KernelLogisticRegression(C=1.0).fit(X, y)}
    for C in (1e-6, 0.1, 1.0, 10.0, 100.0):
        models[f"sparse, C = {C:g}"] = SparseKernelLogisticRegression(C=C).fit(X, y)
    big = np.tile(X_test, (5, 1))
    times = interleaved({name: lambda m=model: m.predict_proba(big) for name, model in models.items()}, 7)
    dense = times["dense (all rows)"]["seconds"]
    rows = [
        {
            "model": name,
            "kernels": len(model.support_),
            "error": 1 - model.score(X_test, y_test),
            "log loss": log_loss(y_test, model.predict_proba(X_test)),
            "seconds": times[name]["seconds"],
            "share of time": times[name]["seconds"] / dense,
            "share of kernels": len(model.support_) / len(models["dense (all rows)"].support_),
        }
        for name, model in models.items()
    ]
    text = (
        f"satimage, {len(X)} training rows, {len(big)} rows predicted, median of 7. The model without kernels "
        "shows what every prediction costs: a look at the rows, and softmax."
    )
    write("sparse_prediction", "Prediction with few kernels", text, rows, where)


# --- letter -----------------------------------------------------------------------------------------------


def letter(n: int = 16_000, C: float = 5.0, kinds: str = "svc,l1") -> None:
    """letter: time and memory of some of svc, l1 and group, each in a process of its own"""
    where = machine()
    contestants = {
        "CalibratedClassifierCV(SVC(), ensemble=False)": ("svc", n, 10.0),
        f"SparseKernelLogisticRegression(C={C:g})": ("l1", n, C),
        f"SparseKernelLogisticRegression(C={C:g}, penalty='group')": ("group", n, C),
    }
    contestants = {name: task for name, task in contestants.items() if task[0] in kinds.split(",")}
    text = f"letter, first {n} rows, features scaled to [-1, 1], RBF with gamma = 2; SVC with C = 10."
    rows: list[dict] = []
    for name, task in contestants.items():
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            rows.append({"model": name} | pool.apply(letter_fit, task))
        rows[-1]["ratio"] = rows[-1]["seconds"] / rows[0]["seconds"]
        print(rows[-1], flush=True)
        write("sparse_letter", "Sparse kernel logistic regression on letter", text, rows, where)


def letter_fit(kind: str, n: int, C: float) -> dict:
    X, y, X_test, y_test = official_split("letter")
    X, X_test = (part.astype(float) / 7.5 - 1 for part in (X[:n], X_test))
    model = SparseKernelLogisticRegression(C=C, gamma=2.0, penalty=kind) if kind != "svc" else None
    if model is None:
        model = CalibratedClassifierCV(SVC(C=C, gamma=2.0), ensemble=False)
    start = perf_counter()
    model.fit(X, y[:n])
    seconds = perf_counter() - start
    inner = model if kind != "svc" else model.calibrated_classifiers_[0].estimator
    return {
        "seconds": seconds,
        "peak GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "kernels": len(inner.support_),
        "error": float(1 - model.score(X_test, y_test)),
        "log loss": float(log_loss(y_test, model.predict_proba(X_test))),
        "residual": float(getattr(model, "residual_", np.nan)),
    }


# --- rvm --------------------------------------------------------------------------------------------------

RVM_SETS = ("raetsch_breast_cancer", "raetsch_heart", "raetsch_thyroid", "raetsch_diabetes", "iris")


def rvm(repeats: int = 7) -> None:
    """Evidence, kernels and time, both without an intercept and with the same kernel."""
    import fastrvm

    where, rows = machine(), []
    for name in RVM_SETS:
        X, y = rvm_problem(name)
        gamma = 1.0 / X.shape[1]
        result = interleaved(
            {
                "ours": lambda X=X, y=y, g=gamma: RelevanceVectorClassifier(gamma=g).fit(X, y),
                "theirs": lambda X=X, y=y, g=gamma: fastrvm.RVC(gamma=g).fit(X, y),
            },
            repeats,
        )
        ours, theirs = result["ours"]["result"], result["theirs"]["result"]
        rows.append(
            {
                "set": name,
                "rows": len(y),
                "evidence": float(ours.evidence_[0]),
                "fastrvm's own figure": float(theirs.scores_[-1]),
                "best on fastrvm's vectors": best_evidence(X, y, gamma, theirs.relevance_),
                "kernels": ours.n_kernels_,
                "fastrvm's kernels": len(theirs.relevance_),
                "seconds": result["ours"]["seconds"],
                "ratio of times": result["ours"]["seconds"] / result["theirs"]["seconds"],
            }
        )
    text = (
        "First partition (iris: versicolor against the rest, every second row), standardised, RBF with "
        "gamma = 1/d, no intercept. fastrvm's own figure is the end of its trace; beside it the evidence by "
        "our formula on its relevance vectors, precisions optimised for it."
    )
    write("sparse_rvm", "Relevance vector machines: evidence and time", text, rows, where)


def rvm_problem(name: str):
    data = load(name)
    rows = data.partitions[0][0] if data.partitions else np.arange(0, len(data.y), 2)
    X, y = data.X[rows].astype(float), (data.y[rows] == np.unique(data.y)[1]).astype(int)
    return StandardScaler().fit_transform(X), y


def best_evidence(X, y, gamma: float, relevance: np.ndarray) -> float:
    """Evidence on given vectors, maximised over their precisions from two starts."""
    from scipy.optimize import minimize

    Phi, sign, weight = RBF(RBF.length_scale_of(gamma))(X, X[relevance]), 2.0 * y - 1, np.ones(len(y))

    def descend(log_a):
        post = laplace(Phi, sign, weight, np.exp(log_a), np.zeros(len(log_a)))
        return -post.evidence, -post.gradient(Phi, np.exp(log_a))

    starts = (np.full(len(relevance), value) for value in (-2.0, 0.0))
    bounds = [(-12.0, 12.0)] * len(relevance)
    return max(-float(minimize(descend, s, jac=True, method="L-BFGS-B", bounds=bounds).fun) for s in starts)


# --- scale ------------------------------------------------------------------------------------------------


def scale(
    letter: int = 16_000,
    satimage: int = 4435,
    rows: int = 10_000,
    kinds: str = "svc,l1,group,weak,rvm,lpm",
    converged: int = 1,
    limit: int = 600,
) -> None:
    """Times at full size; smaller numbers of rows, some kinds, converged=0 without exact fits, limit in seconds"""
    sparse_scale.scale(letter, satimage, rows, kinds, converged, limit)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for function, options in {
        speed: ("n", "C", "budget"),
        prediction: ("n",),
        letter: ("n", "C", "kinds"),
        rvm: ("repeats",),
        scale: ("letter", "satimage", "rows", "kinds", "converged", "limit"),
    }.items():
        command = commands.add_parser(function.__name__, help=function.__doc__)
        defaults = dict(zip(function.__code__.co_varnames, function.__defaults__, strict=False))
        for option in options:
            command.add_argument(f"--{option}", type=type(defaults[option]), default=defaults[option])
        command.set_defaults(run=function)
    arguments = vars(parser.parse_args())
    arguments.pop("command")
    arguments.pop("run")(**arguments)


if __name__ == "__main__":
    main()
