"""Rounds: in each, every contestant in turn fits the same rows."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from benchmarks.matrix.field import Contestant
from benchmarks.matrix.problems import Problem
from benchmarks.matrix.record import Record, add_run, n_runs
from benchmarks.matrix.worker import OverLimit, Worker
from kernelproba.inspection import probability_scores


def measure(problems: Sequence[Problem], field: Sequence[Contestant], record: Record, threads: int) -> None:
    """Fill the cells of some problems, each contestant in a process of its own for all of them."""
    missing = [c for c in field if not all(finished(record.cell(p.name, c.name), p) for p in problems)]
    with processes(missing, threads) as workers:
        for problem in problems:
            run_rounds(problem, workers, record)


def finished(cell: dict, problem: Problem) -> bool:
    """Whether the cell needs no further round."""
    slow = any(seconds > problem.bounds.once_above for seconds in cell.get("fit s", ()))
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


def run_rounds(problem: Problem, workers: dict[str, Worker], record: Record) -> None:
    """Every round that a cell has not had."""
    give_up(problem, workers, record)
    for r in range(problem.rounds):
        split = problem.split(r)
        for name, worker in workers.items():
            cell = record.cell(problem.name, name)
            if n_runs(cell) <= r and not finished(cell, problem):
                run(cell, worker, split, problem.bounds.limit)
                record.save()
                print(_line(cell), flush=True)


def give_up(problem: Problem, names: Iterable[str], record: Record) -> None:
    """Say of whoever was over the limit on a smaller problem that it is not tried on this one."""
    for name in names:
        ends = [record.cell(smaller, name)["outcome"] for smaller in problem.smaller]
        if any(end.startswith(("over", "not tried")) for end in ends):
            record.cell(problem.name, name)["outcome"] = "not tried: over the limit on a smaller problem"


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
