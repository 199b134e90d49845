"""Sparse models: speed against the paper's solver, scale, evidence, and the table of shim2007.

    python -m benchmarks.sparse speed      satimage, 2000 rows: working set against bound optimisation
    python -m benchmarks.sparse letter     16,000 rows, 26 classes, against a calibrated SVC; time and memory
    python -m benchmarks.sparse rvm        evidence, kernels and time against fastrvm
    python -m benchmarks.sparse shim2007   the paper's table 4.2, 50 splits; resumes where it was stopped

Each writes docs/results/sparse_*.json and .md, `speed` and `shim2007` a picture as well.
KERNELPROBA_DATA names the directory of the data sets.
"""

import argparse
import json
import multiprocessing
import resource
from time import perf_counter

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold, StratifiedShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.measure import RESULTS, interleaved, machine, write
from kernelproba.basis.columns import KernelColumns
from kernelproba.datasets import load, official_split
from kernelproba.estimators.feature_addition import RecursiveFeatureAddition
from kernelproba.estimators.kernel_logistic import KernelLogisticRegression
from kernelproba.estimators.relevance_vector import RelevanceVectorClassifier
from kernelproba.estimators.sparse_kernel_logistic import SparseKernelLogisticRegression
from kernelproba.kernels import RBF
from kernelproba.losses import loss_for
from kernelproba.penalties import Lasso
from kernelproba.solvers.laplace import laplace
from kernelproba.solvers.sparse import SPARSE_SOLVERS
from kernelproba.solvers.sparse_objective import SparseObjective
from kernelproba.tuning.sparse_cv import SparseKernelLogisticRegressionCV


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


# --- speed ------------------------------------------------------------------------------------------------


def speed(n: int = 2000, C: float = 1.0, budget: float = 1800.0) -> None:
    """Time to the same objective, and of prediction with few kernels."""
    where = machine()
    X, y, X_test, y_test = satimage(n)
    objective = satimage_objective(X, y, C)
    solve = SPARSE_SOLVERS["working-set"]
    fast = interleaved({"fast": lambda: solve(objective, objective.null_model(), tol=1e-3, max_iter=1000)}, 3)
    value, seconds = fast["fast"]["result"].value, fast["fast"]["seconds"]
    rows = [
        {
            "solver": "working-set",
            "seconds": seconds,
            "objective": value,
            "relative excess": 0.0,
            "ratio": 1.0,
        }
    ]
    traces = {"working-set": [(seconds, 0.0)]}
    for name in ("bound", "bound-newton"):
        trace, reached = trace_to(objective, name, value, budget)
        traces[name] = [(t, (v - value) / value) for t, v in trace]
        time, end = trace[-1]
        rows.append(
            {
                "solver": name if reached else f"{name} (stopped)",
                "seconds": time,
                "objective": end,
                "relative excess": (end - value) / value,
                "ratio": time / seconds,
            }
        )
    text = (
        f"Lasso, satimage, n = {n}, C = {C:g}, RBF with gamma='scale'. The paper's solvers run until their "
        f"objective is within 1e-6 of the minimum (relative), or for {budget:g} s."
    )
    write("sparse_speed", "Sparse kernel logistic regression: time to the same objective", text, rows, where)
    draw_traces(traces)
    prediction(X, y, X_test, y_test, where)


def satimage_objective(X, y, C: float) -> SparseObjective:
    codes = np.unique(y, return_inverse=True)[1]
    loss = loss_for(codes.max() + 1)
    columns = KernelColumns(RBF(RBF.length_scale_of(1.0 / (X.shape[1] * X.var()))), X)
    return SparseObjective(columns, codes, np.full(len(y), C), loss, Lasso(), loss.n_scores(codes.max() + 1))


def trace_to(objective: SparseObjective, solver: str, goal: float, budget: float):
    """Seconds and objective every 25 iterations (one Gram matrix), until near the goal or out of time."""
    theta, trace, start = objective.null_model(), [], perf_counter()
    while True:
        solution = SPARSE_SOLVERS[solver](objective, theta, tol=1e-4, max_iter=25)
        theta = solution.coef
        trace.append((perf_counter() - start, solution.value))
        if len(trace) % 4 == 1:
            print(f"  {solver}: {trace[-1][0]:.0f} s, {solution.value / goal - 1:.1e} above", flush=True)
        reached = solution.value <= goal * (1 + 1e-6) or solution.converged
        if reached or trace[-1][0] > budget:
            return trace, reached


