"""Is a change faster, and does it predict the same?  Two commits side by side, by one command.

    python -m benchmarks.commits BASE [HEAD] [--rounds 5] [--models KernelLogisticRegression …]

Every round fits every model with the code of either commit, each in a process of its own, in turn; processor
seconds of one thread are compared by their medians, log losses on held-out rows by their difference.  Without
HEAD the working tree is compared with BASE.  Data come with scikit-learn.  Exit code 1: something is slower by
more than a quarter, or predicts worse by more than a hundredth.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from kernelproba.report.table import text_table

ROOT = Path(__file__).parent.parent
WORKER = Path(__file__).with_name("commits_worker.py")
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
SLOWER, WORSE = 1.25, 0.01


@contextmanager
def tree_of(commit: str | None):
    """The folder of a commit's files, checked out for the time being; the working tree for None."""
    if commit is None:
        yield ROOT
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree"
        subprocess.run(
            ["git", "-C", ROOT, "worktree", "add", "--detach", "--quiet", path, commit], check=True
        )
        try:
            yield path
        finally:
            subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", path], check=True)


def measure(tree: Path, model: str) -> dict:
    """{data: {"fit s", "predict s", "log loss"}} by the code of a tree."""
    environment = os.environ | THREADS | {"PYTHONPATH": str(tree / "src")}
    command = [sys.executable, str(WORKER), model]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        return {
            "failed": {
                "fit s": float("nan"),
                "predict s": float("nan"),
                "log loss": float("nan"),
                "why": last,
            }
        }
    return json.loads(done.stdout)


def compare(trees: dict[str, Path], models: list[str], rounds: int) -> list[dict]:
    """A row for each model and data set."""
    rows = []
    for model in models:
        runs: dict[str, list[dict]] = {side: [] for side in trees}
        for _ in range(rounds):
            for side, tree in trees.items():
                runs[side].append(measure(tree, model))
        rows += [row(model, data, runs) for data in runs["base"][0] if data in runs["head"][0]]
        print(model, "done", file=sys.stderr, flush=True)
    return rows


def row(model: str, data: str, runs: dict[str, list[dict]]) -> dict:
    """Medians of both sides, and how they compare."""
    median = {
        (side, what): statistics.median(run[data][what] for run in runs[side])
        for side in runs
        for what in ("fit s", "predict s", "log loss")
    }
    return {
        "model": model,
        "data": data,
        "base fit s": median["base", "fit s"],
        "fit ratio": median["head", "fit s"] / median["base", "fit s"],
        "predict ratio": median["head", "predict s"] / median["base", "predict s"],
        "log loss change": median["head", "log loss"] - median["base", "log loss"],
    }


def alarming(found: dict) -> bool:
    """Whether a row should stop a change."""
    return found["fit ratio"] > SLOWER or found["log loss change"] > WORSE


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("base")
    parser.add_argument("head", nargs="?")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--models", nargs="*")
    asked = parser.parse_args()
    known = json.loads(subprocess.run([sys.executable, str(WORKER)], capture_output=True, check=True).stdout)
    with tree_of(asked.base) as base, tree_of(asked.head) as head:
        rows = compare({"base": base, "head": head}, asked.models or known, asked.rounds)
    shown = [{k: f"{v:.3g}" if isinstance(v, float) else v for k, v in found.items()} for found in rows]
    print(text_table(shown, list(shown[0])))
    sys.exit(any(map(alarming, rows)))


if __name__ == "__main__":
    main()
