"""Where the best rival of `benchmarks.tables` is ahead by more than a tenth: both alone, on further splits.

    python -m benchmarks.tables_rematch           the problems that docs/results/tables.md names
    python -m benchmarks.tables_rematch coil20    these problems alone; the others stay on the page

Few splits of few rows may be decided by one row.  Splits are drawn by another seed than those of the page.
"""

import json
import sys
import warnings
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from benchmarks.measure import RESULTS, machine, write
from benchmarks.tables_data import Problem, problems
from benchmarks.tables_page import RATIO, problem_rows, tables_contest
from benchmarks.tables_rivals import OURS
from benchmarks.tables_runs import RECORD, run

#: Splits of a problem, more where rows are few, and rows up to which they are.
SPLITS, SPLITS_OF_FEW, FEW_ROWS = 6, 20, 200


def main(*names: str) -> None:
    """Run both contestants on each problem in turn, then write the page."""
    where, rows = machine(), _kept_rows(names) if names else []
    leaders = {row["data"]: row["best rival"] for row in problem_rows(*tables_contest(RECORD))}
    behind = {row["data"] for row in problem_rows(*tables_contest(RECORD)) if row["ratio"] > RATIO}
    for problem in problems():
        if problem.name in (names or behind):
            rows.append(rematch(problem, leaders[problem.name]) | {"commit": where["commit"]})
            print(rows[-1], flush=True)
    text = (
        f"Problems of [tables](tables.md) on which the best rival has less log loss than {OURS} by more than a tenth or had "
        "when this was run: both alone on further splits, drawn by another seed. Difference: the rival's log loss minus ours, "
        "mean over the splits and its standard error, as if these had no rows in common. Processor seconds of fit and "
        "prediction, one thread.\n\nRegenerate: `python -m benchmarks.tables_rematch`."
    )
    write("tables_rematch", "Tables again, on further splits", text, rows, where)


def _kept_rows(names: Iterable[str]) -> list[dict]:
    """Rows of the page as it is, without those of some problems."""
    file = RESULTS / "tables_rematch.json"
    rows = json.loads(file.read_text("utf8"))["rows"] if file.exists() else []
    return [row for row in rows if row["data"] not in names]


def rematch(problem: Problem, rival: str) -> dict:
    """Means of both on further splits of a problem."""
    n_splits = SPLITS_OF_FEW if len(problem.y) <= FEW_ROWS else SPLITS
    further = replace(problem, seed=1, least_splits=n_splits)
    runs = {model: [run(further, split, model) for split in range(n_splits)] for model in (OURS, rival)}
    losses = {model: np.array([each["log_loss"] for each in found]) for model, found in runs.items()}
    gap = losses[rival] - losses[OURS]
    seconds = {model: float(np.mean([each["cpu s"] for each in found])) for model, found in runs.items()}
    return {
        "data": problem.name,
        "splits": n_splits,
        "training rows": problem.training_rows,
        "test rows of each": problem.test_rows,
        "rival": rival,
        OURS: float(losses[OURS].mean()),
        "its log loss": float(losses[rival].mean()),
        "ratio": float(losses[OURS].mean() / losses[rival].mean()),
        "difference": f"{gap.mean():+.5f} ± {gap.std(ddof=1) / np.sqrt(n_splits):.5f}",
        "we are better on": f"{int((gap > 0).sum())} of {n_splits}",
        "ours s": seconds[OURS],
        "its s": seconds[rival],
    }


if __name__ == "__main__":
    warnings.filterwarnings("ignore")  # rivals that do not converge, or fold a class of two rows
    main(*sys.argv[1:])