def draw_traces(traces: dict) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    for name, trace in traces.items():
        time, excess = np.array(trace).T
        ax.plot(time, np.maximum(excess, 1e-8), marker="o", markersize=3, label=name)
    ax.set(xscale="log", yscale="log", xlabel="seconds", ylabel="objective above the minimum, relative")
    ax.legend(frameon=False)
    figure.savefig(RESULTS / "sparse_speed.png", dpi=120)


def prediction(X, y, X_test, y_test, where: dict) -> None:
    """predict_proba of sparse models beside that of the dense one."""
    models = {"dense (all rows)": KernelLogisticRegression(C=1.0).fit(X, y)}
    for C in (0.1, 1.0, 10.0):
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
    text = f"satimage, {len(X)} training rows, {len(big)} rows predicted, median of 7."
    write("sparse_prediction", "Prediction with few kernels", text, rows, where)


# --- letter -----------------------------------------------------------------------------------------------


def letter(n: int = 16_000, C: float = 5.0) -> None:
    """Each contestant in a process of its own, so that its peak memory is its own."""
    where = machine()
    contestants = {
        "CalibratedClassifierCV(SVC(), ensemble=False)": ("svc", n, 10.0),
        f"SparseKernelLogisticRegression(C={C:g})": ("l1", n, C),
        f"SparseKernelLogisticRegression(C={C:g}, penalty='group')": ("group", n, C),
    }
    rows = []
    for name, task in contestants.items():
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            rows.append({"model": name} | pool.apply(letter_fit, task))
        print(rows[-1], flush=True)
    for row in rows:
        row["ratio"] = row["seconds"] / rows[0]["seconds"]
    text = f"letter, first {n} rows, features scaled to [-1, 1], RBF with gamma = 2; SVC with C = 10."
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


# --- shim2007 ---------------------------------------------------------------------------------------------

PAPER = {  # table 4.2: error and kernels of SMKLR, one-vs-all SVM, one-vs-all RVM
    "iris": ((0.0492, 31.88), (0.0568, 15.24), (0.0556, 6.13)),
    "new_thyroid": ((0.0947, 80.71), (0.3439, 143.0), (0.0811, 103.77)),
    "wine": ((0.0285, 16.60), (0.0380, 31.43), (0.0502, 3.69)),
    "leukemia": ((0.2392, 29.72), (0.3317, 36.59), (0.3725, 47.39)),
    "lymphoma": ((0.0286, 24.29), (0.0829, 32.77), (0.0286, 41.0)),
    "brain": ((0.3543, 9.80), (0.4229, 15.03), (0.4729, 15.79)),
}
WIDTHS = 2.0 ** np.arange(-6, 3)  # gamma times the number of features
MICROARRAYS = {"leukemia", "lymphoma", "brain"}


def shim2007(splits: int = 50) -> None:
    """Fill docs/results/sparse_shim2007_splits.json, skipping what is there, and tabulate it."""
    where = machine()
    store = RESULTS / "sparse_shim2007_splits.json"
    done = json.loads(store.read_text(encoding="utf8")) if store.is_file() else {}
    RESULTS.mkdir(parents=True, exist_ok=True)
    for seed in range(splits):
        for name in PAPER:
            for method, evaluate in METHODS.items():
                key = f"{name}/{method}/{seed}"
                if key not in done:
                    done[key] = evaluate(*shim_split(name, seed))
                    store.write_text(json.dumps(done, indent=0) + "\n", encoding="utf8")
        print(f"split {seed} done", flush=True)
    rows = [shim_row(done, name, method, i) for name in PAPER for i, method in enumerate(METHODS)]
    text = (
        f"{splits} random splits 67/33 (stratified, so that brain's classes of four rows are in both parts), "
        "features standardised on the training part, kernel width and penalty by 5-fold cross-validation "
        "there. For the microarrays 20 genes are chosen on the training part alone; the paper does not say "
        "whether its choice saw the test part. Kernels are those that any class uses. ± is one standard "
        "error over the splits."
    )
    write("sparse_shim2007", "Table 4.2 of shim2007", text, rows, where)
    draw_table(rows)


