"""Prediction sets on every table and eight numeric sets: do they cover as promised?

Finished runs are kept in docs/results/uncertainty_runs, one for each problem and split, and a stopped benchmark goes on from there.
All run in one thread, and their time is that of the processor.
"""

from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import product

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import ShuffleSplit
from threadpoolctl import threadpool_limits

from benchmarks.measure import RESULTS
from benchmarks.rivals_record import RunRecord
from benchmarks.rivals_runs import table
from benchmarks.tables_data import Problem, folder, tables
from kernelproba import ConformalClassifier, KernelLogisticRegressionCV
from kernelproba.conformal import prediction_sets
from kernelproba.tables import TableEncoder

LEVELS = (0.8, 0.9, 0.95)
#: Levels between which sizes are read off at a coverage of exactly 0.9.
CURVE = (0.75, 0.8, 0.85, 0.875, 0.9, 0.925, 0.95)
SETS = (
    "iris",
    "wine",
    "new_thyroid",
    "raetsch_breast_cancer",
    "raetsch_heart",
    "raetsch_diabetes",
    "satimage",
    "letter",
)
TRAINING_ROWS, TEST_ROWS, SPLITS = 300, 1000, 20
#: Rows from which on leave-one-out is the default, and splits with so many.
MANY_ROWS, MANY_SPLITS = 1000, 5
RECORD = RunRecord(RESULTS / "uncertainty_runs")

#: One kernel and no weights of features: a search of a fifth of the time.
QUICK = {"kernel": "rbf", "feature_weights": None}

#: What the records of coverage are about.
ABOUT = {
    "many_rows": (
        "Sets of `ConformalClassifier(KernelLogisticRegressionCV())` (`allow_empty=True, novelty_level=0`) from 1000 training rows, of problems that "
        "have 2000 or more: [with 300](uncertainty_coverage.md) leave-one-out holds the truth too rarely."
    ),
    "coverage": (
        "Sets of `ConformalClassifier(KernelLogisticRegressionCV())` (`allow_empty=True, novelty_level=0`), the classifier as it is by default; "
        "[with a quicker search](uncertainty_quick_coverage.md). Splits 3 and 4 of all problems, and from 3 on those of iris, womenlf, "
        "birthwt, new_thyroid, raetsch_breast_cancer and wine (up to 13), were run by an earlier version of the search."
    ),
    "quick_coverage": (
        'Sets of `ConformalClassifier(KernelLogisticRegressionCV(kernel="rbf", feature_weights=None))` (`allow_empty=True, novelty_level=0`): what sets '
        "promise does not depend on the classifier, and this one searches in a fifth of the time of the "
        "[default](uncertainty_coverage.md)."
    ),
}

Rows = tuple[np.ndarray, np.ndarray]


@cache
def problems() -> tuple[Problem, ...]:
    """The eight sets and all tables, those of few training values first."""
    found = {name: table(name) for name in SETS} | tables(folder())
    return tuple(sorted((Problem(name, *each) for name, each in found.items()), key=lambda each: each.work))


def rows_of(problem: Problem, split: int, most: int = TRAINING_ROWS) -> tuple[Rows, Rows]:
    """Training and test rows of a random split, as matrices and class indices.

    The split is plain, since conformal theory speaks of exchangeable rows; classes without training rows are left out.
    """
    n = len(problem.y)
    train_size = min(most, int(0.6 * n))
    cut = ShuffleSplit(
        SPLITS, train_size=train_size, test_size=min(TEST_ROWS, n - train_size), random_state=0
    )
    train, test = list(cut.split(np.zeros((n, 1))))[split]
    (X, y), (X_test, y_test) = problem.rows(train), problem.rows(test)
    if problem.mixed:
        encoder = TableEncoder().fit(X)
        X, X_test = encoder.transform(X), encoder.transform(X_test)
    return (X, y), (X_test, y_test)


def model(problem: Problem, **options) -> KernelLogisticRegressionCV:
    """The self-tuning classifier; encoded tables are on one scale already."""
    return KernelLogisticRegressionCV(scale=None if problem.mixed else "auto", random_state=0, **options)


def run_missing(name: str, n_splits: int, task: Callable[[Problem, int], dict], only: Iterable[str]) -> None:
    """Run what has not been run of one task, on some problems or all, split after split."""
    chosen = [problem for problem in problems() if not only or problem.name in only]
    for split, problem in product(range(n_splits), chosen):
        run_once(name, problem.name, split, partial(task, problem, split))


