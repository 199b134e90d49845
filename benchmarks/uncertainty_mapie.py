"""Prediction sets against MAPIE's around the same fits: their size at equal coverage, and the time of the fit."""

import time
from collections.abc import Callable
from itertools import product
from typing import ClassVar

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split

from benchmarks.tables_data import Problem
from benchmarks.uncertainty_sets import model, rows_of, runs_by_problem
from kernelproba import ConformalClassifier, KernelLogisticRegressionCV
from kernelproba.conformal import prediction_sets

RIVAL_SPLITS = 12
#: Levels between which sizes are read off at a coverage of exactly 0.9.
GRID = tuple(round(0.7 + 0.01 * step, 2) for step in range(26))
#: Ours first, then MAPIE's.
CONTESTANTS = ("loo", "cv+", "split", "cross")
#: Ours and theirs.
PAIRS = tuple(product(CONTESTANTS[:2], CONTESTANTS[2:]))
MEASURES = ("coverage", "size", "size at coverage 0.9", "fit s")
#: Training rows of a class that is kept: MAPIE wants every class in every part.
LEAST_ROWS = 10
#: What the records are about.
ABOUT = {
    "mapie": '`KernelLogisticRegressionCV(kernel="rbf", feature_weights=None)`',
    "mapie_default": "`KernelLogisticRegressionCV()`",
}


class RememberedFit(KernelLogisticRegressionCV):
    """Self-tuning classifier that is fitted to the same rows only once: contestants with the same folds have the same fits.

    `asked` are the seconds of all fits that were asked for, `spent` those of them that were not remembered.
    """

    _fits: ClassVar[dict[bytes, tuple[dict, float]]] = {}
    asked = spent = 0.0

    @classmethod
    def forget(cls) -> None:
        """Begin anew."""
        cls._fits, cls.asked, cls.spent = {}, 0.0, 0.0

    def fit(self, X, y):
        """Fit, or take over what the same rows and labels have left."""
        key = np.ascontiguousarray(X).tobytes() + np.asarray(y, dtype=np.int64).tobytes()
        if key not in self._fits:
            start = time.process_time()
            super().fit(X, y)
            self._fits[key] = (vars(self).copy(), time.process_time() - start)
            RememberedFit.spent += self._fits[key][1]
        fitted, seconds = self._fits[key]
        vars(self).update(fitted)
        RememberedFit.asked += seconds
        return self


def compare(problem: Problem, split: int, **options: object) -> dict:
    """Our sets and MAPIE's around the same fits."""
    from mapie.classification import CrossConformalClassifier, SplitConformalClassifier

    (X, y), (X_test, y_test) = rows_of(problem, split)
    labels, counts = np.unique(y, return_counts=True)
    common = labels[counts >= LEAST_ROWS]
    keep, keep_test = np.isin(y, common), np.isin(y_test, common)
    run: dict = {"rows": int(keep.sum()), "classes": len(common)}
    if len(common) < 2:
        return run
    X, y, X_test, y_test = X[keep], np.searchsorted(common, y[keep]), X_test[keep_test], y_test[keep_test]
    y_test = np.searchsorted(common, y_test)
    inner = RememberedFit(**model(problem, **options).get_params(deep=False))

    def ours(method):
        sets = ConformalClassifier(inner, 0.5, method=method, allow_empty=True, novelty_level=0.0).fit(X, y)
        return lambda: np.stack([prediction_sets(sets.predict_p_values(X_test), q) for q in GRID], axis=2)

    def split_sets():
        parts = train_test_split(X, y, test_size=0.25, random_state=split, stratify=y)
        sets = SplitConformalClassifier(inner, list(GRID), prefit=False, random_state=0)
        sets.fit(parts[0], parts[2]).conformalize(parts[1], parts[3])
        return lambda: sets.predict_set(X_test)[1]

    def cross_sets():
        folds = StratifiedKFold(5, shuffle=True, random_state=0)  # those of cv+
        sets = CrossConformalClassifier(inner, list(GRID), cv=folds).fit_conformalize(X, y)
        return lambda: sets.predict_set(X_test)[1]

    RememberedFit.forget()
    fits = (lambda: ours("loo"), lambda: ours("cv+"), split_sets, cross_sets)
    for name, fit in zip(CONTESTANTS, fits, strict=True):
        run |= {f"{name}: {key}": value for key, value in _judge(fit, y_test).items()}
    return run