def shim_split(name: str, seed: int):
    data = load(name)
    X, y = data.all_rows()
    y = np.unique(y, return_inverse=True)[1]
    train, test = next(StratifiedShuffleSplit(1, test_size=0.33, random_state=seed).split(X, y))
    X, y = X.astype(float), y
    if name in MICROARRAYS:
        X = X[:, RecursiveFeatureAddition(20).fit(X[train], y[train]).support_]
    scaler = StandardScaler().fit(X[train])
    return scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]


def folds(y: np.ndarray) -> StratifiedKFold:
    return StratifiedKFold(max(2, min(5, int(np.bincount(y).min()))), shuffle=True, random_state=0)


def evaluate_smklr(X, y, X_test, y_test) -> list[float]:
    candidates = [
        SparseKernelLogisticRegressionCV(Cs=12, cv=folds(y), gamma=width / X.shape[1]).fit(X, y)
        for width in WIDTHS
    ]
    model = min(candidates, key=lambda m: m.losses_.mean(axis=0).min())
    return [float(1 - model.score(X_test, y_test)), float(model.n_kernels_)]


def evaluate_svm(X, y, X_test, y_test) -> list[float]:
    grid = {"estimator__C": list(4.0 ** np.arange(-1, 6)), "estimator__gamma": list(WIDTHS / X.shape[1])}
    search = GridSearchCV(OneVsRestClassifier(SVC()), grid, cv=folds(y)).fit(X, y)
    kept = np.unique(np.concatenate([machine.support_ for machine in search.best_estimator_.estimators_]))
    return [float(1 - search.score(X_test, y_test)), float(len(kept))]


def evaluate_rvm(X, y, X_test, y_test) -> list[float]:
    grid = {"gamma": list(WIDTHS / X.shape[1])}
    search = GridSearchCV(RelevanceVectorClassifier(), grid, cv=folds(y), scoring="neg_log_loss").fit(X, y)
    return [float(1 - search.best_estimator_.score(X_test, y_test)), float(search.best_estimator_.n_kernels_)]


METHODS = {"SMKLR": evaluate_smklr, "one-vs-all SVM": evaluate_svm, "one-vs-all RVM": evaluate_rvm}


def shim_row(done: dict, name: str, method: str, place: int) -> dict:
    results = np.array([value for key, value in done.items() if key.startswith(f"{name}/{method}/")])
    error, kernels = results.mean(axis=0)
    spread = results[:, 0].std(ddof=1) / np.sqrt(len(results)) if len(results) > 1 else float("nan")
    return {
        "set": name,
        "method": method,
        "splits": len(results),
        "error": float(error),
        "±": float(spread),
        "paper's error": PAPER[name][place][0],
        "kernels": float(kernels),
        "paper's kernels": PAPER[name][place][1],
    }


def draw_table(rows: list[dict]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
    sets, colours = list(PAPER), ("C0", "C1", "C2")
    for i, method in enumerate(METHODS):
        own = [row for row in rows if row["method"] == method]
        at = np.arange(len(sets)) + 0.22 * (i - 1)
        ax.errorbar(
            at, [r["error"] for r in own], yerr=[r["±"] for r in own], fmt="o", color=colours[i], label=method
        )
        ax.scatter(
            at, [r["paper's error"] for r in own], marker="x", color=colours[i], label=f"{method}, paper"
        )
    ax.set(xticks=np.arange(len(sets)), xticklabels=sets, ylabel="test error")
    ax.legend(frameon=False, ncols=3, fontsize="small")
    figure.savefig(RESULTS / "sparse_shim2007.png", dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for function, options in {
        speed: ("n", "C", "budget"),
        letter: ("n", "C"),
        rvm: ("repeats",),
        shim2007: ("splits",),
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