def run_once(name: str, data: str, split: int, task: Callable[[], dict]) -> None:
    """Run one part of a task in one thread, unless it is on record."""
    if (data, split) not in RECORD.runs(name):
        with threadpool_limits(1):
            RECORD.keep(name, {"data": data, "split": split} | task())


def runs_by_problem(name: str) -> dict[str, list[dict]]:
    """Finished runs of a task."""
    found: dict[str, list[dict]] = {}
    for (problem, _), run in RECORD.runs(name).items():
        found.setdefault(problem, []).append(run)
    return found


# ---------------------------------------------------------------- coverage


def cover(problem: Problem, split: int, **options: object) -> dict:
    """Sets as they are by default, and from the leave-one-out probabilities of the same fit."""
    (X, y), (X_test, y_test) = rows_of(problem, split)
    plus = ConformalClassifier(
        model(problem, **options), 0.5, method="cv+", allow_empty=True, novelty_level=0.0
    ).fit(X, y)
    fitted = FrozenEstimator(plus.estimator_)
    loo = ConformalClassifier(fitted, 0.5, method="loo", allow_empty=True, novelty_level=0.0).fit(X, y)
    run = {"rows": len(y), "classes": len(plus.classes_)}
    for name, sets in {"cv+": plus, "loo": loo}.items():
        run[name] = _judge(sets.predict_p_values(X_test), y_test, sets.classes_)
        run[name]["by class"] = _cover_classes(sets, X_test, y_test)
    return run


def cover_many(problem: Problem, split: int) -> dict:
    """Sets of 1000 training rows by leave-one-out, their default."""
    (X, y), (X_test, y_test) = rows_of(problem, split, MANY_ROWS)
    sets = ConformalClassifier(model(problem), 0.5, allow_empty=True, novelty_level=0.0).fit(X, y)
    run: dict = {"rows": len(y), "classes": len(sets.classes_)}
    run[sets.method_] = _judge(sets.predict_p_values(X_test), y_test, sets.classes_)
    run[sets.method_]["by class"] = _cover_classes(sets, X_test, y_test)
    return run


def _judge(p: np.ndarray, y: np.ndarray, classes: np.ndarray) -> dict:
    """Coverage and size of the sets of p-values (n, c) at every level."""
    known = np.isin(y, classes)
    codes = np.searchsorted(classes, y[known])
    found: dict = {"curve": [_coverage_and_size(prediction_sets(p, level), known, codes) for level in CURVE]}
    for level in LEVELS:
        chosen = prediction_sets(p, level)
        coverage, size = _coverage_and_size(chosen, known, codes)
        found |= {
            f"coverage {level}": coverage,
            f"size {level}": size,
            f"single {level}": float((chosen.sum(axis=1) == 1).mean()),
        }
    return found


def _coverage_and_size(chosen: np.ndarray, known: np.ndarray, codes: np.ndarray) -> tuple[float, float]:
    """Share of sets (n, c) that hold the label, and their mean size; a label without a training row is in no set."""
    hits = chosen[np.flatnonzero(known), codes].sum()
    return float(hits / len(known)), float(chosen.sum(axis=1).mean())


def _cover_classes(sets: ConformalClassifier, X: np.ndarray, y: np.ndarray) -> dict:
    """Hits and rows of each class, for levels that its calibration rows attain."""
    known = np.isin(y, sets.classes_)
    p = sets.set_params(conditional="class").predict_p_values(X[known])
    codes = np.searchsorted(sets.classes_, y[known])
    rows = np.bincount(sets.calibration_labels_, minlength=len(sets.classes_))
    own = p[np.arange(len(codes)), codes]
    return {
        f"{level} {label}": [int((own[codes == j] > 1 - level + 1e-12).sum()), int((codes == j).sum())]
        for level in LEVELS
        for j, label in enumerate(sets.classes_.tolist())
        if rows[j] / (rows[j] + 1) >= level and (codes == j).any()
    }


