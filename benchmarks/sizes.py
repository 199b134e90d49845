"""Log loss against the number of rows, and against time, for our self-tuned model and its rivals.

    python -m benchmarks.sizes                 run what has not been run up to 20,000 rows, then write the page
    python -m benchmarks.sizes --most 100000   the same up to 100,000 rows; --minutes bounds the time of a call
    python -m benchmarks.sizes --parquet 1000000   one self-tuned fit of so many rows on disk, of --classes, within --memory (and --max-time), on --threads
    python -m benchmarks.sizes --page          only the page

Every run is a process of its own, on one thread unless more are asked for, and is kept at once, in docs/results/sizes_runs/CONTESTANT.jsonl.
"""

import argparse

from benchmarks.sizes_data import DRAWN, TABLES, parquet_folder
from benchmarks.sizes_page import ON_DISK, write_pages
from benchmarks.sizes_runs import RECORD, SIZED, apart, run_missing


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most", type=int, default=20_000)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--models", nargs="+", default=list(SIZED), choices=list(SIZED))
    parser.add_argument("--parquet", type=int)
    parser.add_argument("--classes", type=int, default=5, choices=list(DRAWN))
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--max-time", type=float)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args()
    if given.parquet is not None:
        limits = {"memory_limit": given.memory, "max_time": given.max_time}
        run_on_disk(given.parquet, given.classes, limits, given.threads, 60 * given.minutes)
    elif not given.page:
        run_missing(given.most, given.tables, given.models, 60 * given.minutes)
    write_pages()


def run_on_disk(rows: int, n_classes: int, limits: dict, threads: int, seconds: float) -> None:
    """Fit rows in a folder of Parquet files, and keep the run."""
    parquet_folder(rows, n_classes)
    run = apart("run_parquet", {"rows": rows, "n_classes": n_classes} | limits, seconds, threads)
    if run is not None:
        RECORD.keep(ON_DISK, {"data": DRAWN[n_classes], "split": rows, "threads": threads} | limits | run)


if __name__ == "__main__":
    main()
