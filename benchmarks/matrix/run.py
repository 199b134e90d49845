"""Rounds: in each, every contestant in turn fits the same rows."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from kernelproba.inspection import probability_scores

from .field import Contestant
from .problems import Problem
from .record import Record, add_run, n_runs
from .worker import OverLimit, Worker


@dataclass(frozen=True)
class Bounds:
    """Seconds that one fit with its predictions may take, and above which it is not repeated."""

    limit: float
    once_above: float
    threads: int


def measure(problems: Sequence[Problem], field: Sequence[Contestant], record: Record, bounds: Bounds) -> None:
    """Fill the cells of some problems, each contestant in a process of its own for all of them."""
    with processes(unfinished(problems, field, record, bounds), bounds.threads) as workers:
        for problem in problems:
            run_rounds(problem, workers, record, bounds)


def unfinished(
    problems: Sequence[Problem], field: Sequence[Contestant], record: Record, bounds: Bounds
) -> list[Contestant]:
    """Contestants that some of the problems still needs."""
    return [c for c in field if not all(finished(record.cell(p.name, c.name), p, bounds) for p in problems)]


def finished(cell: dict, problem: Problem, bounds: Bounds) -> bool:
    """Whether the cell needs no further round."""
    slow = any(seconds > bounds.once_above for seconds in cell.get("fit s", ()))
    return cell["outcome"] != "measured" or slow or n_runs(cell) >= problem.rounds


@contextmanager
def processes(field: Sequence[Contestant], threads: int) -> Iterator[dict[str, Worker]]:
    """Name → worker, all of them ready; closed at the end."""
    workers = {contestant.name: Worker(contestant.model, threads) for contestant in field}
    try:
        for worker in workers.values():
            worker.wait()
        yield workers
    finally:
        for worker in workers.values():
            worker.close()


def run_rounds(problem: Problem, workers: dict[str, Worker], record: Record, bounds: Bounds) -> None:
    """Every round that a cell has not had."""
    for r in range(problem.rounds):
        split = problem.split(r)
        for name, worker in workers.items():
            cell = record.cell(problem.name, name)
            if n_runs(cell) <= r and not finished(cell, problem, bounds):
                run(cell, worker, split, bounds.limit)
                record.save()
                print(_line(cell), flush=True)


def run(cell: dict, worker: Worker, split: tuple, limit: float) -> None:
    """One fit; the cell gets its values, or why there are none."""
    X, y, X_test, y_test = split
    try:
        result = worker.measure(X, y, X_test, limit)
    except OverLimit:
        cell["outcome"] = f"over {limit:g} s"
        return
    try:
        judged = {} if "failed" in result else scores(y_test, result)
    except ValueError as error:  # no probabilities: not finite, or not summing to one
        result["failed"] = str(error)
    if "failed" in result:
        cell["outcome"] = f"failed: {result['failed']}"
    else:
        add_run(cell, result["costs"] | judged, result["warned"])


def scores(y: np.ndarray, result: dict) -> dict:
    """Error, and of probabilities log loss, Brier score and ECE."""
    if "labels" in result:
        return {"error": float(np.mean(result["labels"] != y))}
    found = probability_scores(y, result["P"], classes=result["classes"])
    return {
        "error": found["error"],
        "log loss": found["log_loss"],
        "Brier": found["brier"],
        "ECE": found["ece"],
    }


def _line(cell: dict) -> str:
    where = f"{cell['problem']}, {cell['contestant']}: "
    if cell["outcome"] != "measured":
        return where + cell["outcome"]
    return where + f"fit {cell['fit s'][-1]:.3f} s, error {cell['error'][-1]:.4f}"