def _judge(fit: Callable[[], Callable[[], np.ndarray]], y: np.ndarray) -> dict[str, float | None]:
    """Coverage and size at 0.9, size where the coverage is 0.9, and seconds of all fits that were asked for."""
    start, asked, spent = time.process_time(), RememberedFit.asked, RememberedFit.spent
    predict = fit()
    seconds = time.process_time() - start - (RememberedFit.spent - spent) + (RememberedFit.asked - asked)
    sets = predict()
    coverages, sizes = sets[np.arange(len(y)), y].mean(axis=0), sets.sum(axis=1).mean(axis=0)
    at = GRID.index(0.9)
    reached = coverages[0] <= 0.9 <= coverages[-1]
    covered, smallest = np.unique(coverages, return_index=True)
    return {
        "coverage": float(coverages[at]),
        "size": float(sizes[at]),
        "size at coverage 0.9": float(np.interp(0.9, covered, sizes[smallest])) if reached else None,
        "fit s": seconds,
    }


def comparison_page(record: str = "mapie") -> tuple[str, str, list[dict]]:
    """Title, text and rows of the page, from the runs on record."""
    found = {
        name: [run for run in runs if run["classes"] > 1] for name, runs in runs_by_problem(record).items()
    }
    found = {name: runs for name, runs in found.items() if len(runs) > 1}
    text = (
        "`ConformalClassifier` by leave-one-out and by CV+ against MAPIE's `SplitConformalClassifier` (a quarter of the rows set aside) "
        'and `CrossConformalClassifier` (5 folds, the same as ours), all with the score "lac" around the same fits of '
        f"{ABOUT[record]}, at 0.9, ours with `novelty_level=0` ([by default](uncertainty_far.md) sets are larger far from all rows); training and test rows as in "
        f"[uncertainty_coverage](uncertainty_coverage.md), without classes of fewer than {LEAST_ROWS} training rows. *Size at coverage "
        f"0.9*: the mean number of labels where the coverage is 0.9 exactly, read off between levels from {GRID[0]} to {GRID[-1]}, mean "
        "over the splits. Last columns: the same of ours relative to theirs, geometric mean of the ratios in each split ± standard error. "
        "*fit s*: processor seconds of one thread; a fit that two of them have in common is done once, and counts for both.\n\n"
        "Geometric means over the problems, ± standard error:\n\n"
        + "\n".join(_verdict(found, ours, theirs) for ours, theirs in PAIRS)
        + "\n\nWhy averaging five fits helps where it does, and what was tried to have it from one: [ADR "
        "11](../adr/0011-sets-intervals-novelty.md). Leave-one-out takes the time of the fit itself, on 4/3 of the rows that "
        "MAPIE's split fits.\n\n"
        f"Runs stop and go on; at most {RIVAL_SPLITS} splits. Regenerate: `python -m benchmarks.uncertainty {record}`."
    )
    return "Prediction sets against MAPIE's", text, [_row(name, runs) for name, runs in found.items()]


def _row(name: str, runs: list[dict]) -> dict:
    row = {"data": name, "rows": runs[0]["rows"], "classes": runs[0]["classes"], "splits": len(runs)}
    for key in [f"{method}: {key}" for method in CONTESTANTS for key in MEASURES]:
        row[key] = float(np.mean([run[key] for run in runs if run[key] is not None]))
    for ours, theirs in PAIRS:
        ratio, error = _ratio(runs, ours, theirs)
        row[f"{ours} / {theirs}"] = f"{np.exp(ratio):.3f} ± {error:.3f}"
    return row


def _ratio(runs: list[dict], ours: str, theirs: str) -> tuple[float, float]:
    """Mean logarithm of the sizes at equal coverage of one of ours relative to one of theirs, and its standard error."""
    keys = [f"{name}: size at coverage 0.9" for name in (ours, theirs)]
    sizes = [[run[key] for key in keys] for run in runs]
    logs = np.array([np.log(a / b) for a, b in sizes if a is not None and b is not None])
    return float(logs.mean()), float(logs.std(ddof=1) / np.sqrt(len(logs)))


def _verdict(found: dict[str, list[dict]], ours: str, theirs: str) -> str:
    """Sizes at equal coverage and times of one of ours relative to one of theirs, as a line."""
    sizes, errors = np.array([_ratio(runs, ours, theirs) for runs in found.values()]).T
    times = [
        np.log(run[f"{ours}: fit s"] / run[f"{theirs}: fit s"]) for runs in found.values() for run in runs
    ]
    names, clear = np.array(list(found)), np.abs(sizes) > 2 * errors
    larger, smaller = names[clear & (sizes > 0)], names[clear & (sizes < 0)]
    return (
        f"- *{ours}* against *{theirs}*: size {np.exp(sizes.mean()):.4f} ± {sizes.std(ddof=1) / np.sqrt(len(sizes)):.4f}; of "
        f"{len(sizes)} problems {np.sum(sizes > 0)} larger, by more than two standard errors {len(larger)}"
        + (f" ({', '.join(larger)}; {np.exp(sizes[clear].max()):.3f} at most)" if len(larger) else "")
        + f", smaller by as much {len(smaller)}; time {np.exp(np.mean(times)):.2f}."
    )
