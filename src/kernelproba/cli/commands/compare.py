"""``kernelproba compare``: our methods and the usual rivals on a table, by cross-validation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from sklearn.base import BaseEstimator

from kernelproba.cli import methods
from kernelproba.cli.options import Data, Json, MaxRows, Quiet, Seed, Target, complete_method, with_groups
from kernelproba.cli.terminal import Terminal

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from kernelproba.tables import TableEncoder
    from kernelproba.tables.files.table_file import Layout

#: Rows of a comparison unless the user asks for more: every method is fitted once per fold.
_MAX_ROWS = 2_000

#: What is compared unless the user names methods: those that tune themselves in seconds.
_METHODS = ("auto", "lspc", "kdc")

#: Scores that are printed, which is as many as a narrow terminal can show, and their titles.
_SCORES = {"error": "error", "log_loss": "log loss", "ece": "calibration"}


#: Shown by ``--help``.
EXAMPLES = (
    "kernelproba compare patients.csv --target diagnosis",
    "kernelproba compare patients.csv -t diagnosis -m auto -m rvm --no-rivals --folds 10",
)


@with_groups("columns", "layout")
def compare(
    data: Data,
    target: Target,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            "-m",
            help=f"Method to compare; may be repeated. Of {', '.join(methods.METHODS)}; by default "
            f"{', '.join(_METHODS)}.",
            autocompletion=complete_method,
        ),
    ] = None,
    rivals: Annotated[
        bool, typer.Option("--rivals/--no-rivals", help="With the usual other classifiers.")
    ] = True,
    folds: Annotated[int, typer.Option("--folds", min=2, help="Of the cross-validation.")] = 5,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the table as .csv as well.")
    ] = None,
    max_rows: MaxRows = _MAX_ROWS,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
    *,
    columns: dict[str, Any],
    layout: Layout,
) -> None:
    """Compare methods by cross-validation, the best log loss first.

    All see the same folds of the same prepared columns.
    """
    from kernelproba.cli.prediction_file import check_output
    from kernelproba.cli.training import encoder_for, load_training_table
    from kernelproba.report.comparison import rivals as usual_rivals
    from kernelproba.tables.training_table import Choice

    terminal = Terminal(as_json=as_json, quiet=quiet)
    if output is not None:
        check_output(output, data)
    classifiers = {name: methods.build(name, seed=seed) for name in method or _METHODS}
    choice = Choice(target, max_rows=max_rows, seed=seed, **columns)
    table = load_training_table(terminal, data, layout, choice)
    contestants = prepared(classifiers | (usual_rivals() if rivals else {}), encoder_for(choice))
    with terminal.heeding_warnings():
        scores = cross_validate(terminal, table.X, table.y, contestants, folds=folds, seed=seed)
    scores = scores.sort_values("log_loss", ignore_index=True)
    if output is not None:
        _write(scores, output)
    facts = {"rows": len(table.y), "folds": folds, "methods": scores.to_dict("records")}
    terminal.result(facts, lambda screen: _show(screen, facts))


def _write(scores: pd.DataFrame, path: Path) -> None:
    from kernelproba.atomic_file import replacing

    with replacing(path) as temporary:
        scores.to_csv(temporary, index=False)


def prepared(classifiers: Mapping[str, BaseEstimator], encoder: TableEncoder) -> dict[str, BaseEstimator]:
    """Put the same encoder of tables before each classifier."""
    from kernelproba.tables import TableClassifier

    return {name: TableClassifier(classifier, encoder) for name, classifier in classifiers.items()}


def cross_validate(
    terminal: Terminal,
    X: pd.DataFrame,
    y: np.ndarray,
    contestants: Mapping[str, BaseEstimator],
    *,
    folds: int = 5,
    seed: int = 0,
) -> pd.DataFrame:
    """Score classifiers by cross-validation behind a progress bar."""
    from kernelproba.report.comparison import compare

    with terminal.progress("comparing") as progress:
        return compare(
            X,
            y,
            contestants,
            cv=folds,
            random_state=seed,
            progress=lambda _name, done, total: progress(done / total),
        )


def _show(screen: Terminal, facts: dict[str, Any]) -> None:
    from kernelproba.report.wording import SCORE_TEXTS

    rows = [
        [row["method"], *(_score(row, name) for name in _SCORES), _seconds(row["fit_seconds"])]
        for row in facts["methods"]
    ]
    screen.table(["method", *_SCORES.values(), "fit time"], rows)
    for row in facts["methods"]:
        if row["problem"]:
            screen.line(f"{row['method']} failed: {row['problem']}")
    screen.line(f"\n{facts['folds']} folds of {facts['rows']:,} rows; ± is half of a 95% interval.")
    screen.line(f"calibration: {SCORE_TEXTS['ece'].meaning}")


def _score(row: Mapping[str, Any], name: str) -> str:
    from kernelproba.report.wording import SCORE_TEXTS, number

    if math.isnan(row[name]):
        return "–"
    percent = SCORE_TEXTS[name].percent
    return f"{number(row[name], percent)} ± {number((row[f'{name}_high'] - row[f'{name}_low']) / 2, percent)}"


def _seconds(value: float) -> str:
    from kernelproba.report.wording import seconds

    return "–" if math.isnan(value) else seconds(value)
