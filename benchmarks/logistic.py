"""Kernel logistic regression against the SVC it replaces.

    python -m benchmarks.logistic official     error, log loss and time on the official splits
    python -m benchmarks.logistic classes      fit time against the number of classes (letter)
    python -m benchmarks.logistic coupling     share of coupling in predict_proba (letter)

C and gamma of every model were fixed before the timed runs, each near its own optimum on these splits.
"""

import json
import sys
import warnings
from functools import partial

import numpy as np
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from benchmarks.measure import RESULTS, interleaved, machine, write
from kernelproba import KernelLogisticRegression
from kernelproba.coupling import METHODS, couple
from kernelproba.datasets import official_split
from kernelproba.inspection import probability_scores

# data set: (scale X to [−1, 1], C and gamma of softmax KLR, of pairwise KLR, of SVC)
PROBLEMS: dict[str, tuple] = {
    "satimage": (True, (10, 1.0), (100, 1.0), (8, 1.0)),
    "usps": (False, (200, 0.01), (400, 0.01), (10, 0.0078125)),
    "isolet": (True, (100, 1 / 256), (1000, 1 / 256), (10, 1 / 256)),
    "letter": (True, None, (10_000, 2.0), (16, 4.0)),
    "mnist": (True, None, (3000, 0.0075), (10, 0.005)),
}
#: Of mnist the first rows of either part.
MNIST_ROWS = 10_000


def load(name: str, scaled: bool):
    """Official split, scaled to [−1, 1] by the training rows if asked."""
    X, y, X_test, y_test = official_split(name)
    if name == "mnist":  # pixels share one scale
        X, X_test = (2 * A[:MNIST_ROWS] / 255.0 - 1 for A in (X, X_test))
        return X, y[:MNIST_ROWS], X_test, y_test[:MNIST_ROWS]
    if scaled:
        low, high = X.min(axis=0), X.max(axis=0)
        width = np.where(high > low, high - low, 1.0)
        X, X_test = (2 * (A - low) / width - 1 for A in (X, X_test))
    return X, y, X_test, y_test


def models(softmax: tuple | None, pairs: tuple, svc: tuple) -> dict:
    """The contestants at fixed parameters."""
    named = [{"C": C, "gamma": gamma} for C, gamma in (pairs, svc)]
    contestants = {"KLR pairwise": KernelLogisticRegression(**named[0], multi_class="pairwise")}
    if softmax is not None:
        contestants["KLR"] = KernelLogisticRegression(C=softmax[0], gamma=softmax[1])
    return contestants | {
        "SVC": SVC(**named[1]),
        "SVC calibrated": CalibratedClassifierCV(SVC(**named[1]), ensemble=False),
        "SVC(probability=True)": SVC(**named[1], probability=True, random_state=0),
    }


def official(*names: str, repeats: int = 3) -> None:
    """Fit and predict on the official splits, interleaved; each set replaces its rows in the results."""
    where = machine()
    for name in names or PROBLEMS:
        rows = [row for row in _recorded() if row["data"] != name] + _measure(name, repeats)
        rows.sort(key=lambda row: list(PROBLEMS).index(row["data"]))
        _write_official(rows, where)


def _recorded() -> list[dict]:
    record = RESULTS / "logistic_official.json"
    return json.loads(record.read_text("utf8"))["rows"] if record.exists() else []


def _write_official(rows: list[dict], where: dict) -> None:
    settings = "; ".join(
        f"{name}: softmax {softmax}, pairwise {pairs}, SVC {svc}"
        for name, (_, softmax, pairs, svc) in PROBLEMS.items()
    )
    text = (
        "Medians of interleaved runs, their number in the last column; rows of the official training part, scores on the official "
        "test part, X scaled to [−1, 1] by the training rows except for usps. KLR is exact: all rows are "
        "centres. mnist: the first 10,000 rows of either part. Softmax is left out on letter and mnist, where its "
        "kernel matrix takes up to 1 GB and pairs are faster.\n\n"
        f"(C, gamma), each near its own optimum on these splits: {settings}.\n\nRegenerate: `python -m benchmarks.logistic official`."
    )
    write("logistic_official", "Kernel logistic regression on official splits", text, rows, where)


