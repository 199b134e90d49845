"""Rows far from all rows of training: do sets grow and intervals widen there, and nowhere else?"""

import time

import numpy as np
from sklearn.frozen import FrozenEstimator

from benchmarks.tables_data import Problem
from benchmarks.uncertainty_sets import model, rows_of, runs_by_problem
from kernelproba import ConformalClassifier

FAR_SPLITS = 3
#: Mean deviations of a column from a test row, in a random direction.
DISTANCES = (3, 10, 30)
FAR_ROWS = 200


def go_far(problem: Problem, split: int) -> dict:
    """Sets and intervals of test rows, of test rows moved away in all columns, and of some moved in one."""
    (X, y), (X_test, _) = rows_of(problem, split)
    fitted = model(problem).fit(X, y)
    sets = ConformalClassifier(FrozenEstimator(fitted), method="loo").fit(X, y)
    run: dict = {"rows": len(y), "classes": len(sets.classes_)}
    grown = sets.predict_set(X_test)
    before = sets.set_params(novelty_level=0.0).predict_set(X_test)
    sets.set_params(novelty_level="auto")
    run["test rows with all labels"] = float((grown != before).any(axis=1).mean())
    run["growth of size"] = float(grown.sum() / before.sum() - 1)
    run["sets / probabilities s"] = _seconds(sets.predict_set, X_test) / _seconds(
        fitted.predict_proba, X_test
    )
    run["width, test rows"] = _mean_width(fitted.predict_proba_interval(X_test))
    for name, far in _far_rows(X, X_test, np.random.default_rng(split)).items():
        run[f"all labels, {name}"] = float(sets.predict_set(far).all(axis=1).mean())
        run[f"width, {name}"] = _mean_width(fitted.predict_proba_interval(far))
    return run


def _far_rows(X: np.ndarray, X_test: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Test rows some deviations away."""
    d = X.shape[1]
    deviation = X.std(axis=0)
    start = X_test[rng.integers(len(X_test), size=FAR_ROWS)]
    direction = rng.standard_normal((FAR_ROWS, d))
    direction *= np.sqrt(d) / np.linalg.norm(direction, axis=1)[:, None]
    found = {str(distance): start + distance * deviation * direction for distance in DISTANCES}
    one = start.copy()
    column = rng.choice(np.flatnonzero(deviation > 0), size=FAR_ROWS)
    one[np.arange(FAR_ROWS), column] += 10 * deviation[column]
    return found | {"10 in one column": one}


def _mean_width(intervals: np.ndarray) -> float:
    return float((intervals[..., 1] - intervals[..., 0]).mean())


def _seconds(function, X: np.ndarray) -> float:
    """Least processor time of three calls."""
    found = []
    for _ in range(3):
        start = time.process_time()
        function(X)
        found.append(time.process_time() - start)
    return min(found)


def far_page() -> tuple[str, str, list[dict]]:
    """Title, text and rows of the page, from the runs on record."""
    rows = []
    for name, runs in runs_by_problem("far").items():
        first = {"data": name, "rows": runs[0]["rows"], "classes": runs[0]["classes"]}
        means = {key: float(np.mean([run[key] for run in runs])) for key in list(runs[0])[4:]}
        rows.append(first | means)
    mean = {key: float(np.mean([row[key] for row in rows])) for key in list(rows[0])[3:]}
    least = min(rows, key=lambda row: row["all labels, 10"])
    text = (
        '`ConformalClassifier(FrozenEstimator(KernelLogisticRegressionCV()), method="loo")` at 0.9, training and test rows as in '
        f"[uncertainty_coverage](uncertainty_coverage.md), means over {FAR_SPLITS} splits. Rows that exceed the `novelty_limit` "
        "of the model get all labels. *Test rows with all labels*: how many do so for this reason alone; *growth of size*: of the mean "
        "size of all sets. *Far rows*: test rows moved in a random direction by 3, 10 and 30 standard deviations of each column (in the "
        "mean over columns), or by 10 in a single column; of tables in the columns as encoded, where a number ends at three deviations "
        "from the median, and a row beyond differs little from one there. *Width*: mean over classes of the 90 % intervals. *Sets / "
        "probabilities s*: processor time of `predict_set` relative to `predict_proba`.\n\n"
        f"In the mean over the {len(rows)} problems {mean['test rows with all labels']:.2%} of the test rows get all labels, which makes "
        f"sets {mean['growth of size']:.2%} larger; {mean['all labels, 3']:.0%}, {mean['all labels, 10']:.1%} and "
        f"{mean['all labels, 30']:.1%} of the rows 3, 10 and 30 deviations away do (least at 10: {least['data']}, "
        f"{least['all labels, 10']:.0%}), and {mean['all labels, 10 in one column']:.0%} of those 10 deviations away in one column, which "
        "to a wide kernel, or one on many columns, are near. Intervals widen from "
        f"{mean['width, test rows']:.2f} to {mean['width, 3']:.2f}, {mean['width, 10']:.2f} and {mean['width, 30']:.2f}.\n\n"
        "Regenerate: `python -m benchmarks.uncertainty far`."
    )
    return "Do sets grow and intervals widen far from all rows?", text, rows
