"""The tour behind ``make demo``: fit, compare and report, on data that ships with scikit-learn.

Each data set is split in two.  On one half every method is cross-validated, on the same folds; then the
self-tuning kernel logistic regression is fitted to it and reported on the other half.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from kernelproba.plain_text import name as text_of
from kernelproba.report.about import About
from kernelproba.report.comparison import compare, rivals
from kernelproba.report.render import write_report
from kernelproba.report.summary import summarise
from kernelproba.report.table import text_table
from kernelproba.report.wording import SCORE_TEXTS, number, seconds
from kernelproba.tuning import KernelLogisticRegressionCV, LeastSquaresProbabilisticClassifierCV

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.utils import Bunch

FOLDER = Path("kernelproba-demo")
DATA: dict[str, Callable[..., Bunch]] = {
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}
OURS = "kernel logistic regression"
COLUMNS = ["data", "method", *(text.title for text in SCORE_TEXTS.values()), "fit"]

INTRODUCTION = """\
kernelproba: kernel classifiers with trustworthy probabilities.

Three data sets that ship with scikit-learn, each split in two. On one half every method is cross-validated;
on the other the self-tuning kernel logistic regression is reported on. Ours tune themselves, the rivals have
their usual settings. This takes a minute or two.
"""
NEXT = """\
Where to go next
  kernelproba fit table.csv --target column -o model.skops      the same for a table of yours
  from kernelproba import KernelLogisticRegressionCV            the same in Python
  README.md               use, and the table for leaving SVC(probability=True)
  docs/guide/report.md    how to read the report
"""


def methods() -> dict[str, BaseEstimator]:
    """Name → unfitted classifier: two of ours that tune themselves, then the usual rivals."""
    squares = LeastSquaresProbabilisticClassifierCV()
    return {OURS: KernelLogisticRegressionCV(), "least squares (LSPC)": squares} | rivals()


def run_demo(folder: Path = FOLDER, *, command: str = "make demo") -> list[Path]:
    """Print the comparison and write a report for each data set; return the reports' paths.

    Parameters
    ----------
    folder : Path, default="kernelproba-demo"
        Made if it is not there.
    command : str, default="make demo"
        What was typed, for the reports.
    """
    print(INTRODUCTION)
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, str]] = []
    reports = []
    # Threads that wait for a busy core cost far more than they give on data of this size.
    with threadpool_limits(1):
        for data, load in DATA.items():
            table, report = tour(data, load, folder, command)
            rows += [{"data": data} | row for row in _table_rows(table)]
            reports.append(report)
    print(text_table(rows, COLUMNS))
    print("\nReports, to be opened in a browser:", *(f"  {report}" for report in reports), sep="\n")
    print(f"\n{NEXT}")
    return reports


def tour(data: str, load: Callable[..., Bunch], folder: Path, command: str) -> tuple[pd.DataFrame, Path]:
    """Compare all methods on one data set and write the report of ours."""
    bunch = load(as_frame=True)
    labels = [text_of(bunch.target_names[k]) for k in bunch.target]
    X, X_new, y, y_new = train_test_split(bunch.data, labels, test_size=0.5, stratify=labels, random_state=0)
    table = compare(X, y, methods(), cv=3, progress=_Progress(data))
    start = time.perf_counter()
    model = clone(methods()[OURS]).fit(X, y)
    fitting = time.perf_counter() - start
    summary = summarise(
        model,
        X_new,
        y_new,
        training=(X, y),
        rivals=table,
        about=About("the class", command, {"fit": fitting}),
    )
    return table, write_report(summary, folder / f"{data.replace(' ', '-')}.html")


class _Progress:
    """Tells how far a comparison is: on one line of a terminal that is written anew, else at the end."""

    def __init__(self, data: str):
        self.data = data

    def __call__(self, method: str, done: int, total: int) -> None:
        line = f"  {self.data}: {done} of {total} fits"
        if sys.stdout.isatty():
            print(f"\r{line}, {method:<28}"[:79], end="\n" if done == total else "", flush=True)
        elif done == total:
            print(line, flush=True)


def _table_rows(table: pd.DataFrame) -> list[dict[str, str]]:
    """One row of text per method."""
    return [_table_row(record) for record in table.to_dict("records")]


def _table_row(record: Mapping[Any, Any]) -> dict[str, str]:
    scores = {text.title: number(record[key], text.percent) for key, text in SCORE_TEXTS.items()}
    return {"method": record["method"]} | scores | {"fit": seconds(record["fit_seconds"])}


if __name__ == "__main__":
    run_demo()
