"""``kernelproba evaluate``: how good are the probabilities of a model on rows with known labels?"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernelproba.cli.errors import CommandError
from kernelproba.cli.options import Data, Jobs, Json, Model, Quiet, with_groups
from kernelproba.cli.terminal import Terminal

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from kernelproba.cli.table_model import TableModel
    from kernelproba.tables.files.table_file import Layout

#: Shown by ``--help``.
EXAMPLES = (
    "kernelproba evaluate model.skops test.csv",
    "kernelproba evaluate model.skops test.csv --report report.html --training train.csv --rivals",
    "kernelproba evaluate new.skops test.csv --against old.skops --report report.html",
)

_Target = Annotated[
    str | None,
    typer.Option(
        "--target", "-t", metavar="COLUMN", help="Column with the labels, if not named as in training."
    ),
]
_Report = Annotated[
    Path | None,
    typer.Option("--report", "-r", metavar="FILE", help="Write a report as well: .html, .md or .json."),
]
_Training = Annotated[
    Path | None,
    typer.Option("--training", metavar="FILE", help="The table of the fit, for the report."),
]
_Rivals = Annotated[
    bool,
    typer.Option("--rivals", help="Compare with other classifiers in the report (needs --training)."),
]
_Against = Annotated[
    Path | None,
    typer.Option("--against", metavar="MODEL", help="Another model to judge by the same rows."),
]


@with_groups("layout")
def evaluate(
    model: Model,
    data: Data,
    target: _Target = None,
    report: _Report = None,
    training: _Training = None,
    rivals: _Rivals = False,
    against: _Against = None,
    jobs: Jobs = 1,
    as_json: Json = False,
    quiet: Quiet = False,
    *,
    layout: Layout,
) -> None:
    """Score a model on rows with known labels, with 95 % intervals.

    Use rows that the model was not fitted on. With --against, another model is scored on the same rows, and
    the differences are told with their intervals.
    """
    from joblib import parallel_config

    from kernelproba.cli.evaluation import (
        evaluation_facts,
        predict_labelled,
        show_evaluation,
        write_model_report,
    )
    from kernelproba.cli.opponent import judge_opponent
    from kernelproba.cli.table_model import TableModel
    from kernelproba.tables.files.table_format import open_table

    terminal = Terminal(as_json=as_json, quiet=quiet)
    _check_report(report, training, rivals, data, model)
    with terminal.warnings_as_notes():
        table_model, file = TableModel.load(model), open_table(data, layout)
    start = time.perf_counter()
    with terminal.warnings_as_notes():
        held_out = predict_labelled(terminal, table_model, file, target or table_model.target)
    seconds = time.perf_counter() - start
    if against is not None:
        held_out = judge_opponent(
            terminal, against, table_model, (file, target or table_model.target), held_out
        )
    facts = evaluation_facts(table_model, held_out) | {"seconds": round(seconds, 3)}
    if report is not None:
        rows = _training_rows(table_model, training, layout)
        with parallel_config(n_jobs=jobs):
            table = _compare(terminal, table_model, *rows) if rivals and rows is not None else None
        write_model_report(terminal, report, table_model, held_out, rows, table)
        facts["report"] = str(report)
    terminal.result(facts, lambda screen: show_evaluation(screen, facts))


def _check_report(report: Path | None, training: Path | None, rivals: bool, data: Path, model: Path) -> None:
    from kernelproba.cli.evaluation import check_report

    if report is not None:
        check_report(report, data, model, *([training] if training else []))
    elif training is not None or rivals:
        raise CommandError("--training and --rivals are for the report: name it by --report FILE")
    if rivals and training is None:
        raise CommandError(
            "--rivals needs --training FILE: other classifiers must be fitted on the same rows"
        )


def _training_rows(
    model: TableModel, path: Path | None, layout: Layout
) -> tuple[pd.DataFrame, np.ndarray] | None:
    """Return the rows of the fit, read from their file again."""
    import numpy as np

    from kernelproba.tables.files.table_format import open_table

    return None if path is None else (model.training_frame(open_table(path, layout)), np.array(model.labels))


def _compare(terminal: Terminal, model: TableModel, X: pd.DataFrame, y: np.ndarray) -> pd.DataFrame:
    """Cross-validate the model's method, which comes first, and the usual rivals on its training rows."""
    from sklearn.base import clone

    from kernelproba.cli.comparing import cross_validate, prepared
    from kernelproba.report.comparison import rivals

    contestants = prepared({model.method: clone(model.classifier)} | rivals(), clone(model.model.encoder_))
    table = cross_validate(terminal, X, y, contestants)
    return table.iloc[(table["method"] != model.method).to_numpy().argsort(kind="stable")]