def coverage_page(record: str = "coverage") -> tuple[str, str, list[dict]]:
    """Title, text and rows of the page, from the runs on record."""
    methods = ("loo",) if record == "many_rows" else ("cv+", "loo")
    rows, tally = [], {method: np.zeros(4, dtype=int) for method in methods}
    for name, runs in runs_by_problem(record).items():
        row = {"data": name, "rows": runs[0]["rows"], "classes": runs[0]["classes"], "splits": len(runs)}
        for method, counts in tally.items():
            cells, kept = _coverage_cells([run[method] for run in runs])
            row |= {f"{method}: {key}": value for key, value in cells.items()}
            counts += kept
        rows.append(row)
    counts = {
        method: f"{a} of {b} coverages over all rows, {c} of {d} within classes"
        for method, (a, b, c, d) in tally.items()
    }
    n, splits = (MANY_ROWS, MANY_SPLITS) if record == "many_rows" else (TRAINING_ROWS, SPLITS)
    full = sum(row["splits"] >= splits for row in rows)
    kept = "; ".join(f"{method}: {counts[method]}" for method in methods)
    text = (
        f"{ABOUT[record]} *cv+*: by five searches without a fifth "
        "of the rows each, the default for fewer than 1000 rows; *loo*: from the leave-one-out probabilities of the one fit, at no "
        f"cost, the default for more. Random splits with at most {n} training rows (60 % of smaller sets) and {TEST_ROWS} "
        "test rows; share of test rows whose label is in the set, mean ± standard error over the splits; mean number of labels in "
        'a set and share of sets with one label at 0.9. *Classes × levels*: the same with `conditional="class"`, how many pairs of '
        "a class and a level (those that its rows attain) have a coverage within two standard errors of the level or above it. "
        "Labels without a training row count as missed. Tables are encoded by `TableEncoder`, learnt from the training rows.\n\n"
        f"Within two standard errors of the level or above it, {kept}. Of so many means about "
        "one in forty is below by chance even where a level is kept exactly, of few splits more.\n\n"
        f"Coverage − level, mean ± standard error over the problems, at {', '.join(map(str, LEVELS))}. "
        + "; ".join(f"{method}: {_bias(record, method)}" for method in methods)
        + f".\n\nRuns stop and go on; {full} of {len(rows)} problems have all {splits} splits. "
        f"Regenerate: `python -m benchmarks.uncertainty {record}`."
    )
    return "Do prediction sets hold the truth as often as they say?", text, rows


def _bias(record: str, method: str) -> str:
    """Coverage − level at every level, over the problems."""
    problems_runs = runs_by_problem(record).values()
    gaps = [
        np.array(
            [np.mean([run[method][f"coverage {level}"] for run in runs]) - level for runs in problems_runs]
        )
        for level in LEVELS
    ]
    return ", ".join(f"{gap.mean():+.4f} ± {_error(gap):.4f}" for gap in gaps)


def _coverage_cells(runs: list[dict]) -> tuple[dict, list[int]]:
    """Cells of one method, and how many coverages keep their level of how many, over all rows and in classes."""
    values = {level: np.array([run[f"coverage {level}"] for run in runs]) for level in LEVELS}
    cells: dict = {f"coverage at {level}": _with_error(values[level]) for level in LEVELS}
    for key in ("size", "single"):
        cells[f"{key} at 0.9"] = float(np.mean([run[f"{key} 0.9"] for run in runs]))
    shares = _class_shares(runs)
    fine = sum(_keeps(share, level) for (level, _), share in shares.items())
    cells["classes × levels"] = f"{fine} of {len(shares)}"
    kept = sum(_keeps(values[level], level) for level in LEVELS)
    return cells, [kept, len(LEVELS), fine, len(shares)]


def _with_error(values: np.ndarray) -> str:
    return f"{values.mean():.3f} ± {_error(values):.3f}"


def _error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan


def _keeps(values: np.ndarray, level: float) -> bool:
    """Whether a mean is within two standard errors of the level, or above it."""
    return bool(values.mean() + 2 * np.nan_to_num(_error(values)) >= level)


def _class_shares(runs: list[dict]) -> dict[tuple[float, str], np.ndarray]:
    """(level, label) → coverage in each run that has rows of the class, of classes in half of the runs or more."""
    shares: dict[tuple[float, str], list[float]] = {}
    for run in runs:
        for key, (hits, count) in run["by class"].items():
            level, label = key.split(" ", 1)
            shares.setdefault((float(level), label), []).append(hits / count)
    return {key: np.array(values) for key, values in shares.items() if 2 * len(values) >= len(runs)}
