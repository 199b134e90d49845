"""Every command on 300, 3000 and 30,000 rows: processor time from start to end, all processes included.

    python -m benchmarks.commands            # all sizes
    python -m benchmarks.commands 300 3000   # only these numbers of rows

Tables have eight columns of numbers, two of categories, one of dates and one of short texts, and two classes.  Each
command runs once, with one thread; what takes more than LIMIT seconds of processor time is given up and shown as ">".
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measure import machine, write

SIZES, LIMIT = (300, 3_000, 30_000), 600
WORDS = np.array(["late", "early", "broken", "fine", "small", "large", "paid", "open", "returned", "new"])

#: Name → arguments; {n} is the number of rows.
COMMANDS = {
    "--version": "--version",
    "--help": "--help",
    "completion": "",
    "fit": "fit train-{n}.csv -t y -o model-{n}.skops",
    "fit --report": "fit train-{n}.csv -t y -o judged-{n}.skops --report fit-{n}.html",
    "predict": "predict model-{n}.skops new-{n}.csv -o predictions-{n}.csv",
    "predict --sets --intervals --novelty": "predict model-{n}.skops new-{n}.csv -o sure-{n}.csv --sets 0.9 --intervals --novelty",
    "evaluate": "evaluate model-{n}.skops test-{n}.csv",
    "evaluate --report": "evaluate model-{n}.skops test-{n}.csv --report report-{n}.html",
    "report": "report stated-{n}.csv -t y -o stated-{n}.html",
    "explain": "explain model-{n}.skops new-{n}.csv --row 1 --training train-{n}.csv",
    "compare --max-time 60": "compare train-{n}.csv -t y --max-time 60",
    "compress": "compress model-{n}.skops small-{n}.skops --centers 50",
}


TEXT = """
`python -m benchmarks.commands`: processor time in seconds of every command, from start to end, with imports (two to three seconds of
every line below the third); one thread. Tables have twelve columns (numbers, categories, dates, short texts) and two classes; there are as
many rows to predict and to judge by as to learn from. Other work ran on the machine, which processor time hardly notices. A command that takes more
than ten minutes of processor time is given up (>). `compare` has a minute by the clock, in which a busy machine compares fewer methods.
"""


def make_tables(folder: Path, rows: int) -> None:
    """Write rows to learn from, as many to judge by, and as many without a label."""
    for number, name in enumerate(("train", "test")):
        rng = np.random.default_rng(number)
        X = pd.DataFrame(rng.normal(size=(rows, 8)), columns=[f"x{j}" for j in range(8)])
        X["town"] = rng.choice(["Ulm", "Bonn", "Köln", "Trier"], rows)
        X["kind"] = rng.choice([f"k{j}" for j in range(20)], rows)
        X["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1000, rows), "D")
        X["note"] = [" ".join(rng.choice(WORDS, 3)) for _ in range(rows)]
        score = X["x0"] * X["x1"] + X["x2"] + (X["town"] == "Ulm") + rng.normal(size=rows)
        X.assign(y=np.where(score > 0.3, "yes", "no")).to_csv(folder / f"{name}-{rows}.csv", index=False)
    X.to_csv(folder / f"new-{rows}.csv", index=False)


def stated(folder: Path, rows: int) -> None:
    """Write labels and probabilities, as another model would state them."""
    P = pd.read_csv(folder / f"predictions-{rows}.csv")
    truth = pd.read_csv(folder / f"test-{rows}.csv")["y"]
    P.filter(like="probability").assign(y=truth).to_csv(folder / f"stated-{rows}.csv", index=False)


def processor_seconds(arguments: list[str], folder: Path) -> tuple[float, int]:
    """Run a command in a folder; return user and system time of it and what it started, and its exit code."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    completing = {"_KERNELPROBA_COMPLETE": "complete_bash", "COMP_WORDS": "kernelproba ", "COMP_CWORD": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", "from kernelproba.cli import main; main()", *arguments],
        cwd=folder, env=os.environ | threads | ({} if arguments else completing), preexec_fn=limit_time,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    if done.returncode:
        print(arguments, done.stderr.decode()[-500:])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.returncode


def limit_time() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))


def shown(seconds: float, code: int) -> str:
    text = f"{seconds:.2g}" if seconds < 10 else f"{seconds:.0f}"
    return {0: text, -signal.SIGXCPU: f"> {text}"}.get(code, f"exit {code}")


def main(sizes: list[int]) -> None:
    where = machine()
    rows: dict[str, dict[str, str]] = {name: {"command": name} for name in COMMANDS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in sizes:
            make_tables(folder, size)
            for command, arguments in COMMANDS.items():
                if command == "report":
                    stated(folder, size)
                words = arguments.format(n=size).split()
                rows[command][f"{size:,} rows"] = shown(*processor_seconds(words, folder))
                print(size, command, rows[command][f"{size:,} rows"], flush=True)
    print(write("commands", "Processor time of every command", TEXT, list(rows.values()), where))


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or list(SIZES))