def _measure(name: str, repeats: int) -> list[dict]:
    """The rows of one data set."""
    scaled, *parameters = PROBLEMS[name]
    X, y, X_test, y_test = load(name, scaled)
    contestants = models(*parameters)
    fits = interleaved({key: partial(model.fit, X, y) for key, model in contestants.items()}, repeats)
    proba = {key: model for key, model in contestants.items() if key != "SVC"}
    predictions = interleaved({key: partial(m.predict_proba, X_test) for key, m in proba.items()}, repeats)
    rows = []
    for key, model in contestants.items():
        row = {"data": name, "model": key, "error": float((model.predict(X_test) != y_test).mean())}
        row["log loss"] = row["ECE"] = float("nan")
        if key in predictions:
            scores = probability_scores(y_test, predictions[key]["result"], classes=model.classes_)
            row |= {"log loss": scores["log_loss"], "ECE": scores["ece"]}
        row["fit s"] = fits[key]["seconds"]
        row["fit / SVC"] = row["fit s"] / fits["SVC"]["seconds"]
        row["fit / calibrated"] = row["fit s"] / fits["SVC calibrated"]["seconds"]
        row["proba s"] = predictions[key]["seconds"] if key in predictions else float("nan")
        row["runs"] = repeats
        rows.append(row)
        print({k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}, flush=True)
    return rows


def classes(repeats: int = 3, counts=(5, 10, 15, 20, 26), n: int = 3000) -> None:
    """Fit time against c at fixed n: the first c letters, n rows in all."""
    where, rows = machine(), []
    X, y, *_ = load("letter", scaled=True)
    for c in counts:
        keep = np.flatnonzero(np.isin(y, np.unique(y)[:c]))
        keep = np.random.default_rng(0).choice(keep, n, replace=False)
        params = {"C": 333, "gamma": 2.0}
        contestants = {
            "pairwise": KernelLogisticRegression(**params, multi_class="pairwise"),
            "multinomial": KernelLogisticRegression(**params),
            "one-vs-rest": OneVsRestClassifier(KernelLogisticRegression(**params)),
        }
        fits = interleaved({k: partial(m.fit, X[keep], y[keep]) for k, m in contestants.items()}, repeats)
        rows.append({"classes": c} | {k: fits[k]["seconds"] for k in contestants})
        print(rows[-1], flush=True)
    _draw_classes(rows, n)
    text = (
        f"Seconds to fit {n} rows of the first c letters (X in [−1, 1], gamma 2, C 333), medians of {repeats} "
        "interleaved runs. roth2001 argues that pairs cost O(c² n_c²) where one-against-all costs O(c³ n_c²), "
        "n_c being the rows of a class: at fixed n = c·n_c, a constant against a cost that grows like c.\n\n"
        "![Fit time against the number of classes](logistic_classes.png)\n\n"
        "Regenerate: `python -m benchmarks.logistic classes`."
    )
    write("logistic_classes", "Fit time against the number of classes", text, rows, where)


def coupling(repeats: int = 7) -> None:
    """What coupling costs of predict_proba on letter, 26 classes."""
    where = machine()
    scaled, _, (C, gamma), _ = PROBLEMS["letter"]
    X, y, X_test, _ = load("letter", scaled)
    model = KernelLogisticRegression(C, gamma=gamma, multi_class="pairwise").fit(X, y)
    R = expit(model.pairwise_decision_function(X_test))
    runs = {"predict_proba": partial(model.predict_proba, X_test)}
    runs |= {method: partial(couple, R, method) for method in METHODS}
    times = interleaved(runs, repeats)
    whole = times["predict_proba"]["seconds"]
    rows = [
        {"step": name, "seconds": time["seconds"], "share of predict_proba": time["seconds"] / whole}
        for name, time in times.items()
    ]
    print(rows)
    text = (
        f"4000 rows, 26 classes, 325 pairs, medians of {repeats} interleaved runs; predict_proba uses the default, "
        "wu-lin-weng.\n\nRegenerate: `python -m benchmarks.logistic coupling`."
    )
    write("logistic_coupling", "The cost of coupling", text, rows, where)


def _draw_classes(rows: list[dict], n: int) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.5, 4.2), layout="constrained")
    axes = figure.subplots()
    for name, marker in (("pairwise", "o"), ("multinomial", "s"), ("one-vs-rest", "^")):
        axes.plot([r["classes"] for r in rows], [r[name] for r in rows], marker=marker, label=name)
    axes.set(xlabel="classes", ylabel="seconds to fit", title=f"letter, {n} rows in all", ylim=(0, None))
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(RESULTS / "logistic_classes.png", dpi=120)


if __name__ == "__main__":
    # The rival's deprecation is the reason of this comparison, and no news here.
    warnings.filterwarnings("ignore", category=FutureWarning)
    {"official": official, "classes": classes, "coupling": coupling}[sys.argv[1]](*sys.argv[2:])
