"""Prediction sets against MAPIE's around the same classifier: their size at equal coverage, and the time of the fit."""

import time

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.tables_data import Problem
from benchmarks.uncertainty_sets import CURVE, QUICK, model, rows_of, runs_by_problem
from kernelproba import ConformalClassifier
from kernelproba.conformal import prediction_sets

RIVAL_SPLITS = 3
#: Ours first, then MAPIE's.
CONTESTANTS = ("loo", "cv+", "split", "cross")


def compare(problem: Problem, split: int) -> dict:
    """Our sets and MAPIE's around the same classifier."""
    from mapie.classification import CrossConformalClassifier, SplitConformalClassifier

    (X, y), (X_test, y_test) = rows_of(problem, split)
    # MAPIE wants every class in every part.
    labels, counts = np.unique(y, return_counts=True)
    keep, keep_test = np.isin(y, labels[counts >= 10]), np.isin(y_test, labels[counts >= 10])
    classes, y = np.unique(y[keep], return_inverse=True)
    X, X_test, y_test = X[keep], X_test[keep_test], np.searchsorted(classes, y_test[keep_test])
    inner = model(problem, **QUICK)

    def ours(method):
        sets = ConformalClassifier(inner, 0.5, method=method, allow_empty=True).fit(X, y)
        return lambda: np.stack([prediction_sets(sets.predict_p_values(X_test), q) for q in CURVE], axis=2)

    def split_sets():
        parts = train_test_split(X, y, test_size=0.25, random_state=split, stratify=y)
        sets = SplitConformalClassifier(inner, list(CURVE), prefit=False, random_state=0)
        sets.fit(parts[0], parts[2]).conformalize(parts[1], parts[3])
        return lambda: sets.predict_set(X_test)[1]

    def cross_sets():
        sets = CrossConformalClassifier(inner, list(CURVE), cv=5, random_state=0).fit_conformalize(X, y)
        return lambda: sets.predict_set(X_test)[1]

    fits = (lambda: ours("loo"), lambda: ours("cv+"), split_sets, cross_sets)
    run: dict = {"rows": len(y), "classes": len(classes)}
    for name, fit in zip(CONTESTANTS, fits, strict=True):
        start = time.process_time()
        predict = fit()
        seconds = time.process_time() - start
        chosen = predict()
        run |= {
            f"{name}: coverage": chosen[np.arange(len(y_test)), y_test].mean(axis=0).tolist(),
            f"{name}: size": chosen.sum(axis=1).mean(axis=0).tolist(),
            f"{name}: fit s": seconds,
        }
    return run


def comparison_page() -> tuple[str, str, list[dict]]:
    """Title, text and rows of the page, from the runs on record."""
    rows = [_row(name, runs) for name, runs in runs_by_problem("mapie").items()]
    text = (
        "`ConformalClassifier` by leave-one-out and by CV+ against MAPIE's `SplitConformalClassifier` (a quarter of the rows set aside) "
        'and `CrossConformalClassifier` (5 folds), all with the score "lac" around the same classifier, `KernelLogisticRegressionCV('
        'kernel="rbf", feature_weights=None)`, at 0.9; training and test rows as in [uncertainty_coverage](uncertainty_coverage.md), '
        "without classes of fewer than 10 training rows. *Size at coverage 0.9*: the mean number of labels where the mean coverage is "
        f"0.9 exactly, read off between the levels {', '.join(map(str, CURVE))}. Processor seconds of one thread, the four in turn in "
        "one process on a loaded machine: their ratios are good to some ten per cent.\n\n"
        "Geometric means over the problems of ours over theirs, ± standard error. "
        + " ".join(_ratio(rows, ours, theirs) for ours in CONTESTANTS[:2] for theirs in CONTESTANTS[2:])
        + "\n\nMAPIE's cross-conformal sets threshold the mean of five fits' probabilities, an ensemble, where leave-one-out has one fit "
        "in a fifth of the time; CV+ compares each known row with what the fit without it says of the new one, by the same five fits. "
        "Which of these makes the difference was not tested.\n\n"
        "Regenerate: `python -m benchmarks.uncertainty mapie`."
    )
    return "Prediction sets against MAPIE's", text, rows


def _row(name: str, runs: list[dict]) -> dict:
    row = {"data": name, "rows": runs[0]["rows"], "classes": runs[0]["classes"], "splits": len(runs)}
    at = CURVE.index(0.9)
    for method in CONTESTANTS:
        means = {
            key: np.mean([run[f"{method}: {key}"] for run in runs], axis=0)
            for key in ("coverage", "size", "fit s")
        }
        row |= {
            f"{method}: coverage": float(means["coverage"][at]),
            f"{method}: size": float(means["size"][at]),
            f"{method}: size at coverage 0.9": _size_at(0.9, means["coverage"], means["size"]),
            f"{method}: fit s": float(means["fit s"]),
        }
    return row


def _ratio(rows: list[dict], ours: str, theirs: str) -> str:
    """Sizes at equal coverage and times of one of ours relative to one of theirs, as a sentence."""
    sizes, times = (
        np.array([np.log(row[f"{ours}: {key}"] / row[f"{theirs}: {key}"]) for row in rows])
        for key in ("size at coverage 0.9", "fit s")
    )
    error = sizes.std(ddof=1) / np.sqrt(len(sizes))
    return (
        f"*{ours}* against *{theirs}*: size {np.exp(sizes.mean()):.3f} ± {error:.3f} ({np.sum(sizes <= 1e-9)} of {len(sizes)} not "
        f"larger, largest {np.exp(sizes.max()):.3f}), time {np.exp(times.mean()):.2f}."
    )


def _size_at(coverage: float, coverages: np.ndarray, sizes: np.ndarray) -> float:
    """Size where the coverage is so much, between two levels; at an end of the curve, that of the end."""
    order = np.argsort(coverages)
    return float(np.interp(coverage, coverages[order], sizes[order]))
