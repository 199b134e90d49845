"""``kernelproba compare``: our methods and the usual rivals on a table, by cross-validation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kernelproba.cli import methods
from kernelproba.cli.options import (
    Data,
    Group,
    Jobs,
    Json,
    MaxRows,
    Quiet,
    Seed,
    Target,
    complete_method,
    with_groups,
)
from kernelproba.cli.terminal import Terminal

if TYPE_CHECKING:
    import pandas as pd

    from kernelproba.cli.learning import Splitting
    from kernelproba.tables.files.table_file import Layout
    from kernelproba.tables.training_table import TableSelection, TrainingTable
    from kernelproba.typing import Classifier

#: Rows of a comparison unless the user asks for more: every method is fitted once per fold.
_MAX_ROWS = 2_000

#: Seconds of a comparison unless the user asks for more.
_MAX_TIME = 300.0

#: What is compared unless the user names methods: those that tune themselves in seconds.
_METHODS = ("auto", "lspc", "kdc")

#: Shown by ``--help``.
EXAMPLES = (
    "kernelproba compare patients.csv --target diagnosis",
    "kernelproba compare patients.csv -t diagnosis -m auto -m rvm --no-rivals --folds 10",
    "kernelproba compare patients.csv -t diagnosis --fit-winner model.skops --report report.html",
)

_Method = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        "-m",
        help=f"Method to compare; may be repeated. Of {', '.join(methods.METHODS)}; by default "
        f"{', '.join(_METHODS)}.",
        autocompletion=complete_method,
    ),
]
_Rivals = Annotated[bool, typer.Option("--rivals/--no-rivals", help="With the usual other classifiers.")]
_Folds = Annotated[int, typer.Option("--folds", min=2, help="Of the cross-validation.")]
_Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the table as .csv as well.")
]
_MaxTime = Annotated[
    float,
    typer.Option(
        "--max-time",
        metavar="SECONDS",
        min=1,
        help="Then what is not done is left out; slow methods last.",
    ),
]
_FitWinner = Annotated[
    Path | None,
    typer.Option("--fit-winner", metavar="FILE", help="Fit the best of our methods, and write its model."),
]
_Report = Annotated[
    Path | None,
    typer.Option(
        "--report",
        "-r",
        metavar="FILE",
        help="Fit the best of our methods without a quarter of the rows, and write a report on these.",
    ),
]


@with_groups("columns", "layout")
def compare(
    data: Data,
    target: Target,
    method: _Method = None,
    rivals: _Rivals = True,
    folds: _Folds = 5,
    output: _Output = None,
    max_time: _MaxTime = _MAX_TIME,
    fit_winner: _FitWinner = None,
    report: _Report = None,
    group: Group = None,
    max_rows: MaxRows = _MAX_ROWS,
    seed: Seed = 0,
    jobs: Jobs = 1,
    as_json: Json = False,
    quiet: Quiet = False,
    *,
    columns: dict[str, object],
    layout: Layout,
) -> None:
    """Compare methods by cross-validation, the best log loss first.

    All see the same folds of the same prepared columns; with --group the rows of a group are in one fold.
    """
    from joblib import parallel_config

    from kernelproba.cli.comparing import cross_validate, prepared
    from kernelproba.cli.hold_out import group_folds
    from kernelproba.cli.learning import Splitting
    from kernelproba.cli.training import encoder_for, load_training_table
    from kernelproba.report.comparison import rivals as usual_rivals

    terminal = Terminal(as_json=as_json, quiet=quiet)
    splitting = Splitting(report, group=group)
    _check_outputs(splitting, data, output, fit_winner)
    ours = {name: methods.build(name, seed=seed, jobs=jobs) for name in method or _METHODS}
    choice = splitting.choice(target, max_rows=max_rows, seed=seed, **columns)
    table = load_training_table(terminal, data, layout, choice)
    contestants = prepared(ours | (usual_rivals() if rivals else {}), encoder_for(choice))
    with terminal.warnings_as_notes(), parallel_config(n_jobs=jobs):
        if report is None and fit_winner is None:  # else the fit tells
            terminal.notes(_column_doubts(table, choice))
        beside = table.beside
        splits = folds if beside is None else group_folds(table.X, table.y, beside, folds, seed)
        scores = cross_validate(
            terminal, table.X, table.y, contestants, folds=splits, seed=seed, max_time=max_time
        )
    if output is not None:
        _write(scores, output)
    facts: dict[str, object] = {"rows": len(table.y), "folds": folds, "by": group or "chance"}
    facts["methods"] = scores.to_dict("records")
    if report is not None or fit_winner is not None:
        with parallel_config(n_jobs=jobs):
            facts["winner"] = _fit_winner(terminal, scores, ours, (choice, table), splitting, fit_winner)
    terminal.result(facts, lambda screen: _show(screen, facts))


def _check_outputs(splitting: Splitting, data: Path, *outputs: Path | None) -> None:
    from kernelproba.cli.prediction_file import check_output

    splitting.check(data)
    for path in outputs:
        if path is not None:
            check_output(path, data)


def _column_doubts(table: TrainingTable, choice: TableSelection) -> list[str]:
    """Return what speaks against columns, whatever learns from them."""
    from sklearn.dummy import DummyClassifier

    from kernelproba.cli.fit_doubts import column_doubts
    from kernelproba.cli.training import encoder_for
    from kernelproba.tables import TableClassifier

    model = TableClassifier(DummyClassifier(), encoder_for(choice)).fit(table.X, table.y)
    return list(column_doubts(model, table))


def _write(scores: pd.DataFrame, path: Path) -> None:
    from kernelproba.atomic_file import replacing

    with replacing(path) as temporary:
        scores.to_csv(temporary, index=False)


def _fit_winner(
    terminal: Terminal,
    scores: pd.DataFrame,
    ours: dict[str, Classifier],
    source: tuple[TableSelection, TrainingTable],
    splitting: Splitting,
    path: Path | None,
) -> dict[str, object]:
    """Fit the best of our own methods: a model file holds no others."""
    from kernelproba.cli.errors import CommandError
    from kernelproba.cli.learning import learn

    known = scores[scores["method"].isin(ours) & scores["log_loss"].notna()]
    if known.empty:
        raise CommandError("none of our methods was done in time: give more by --max-time, or fewer rows")
    best = known.iloc[0]["method"]
    return learn(terminal, (best, ours[best]), source, splitting, path, scores)


def _show(screen: Terminal, facts: dict[str, Any]) -> None:
    from kernelproba.cli.comparing import show_comparison
    from kernelproba.cli.fit_summary import show_fit

    show_comparison(screen, facts)
    if "winner" in facts:
        screen.line(f"\nThe best of ours is {facts['winner']['method']}:", style="bold")
        show_fit(screen, facts["winner"])
