"""Kernel logistic regression against the SVC it replaces.

    python -m benchmarks.logistic official     error, log loss and time on the official splits
    python -m benchmarks.logistic classes      fit time against the number of classes (letter)

C and gamma of every model were fixed beforehand, each near its own optimum.
"""

import sys
import warnings
from functools import partial

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from kernelproba import KernelLogisticRegression
from kernelproba.datasets import official_split
from kernelproba.inspection import probability_scores

from .measure import RESULTS, interleaved, machine, write

# data set: (scale X to [−1, 1], parameters of KLR, parameters of SVC)
PROBLEMS = {
    "satimage": (True, {"C": 10, "gamma": 1.0}, {"C": 8, "gamma": 1.0}),
    "usps": (False, {"C": 200, "gamma": 0.01}, {"C": 10, "gamma": 0.0078125}),
    "isolet": (True, {"C": 100, "gamma": 1 / 256}, {"C": 10, "gamma": 1 / 256}),
    "letter": (True, {"C": 333, "gamma": 2.0, "multi_class": "pairwise"}, {"C": 16, "gamma": 4.0}),
}


def load(name: str, scaled: bool):
    """Official split, scaled to [−1, 1] by the training rows if asked."""
    X, y, X_test, y_test = official_split(name)
    if scaled:
        low, high = X.min(axis=0), X.max(axis=0)
        width = np.where(high > low, high - low, 1.0)
        X, X_test = (2 * (A - low) / width - 1 for A in (X, X_test))
    return X, y, X_test, y_test


def models(klr: dict, svc: dict, n_classes: int) -> dict:
    """The contestants at fixed parameters; both forms of KLR where pairs are the chosen one or cheap."""
    contestants = {"KLR": KernelLogisticRegression(**klr)}
    if klr.get("multi_class") != "pairwise" and n_classes > 2:
        contestants["KLR pairwise"] = KernelLogisticRegression(**klr, multi_class="pairwise")
    return contestants | {
        "SVC": SVC(**svc),
        "SVC calibrated": CalibratedClassifierCV(SVC(**svc), ensemble=False),
        "SVC(probability=True)": SVC(**svc, probability=True, random_state=0),
    }


def official(names=tuple(PROBLEMS), repeats: int = 3) -> None:
    """Fit and predict on the official splits, interleaved."""
    where, rows = machine(), []
    for name in names:
        scaled, klr, svc = PROBLEMS[name]
        X, y, X_test, y_test = load(name, scaled)
        contestants = models(klr, svc, len(np.unique(y)))
        fits = interleaved({key: partial(model.fit, X, y) for key, model in contestants.items()}, repeats)
        proba = {key: m for key, m in contestants.items() if key != "SVC"}
        predictions = interleaved(
            {key: partial(m.predict_proba, X_test) for key, m in proba.items()}, repeats
        )
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
            rows.append(row)
            print({k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}, flush=True)
    text = (
        f"Medians of {repeats} interleaved runs; rows of the official training part, scores on the official "
        "test part. KLR is exact: all rows are centres. KLR on letter is pairwise (kLOGREG).\n\n"
        "Regenerate: `python -m benchmarks.logistic official`.\n\nSettings: "
        + "; ".join(f"{n}: KLR {PROBLEMS[n][1]}, SVC {PROBLEMS[n][2]}" for n in names)
    )
    write("logistic_official", "Kernel logistic regression on official splits", text, rows, where)


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
    {"official": official, "classes": classes}[sys.argv[1]]()
