"""``kernelproba fit``: a table → a model file."""

from __future__ import annotations

import ast
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from sklearn.base import BaseEstimator

from kernelproba.cli import methods
from kernelproba.cli.errors import CommandError
from kernelproba.cli.fit_progress import forget_callbacks, told
from kernelproba.cli.options import Data, Json, MaxRows, Quiet, Seed, Target, complete_method, with_groups
from kernelproba.cli.terminal import Terminal

if TYPE_CHECKING:
    from kernelproba.tables.files.table_file import Layout
    from kernelproba.tables.kinds import ColumnKind

#: Columns that are listed.
_SHOWN = 25

#: Shown by ``--help``.
EXAMPLES = (
    "kernelproba fit patients.csv --target diagnosis -o model.skops",
    "kernelproba fit sales.parquet -t bought --exclude customer_id --method lspc",
    "kernelproba fit iris.csv -t species -m klr-pairwise --set kernel=laplacian",
)


@with_groups("columns", "layout")
def fit(
    data: Data,
    target: Target,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Model file to write.")
    ] = Path("model.skops"),
    method: Annotated[
        str,
        typer.Option(
            "--method", "-m", help=f"One of {', '.join(methods.METHODS)}.", autocompletion=complete_method
        ),
    ] = "auto",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Parameter of the classifier; may be repeated."),
    ] = None,
    max_rows: MaxRows = None,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
    *,
    columns: dict[str, Any],
    layout: Layout,
) -> None:
    """Learn a model from a table.

    Columns may hold numbers, categories, texts, dates and gaps. Without --method the model tunes itself.
    """
    from kernelproba.cli.prediction_file import check_output
    from kernelproba.cli.table_model import TableModel
    from kernelproba.cli.training import encoder_for, load_training_table, without_dropped
    from kernelproba.tables import TableClassifier
    from kernelproba.tables.training_table import Choice

    terminal = Terminal(as_json=as_json, quiet=quiet)
    check_output(output, data)
    classifier = methods.build(method, seed=seed, settings=_parsed(settings or []))
    rows = methods.METHODS[method].max_rows if max_rows is None else max_rows
    choice = Choice(target, max_rows=rows, seed=seed, **columns)
    table, described = without_dropped(terminal, load_training_table(terminal, data, layout, choice), choice)
    start = time.perf_counter()
    counting = terminal.counting(f"fitting {len(table.y):,} rows")
    with terminal.heeding_warnings(), counting as tell, told(classifier, tell):
        model = TableClassifier(classifier, encoder_for(choice)).fit(table.X, table.y)
        forget_callbacks(model.estimator_)
    seconds = time.perf_counter() - start
    fitted = TableModel.of(model, table, method)
    fitted.save(output)
    facts = _facts(fitted, described) | {
        "seconds": round(seconds, 3),
        "data": str(data),
        "output": str(output),
    }
    terminal.result(facts, lambda screen: _show(screen, facts))


def _parsed(settings: list[str]) -> dict[str, Any]:
    """Return NAME=VALUE pairs as a dict; a value that is no number, list or the like is a text."""
    pairs = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise CommandError(f"--set {setting}: write it as NAME=VALUE, such as --set C=10")
        try:
            pairs[name.strip()] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            pairs[name.strip()] = value
    return pairs


def _facts(fitted: BaseEstimator, described: list[ColumnKind]) -> dict[str, Any]:
    """Return what there is to say about a fitted model."""
    from collections import Counter

    from kernelproba.report.about import chosen_parameters

    classifier = fitted.classifier
    counts = Counter(fitted.labels)
    return {
        "method": fitted.method,
        "estimator": type(classifier).__name__,
        "chosen": chosen_parameters(classifier),
        "rows": len(fitted.rows),
        "columns": {each.name: {"kind": each.kind, "why": each.why} for each in described},
        "target": fitted.target,
        "classes": {str(label): counts[label] for label in fitted.classes.tolist()},
        "feature_weights": _feature_weights(fitted),
        "leave_one_out": getattr(classifier, "loo_scores_", None),
    }


def _feature_weights(fitted: BaseEstimator) -> dict[str, float] | None:
    """Return the weights of the columns, the largest first, or None if they weigh the same."""
    weights = fitted.model.column_weights_
    if weights is None:
        return None
    order = sorted(weights.items(), key=lambda item: -item[1])
    return {name: round(weight, 3) for name, weight in order}


def _show(screen: Terminal, facts: dict[str, Any]) -> None:
    from kernelproba.plain_text import shorten
    from kernelproba.report.wording import seconds

    kinds = [column["kind"] for column in facts["columns"].values() if column["kind"] != "dropped"]
    shown = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    leading = list(facts["classes"].items())[:8]
    classes = ", ".join(f"{shorten(label, 60)} {count:,}" for label, count in leading)
    more = f", … ({len(facts['classes'])} classes)" if len(facts["classes"]) > 8 else ""
    screen.line(f"learnt from  {facts['rows']:,} rows, {len(kinds)} columns ({shown})")
    screen.line(f"target       {facts['target']}: {classes}{more}")
    chosen = ", ".join(f"{name} {_short(value)}" for name, value in facts["chosen"].items())
    screen.line(
        f"model        {facts['estimator']} in {seconds(facts['seconds'])}"
        + (f" ({chosen})" if chosen else "")
    )
    if facts["feature_weights"]:
        most, *_, least = weights = list(facts["feature_weights"].items())
        screen.line(
            f"weighed      {len(weights)} columns, from {shorten(most[0], 40)} {most[1]:.2g} to "
            f"{shorten(least[0], 40)} {least[1]:.2g}"
        )
    if facts["leave_one_out"]:
        screen.line(f"expect       {_scores(facts['leave_one_out'])} (each row predicted from the others)")
    screen.line(f"written      {facts['output']}\n")
    _show_columns(screen, facts["columns"])
    screen.line(f"\nNext: kernelproba predict {facts['output']} NEW.csv -o predictions.csv", style="dim")


def _show_columns(screen: Terminal, columns: dict[str, dict[str, str]]) -> None:
    """Print what each column was taken for; of very many, those that are no plain numbers come first."""
    order = sorted(columns.items(), key=lambda item: len(columns) > _SHOWN and item[1]["kind"] == "number")
    rows = [(name, column["kind"], column["why"]) for name, column in order[:_SHOWN]]
    screen.table(["column", "kind", "why (overrule it by --kind COLUMN=KIND)"], rows)
    if len(columns) > _SHOWN:
        screen.line(f"… and {len(columns) - _SHOWN:,} more")


def _scores(scores: dict[str, float]) -> str:
    from kernelproba.report.wording import SCORE_TEXTS, number

    named = {SCORE_TEXTS[name]: value for name, value in scores.items() if name in SCORE_TEXTS}
    return ", ".join(f"{text.title.lower()} {number(value, text.percent)}" for text, value in named.items())


def _short(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
