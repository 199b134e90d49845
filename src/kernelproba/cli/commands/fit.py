"""``kernelproba fit``: a table → a model file."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernelproba.cli import methods
from kernelproba.cli.errors import CommandError
from kernelproba.cli.options import (
    Data,
    Group,
    Jobs,
    Json,
    Quiet,
    Seed,
    Target,
    complete_method,
    with_groups,
)
from kernelproba.cli.terminal import Terminal

if TYPE_CHECKING:
    from kernelproba.tables.files.table_file import Layout

#: Shown by ``--help``.
EXAMPLES = (
    "kernelproba fit patients.csv --target diagnosis -o model.skops",
    "kernelproba fit sales.parquet -t bought --exclude customer_id --method lspc",
    "kernelproba fit visits.csv -t ill --report report.html --group patient",
    "kernelproba fit clicks.parquet -t bought --max-rows 1000000 --max-time 3600 --checkpoint stages",
    "kernelproba fit iris.csv -t species -m klr-pairwise --set kernel=laplacian",
)

_Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Model file to write.")]
_Method = Annotated[
    str,
    typer.Option(
        "--method", "-m", help=f"One of {', '.join(methods.METHODS)}.", autocompletion=complete_method
    ),
]
_Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Parameter of the classifier; may be repeated."),
]
_Report = Annotated[
    Path | None,
    typer.Option(
        "--report",
        "-r",
        metavar="FILE",
        help="Hold rows out, judge the model by them and write a report: .html, .md or .json.",
    ),
]
_HoldOut = Annotated[
    float | None,
    typer.Option(
        "--hold-out", metavar="SHARE", min=0.01, max=0.9, help="Of rows to judge by; 0.25 with --report."
    ),
]
_TimeColumn = Annotated[
    str | None, typer.Option("--time", metavar="COLUMN", help="Hold out the latest rows.")
]
_Sets = Annotated[
    bool | None,
    typer.Option(
        "--sets/--no-sets",
        help="Prepare sets of labels for predict --sets by fits to five folds, which a method that keeps "
        "leave-one-out probabilities does by itself below 1000 rows, and does not need beyond.",
    ),
]
_MaxRows = Annotated[
    int | None,
    typer.Option(
        "--max-rows",
        min=2,
        help="Draw so many rows at random if the table has more. By default 5000; for auto and klr up to "
        "100,000, the fewer the more columns and classes there are.",
    ),
]
_MaxTime = Annotated[
    float | None,
    typer.Option(
        "--max-time",
        metavar="SECONDS",
        min=1,
        help="For the search of a method that tunes itself: then the best so far is fitted.",
    ),
]
_Checkpoint = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="FOLDER",
        help="Keep finished stages here: the same command goes on from them if it is stopped.",
    ),
]


@with_groups("columns", "layout")
def fit(
    data: Data,
    target: Target,
    output: _Output = Path("model.skops"),
    method: _Method = "auto",
    settings: _Settings = None,
    report: _Report = None,
    hold_out: _HoldOut = None,
    group: Group = None,
    time_column: _TimeColumn = None,
    sets: _Sets = None,
    max_rows: _MaxRows = None,
    max_time: _MaxTime = None,
    checkpoint: _Checkpoint = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    as_json: Json = False,
    quiet: Quiet = False,
    *,
    columns: dict[str, object],
    layout: Layout,
) -> None:
    """Learn a model from a table.

    Columns may hold numbers, categories, texts, dates and gaps. Without --method the model tunes itself.
    With --report rows are held out, at random or by --group or --time, and the model is judged by them.
    """
    from joblib import parallel_config

    from kernelproba.cli.fit_summary import show_fit
    from kernelproba.cli.learning import Splitting, learn
    from kernelproba.cli.prediction_file import check_output
    from kernelproba.cli.training import load_training_table

    terminal = Terminal(as_json=as_json, quiet=quiet)
    check_output(output, data)
    splitting = Splitting(report, hold_out, group, time_column, sets)
    splitting.check(data, output)
    chosen = _parsed(settings or []) | methods.long_fit(method, max_time, checkpoint)
    classifier = methods.build(method, seed=seed, settings=chosen, jobs=jobs)
    rows = methods.METHODS[method].default_rows if max_rows is None else max_rows
    choice = splitting.choice(target, max_rows=rows, seed=seed, **columns)
    table = load_training_table(terminal, data, layout, choice)
    with parallel_config(n_jobs=jobs):
        learnt = learn(terminal, (method, classifier), (choice, table), splitting, output)
    facts = {"data": str(data)} | learnt
    terminal.result(facts, lambda screen: show_fit(screen, facts))


def _parsed(settings: list[str]) -> dict[str, object]:
    """Return NAME=VALUE pairs as a dict; a value that is no number, list or the like is a text."""
    pairs = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise CommandError(f"--set {setting}: write it as NAME=VALUE, such as --set kernel=laplacian")
        try:
            pairs[name.strip()] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            pairs[name.strip()] = value
    return pairs
