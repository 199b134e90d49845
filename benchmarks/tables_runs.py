"""One task for each contestant, problem and split of `benchmarks.tables`; finished ones are kept at once.

All run in one thread, and their time is that of the processor, which other work on the machine changes little.
"""

import time
from collections.abc import Iterable
from itertools import product

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.measure import RESULTS
from benchmarks.rivals_record import RunRecord
from benchmarks.tables_data import MOST_SPLITS, Problem
from benchmarks.tables_rivals import CONTESTANTS, versions
from kernelproba.inspection import probability_scores
from kernelproba.scoring import row_log_losses

RECORD = RunRecord(RESULTS / "tables_runs")
SCORES = ("log_loss", "brier", "error", "ece")


def run_missing(problems: Iterable[Problem], models: Iterable[str], record: RunRecord = RECORD) -> None:
    """Run what has not been run: split after split, and within a split problem after problem."""
    problems = list(problems)
    for split, problem, model in product(range(MOST_SPLITS), problems, list(models)):
        if split < problem.n_splits and (problem.name, split) not in record.runs(model):
            record.keep(model, run(problem, split, model))


def run(problem: Problem, split: int, model: str) -> dict:
    """Fit to the training rows of a split and score on the test rows.

    Returns
    -------
    dict
        Facts of the problem, scores, the standard error of the log loss, processor seconds, versions; of a
        classifier with ``loo_scores_`` also ``promise``, the log loss that it expects of other rows, with its own.
    """
    (X, y), (X_test, y_test) = (problem.rows(index) for index in problem.splits[split])
    classifier = CONTESTANTS[model](X)
    with threadpool_limits(1):
        start = time.process_time()
        classifier.fit(X, y)
        fitted = time.process_time()
        P = classifier.predict_proba(X_test)
        end = time.process_time()
    facts = {"data": problem.name, "split": split, "rows": len(y), "classes": len(np.unique(problem.y))}
    scores = probability_scores(y_test, P, classes=classifier.classes_)
    losses = row_log_losses(P, np.searchsorted(classifier.classes_, y_test))
    return (
        facts
        | {"mixed": problem.mixed}
        | {key: scores[key] for key in SCORES}
        | {"log_loss se": standard_error(losses)}
        | _promise(classifier)
        | {"fit s": fitted - start, "predict s": end - fitted, "cpu s": end - start}
        | {"versions": versions(model)}
    )


def standard_error(losses: np.ndarray) -> float:
    """Of the mean of losses of independent rows."""
    return float(np.std(losses, ddof=1) / np.sqrt(len(losses)))


def _promise(classifier) -> dict[str, float]:
    """The log loss that leave-one-out expects of other rows, of a classifier or of that inside it."""
    inner = getattr(classifier, "estimator_", None)
    found = [each for each in (classifier, inner) if hasattr(each, "loo_label_proba_")]
    if not found:
        return {}
    losses = -np.log(np.maximum(found[0].loo_label_proba_, np.finfo(float).eps))
    return {"promise": float(found[0].loo_scores_["log_loss"]), "promise se": standard_error(losses)}
