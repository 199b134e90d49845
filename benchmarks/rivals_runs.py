"""The contestants of `benchmarks.rivals` on every set: run what has not been run, then write the table.

A finished run is kept at once, in docs/results/selftuning_runs/CONTESTANT.jsonl; delete the file of a
contestant to run it again.  All run in one thread, and their time is that of the processor, which other work
on the machine changes little.
"""

import time

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from benchmarks.measure import RESULTS
from benchmarks.rivals import CONTESTANTS, SLOW
from benchmarks.rivals_record import RunRecord
from kernelproba.datasets import DatasetUnavailable, load, names
from kernelproba.inspection import probability_scores

TRAINING_ROWS, TEST_ROWS, SPLITS = 2000, 5000, 5
#: Training rows times classes up to which contestants that take the cube of the rows for each class take part.
SLOW_SIZE = 15_000
RECORD = RunRecord(RESULTS / "selftuning_runs")
BUNDLED = {"breast_cancer": load_breast_cancer, "digits": load_digits}

Table = tuple[np.ndarray, np.ndarray]


def table(name: str) -> Table:
    """All rows of a set, bundled with scikit-learn or ours."""
    if name in BUNDLED:
        return BUNDLED[name](return_X_y=True)
    X, y = load(name, download=False).all_rows()
    return X.astype(np.float64), y


def run_missing(models: tuple[str, ...]) -> None:
    """Run the contestants: split after split, and within a split the small sets first."""
    tables = numeric_sets()
    for split in range(SPLITS):
        for name, (X, y) in tables.items():
            train, test = splits(X, y)[split]
            for model in models:
                if (name, split) not in RECORD.runs(model) and (
                    model not in SLOW or len(train) * len(np.unique(y)) <= SLOW_SIZE
                ):
                    run = {"data": name, "split": split, "rows": len(train)}
                    RECORD.keep(model, run | _run(model, (X[train], y[train]), (X[test], y[test])))


def numeric_sets() -> dict[str, Table]:
    """The sets that are here, those with few training values first."""
    found = {}
    for name in (*BUNDLED, *names()):
        try:
            found[name] = table(name)
        except DatasetUnavailable:
            print(f"{name}: not here, left out")
    return dict(sorted(found.items(), key=lambda item: _work(*item[1])))


def _work(X: np.ndarray, y: np.ndarray) -> int:
    return min(TRAINING_ROWS, len(y) // 2) * X.shape[1] * len(np.unique(y))


def splits(X: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Five random halves, of each at most 2000 training and 5000 test rows."""
    train, test = min(TRAINING_ROWS, len(y) // 2), min(TEST_ROWS, len(y) - len(y) // 2)
    cut = StratifiedShuffleSplit(SPLITS, train_size=train, test_size=test, random_state=0)
    return list(cut.split(X, y))


def _run(name: str, train: Table, test: Table) -> dict:
    model = CONTESTANTS[name]()
    with threadpool_limits(1):
        start = time.process_time()
        model.fit(*train)
        seconds = time.process_time() - start
        scores = probability_scores(test[1], model.predict_proba(test[0]), classes=model.classes_)
    return {key: scores[key] for key in ("log_loss", "brier", "error", "ece")} | {"cpu s": seconds}
