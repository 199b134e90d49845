"""``kernelproba predict`` on a million rows: speed beside predict_proba in memory, and memory.

Both run the same model on the same rows, in turn, each in a process of its own.  In memory: the time of one call
of predict_proba on a frame that is there already.  On the command line: the time from reading the first row to
the last byte of the result, and the largest resident memory of the whole process.

    python -m benchmarks.cli            # a million rows, 20 columns, three rounds
    python -m benchmarks.cli 100000     # fewer rows
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from benchmarks.measure import machine, write

COLUMNS, TRAINING_ROWS, ROUNDS = 20, 2_000, 3
METHODS = ("auto", "rvm")

IN_MEMORY = """
import json, sys, time
import pandas as pd
from kernelproba.model_file import load_model
model, X = load_model(sys.argv[1]), pd.read_parquet(sys.argv[2])
start = time.perf_counter()
P = model.predict_proba(X)
print(json.dumps({"seconds": time.perf_counter() - start, "mean_confidence": float(P.max(axis=1).mean())}))
"""
COMMAND = """
import resource, sys
from kernelproba.cli.app import run
code = run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, file=sys.stderr)
sys.exit(code)
"""


def make_tables(folder: Path, rows: int) -> None:
    """Write train.csv, and new.csv and new.parquet with the same rows."""
    rng = np.random.default_rng(0)
    names = [f"x{number}" for number in range(COLUMNS)]
    centres = rng.normal(size=(3, COLUMNS))
    label = rng.integers(3, size=rows + TRAINING_ROWS)
    X = pd.DataFrame(centres[label] + rng.normal(size=(len(label), COLUMNS)), columns=names)
    X[:TRAINING_ROWS].assign(y=np.array(list("abc"))[label[:TRAINING_ROWS]]).to_csv(
        folder / "train.csv", index=False
    )
    table = pa.Table.from_pandas(X[TRAINING_ROWS:], preserve_index=False)
    pyarrow.csv.write_csv(table, folder / "new.csv")
    pyarrow.parquet.write_table(table, folder / "new.parquet")


def python(*arguments: object) -> tuple[dict, str]:
    """Run a Python program that prints JSON; return it and what stands on the standard error."""
    done = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout), done.stderr


def measure(folder: Path, method: str, source: str) -> dict:
    """Medians over rounds, in turn."""
    model, new, out = folder / f"{method}.skops", folder / source, folder / f"out-{method}.csv"
    memory, command, peak = [], [], []
    for _ in range(ROUNDS):
        facts, _ = python("-c", IN_MEMORY, model, folder / "new.parquet")
        memory.append(facts["seconds"])
        told, messages = python("-c", COMMAND, "predict", model, new, "-o", out, "--json")
        assert abs(told["mean_confidence"] - facts["mean_confidence"]) < 1e-6
        command.append(told["seconds"])
        peak.append(float(messages.split()[-1]))
    seconds, streamed = np.median(memory), np.median(command)
    return {
        "method": method,
        "file": f"{source}, {new.stat().st_size / 2**20:.0f} MB",
        "rows": told["rows"],
        "in memory s": round(float(seconds), 1),
        "predict s": round(float(streamed), 1),
        "speed / in memory": round(float(seconds / streamed), 2),
        "peak MB": round(max(peak)),
    }


def main() -> None:
    where = machine()
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_tables(folder, size)
        for method in METHODS:
            fit = [
                "fit",
                folder / "train.csv",
                "-t",
                "y",
                "-m",
                method,
                "-o",
                folder / f"{method}.skops",
                "--json",
            ]
            python("-m", "kernelproba", *fit)
            for source in ("new.csv", "new.parquet"):
                rows.append(measure(folder, method, source))
                print(rows[-1], flush=True)
    text = (
        f"Models fitted on {TRAINING_ROWS:,} rows of {COLUMNS} columns and three classes; the result is a CSV file. "
        "Medians of interleaved runs. Goals: at least half the speed of memory, under 1,000 MB."
    )
    if size == 1_000_000:
        print(write("cli", "The command line on a million rows", text, rows, where))


if __name__ == "__main__":
    main()
