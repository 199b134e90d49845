"""``kernelproba explain``: which columns and which training rows speak for and against a label."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kernelproba.cli.errors import CommandError
from kernelproba.cli.options import Data, Json, Model, Quiet, with_groups
from kernelproba.cli.terminal import Terminal
from kernelproba.plain_text import number_text

if TYPE_CHECKING:
    import pandas as pd

    from kernelproba.cli.table_model import TableModel
    from kernelproba.tables.files.table_file import Layout, TableFile


#: Columns of training rows that are printed: more leave a terminal no room.
_COLUMNS = 8

#: Rows that a row is compared with, at most and at least; predictions that this may take; columns that may
#: change; rows of DATA that are kept for the comparison.
_SAMPLE, _LEAST_SAMPLE, _PREDICTIONS, _MOVABLE, _COMPARED = 100, 3, 10_000, 20, 1_000

#: Shown by ``--help``.
EXAMPLES = (
    "kernelproba explain model.skops new.csv --row 17",
    "kernelproba explain model.skops new.csv -n 17 --class healthy --training train.csv",
)


@with_groups("layout")
def explain(
    model: Model,
    data: Data,
    row: Annotated[int, typer.Option("--row", "-n", min=1, help="Which row of DATA; the first is 1.")] = 1,
    top: Annotated[int, typer.Option("--top", min=1, help="Training rows to name on either side.")] = 5,
    label: Annotated[
        str | None,
        typer.Option("--class", "-c", metavar="LABEL", help="Explain this class, not the most probable."),
    ] = None,
    training: Annotated[
        Path | None,
        typer.Option(
            "--training",
            metavar="FILE",
            help="The table of the fit: to compare with, and to show the rows' columns.",
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    *,
    layout: Layout,
) -> None:
    """Explain a prediction: columns and training rows that speak for and against it.

    The contribution of a column is how far it moves the log-odds away from those of other rows (of
    --training, or of DATA), as Shapley values: they add up. That of a training row is its weight in the model
    times its similarity to the row; all of them and the intercept add up to the score of the class. Then the
    smallest change that would alter the decision. Rows are numbered from 1, without the header.
    """
    from kernelproba.cli.table_model import TableModel
    from kernelproba.tables.files.table_format import open_table

    terminal = Terminal(as_json=as_json, quiet=quiet)
    with terminal.warnings_as_notes():
        table_model, file = TableModel.load(model), open_table(data, layout)
    table_model.check_columns(file)
    with terminal.warnings_as_notes():
        X, others = _row(table_model, file, row)
        rows = _training(table_model, training, layout)
        sample = others if training is None else rows
        terminal.notes(_doubts(table_model, X, sample))
        facts = {"row": row} | _prediction(table_model, X, label)
        with terminal.working("weighing columns"):
            facts |= _columns(table_model, X, sample, facts["explained"])
        facts["influence"] = _influence(table_model, X, rows, top, facts["explained"])
        facts["contributions"] = _training_rows(terminal, table_model, X, rows, top, facts["explained"])
    terminal.result(facts, lambda screen: _show(screen, facts, top))


def _doubts(model: TableModel, X: pd.DataFrame, sample: pd.DataFrame) -> list[str]:
    """Return why reasons for one row X may mean little."""
    from kernelproba.tables.unfamiliar import unfamiliar_cells

    found = unfamiliar_cells(model.model.encoder_, X)
    if len(sample) == 1:
        found.append(
            "there is no other row to compare with, so that no column contributes: give the table of the fit "
            "by --training"
        )
    return found


def _prediction(model: TableModel, X: pd.DataFrame, label: str | None) -> dict[str, object]:
    """Return what the model says of one row X, and which class is to be explained."""
    P = model.model.predict_proba(X)[0]
    best = model.classes[P.argmax()]
    return {
        "values": X.iloc[0].to_dict(),
        "label": best,
        "probabilities": dict(zip(map(str, model.classes.tolist()), P.tolist(), strict=True)),
        "explained": best if label is None else _class_named(model, label),
    }


def _columns(model: TableModel, X: pd.DataFrame, sample: pd.DataFrame, chosen: object) -> dict[str, object]:
    """Return the contributions of the columns, and the smallest change of the decision."""
    from kernelproba.inspection import column_contributions, smallest_change
    from kernelproba.inspection.reasons.product_solutions import is_product_game

    affordable = max(_LEAST_SAMPLE, min(_SAMPLE, _PREDICTIONS // (2 * X.shape[1] + 2)))
    size = _SAMPLE if is_product_game(model.model) else affordable
    lines = column_contributions(model.model, X, sample, label=chosen, n_background=size)
    shares = lines[lines["term"] == "column"]
    leading = shares["column"].tolist()[:_MOVABLE]
    change = smallest_change(model.model, X, sample[:_SAMPLE], columns=leading)
    return {
        "log_odds": lines["contribution"].sum(),
        "baseline": lines["contribution"].iloc[0],
        "compared_with": min(size, len(sample)),
        "columns": shares[["column", "contribution", "error"]].to_dict("records"),
        "change": change.drop(columns="explained").to_dict("records"),
    }


def _influence(
    model: TableModel, X: pd.DataFrame, rows: pd.DataFrame, top: int, chosen: object
) -> list[dict[object, object]] | None:
    """Return the training rows that the prediction depends on most, None where formulas do not tell."""
    from kernelproba.inspection import row_influence

    try:
        lines = row_influence(model.model, X, label=chosen, top=top, training=rows, labels=model.labels)
    except ValueError:
        return None
    return lines.drop(columns=["explained", "class"]).to_dict("records")


def _training_rows(
    terminal: Terminal, model: TableModel, X: pd.DataFrame, rows: pd.DataFrame, top: int, chosen: object
) -> list[dict[object, object]]:
    """Return the contributions of training rows; none, and a note, if the model has no such rows."""
    from kernelproba.inspection import explain as explain_rows
    from kernelproba.inspection.reasons.expansions import NoKernelMachine

    try:
        lines = explain_rows(model.model, X, top=top, training=rows, labels=model.labels)
    except NoKernelMachine:
        terminal.notes([f"training rows have no say of their own in a model of method {model.method}"])
        return []
    return _about(lines, chosen).drop(columns=["explained", "coef"]).to_dict("records")


def _row(model: TableModel, file: TableFile, number: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a row of a table, counted from 1, and the table's first rows; no more is read than needed."""
    first, rows = None, 0
    for X, _ in model.chunks(file, (), lambda _share: None):
        first = X[:_COMPARED] if first is None else first
        if number in X.index:
            return X.loc[[number]], first
        rows += len(X)
    raise CommandError(f"--row {number}: {file.name} has {rows:,} rows")


def _class_named(model: TableModel, label: str) -> object:
    for known in model.classes:
        if str(known) == label:
            return known
    shown = ", ".join(map(str, model.classes[:12]))
    raise CommandError(
        f"--class {label}: the model knows {shown}" + (", …" if len(model.classes) > 12 else "")
    )


def _training(model: TableModel, path: Path | None, layout: Layout) -> pd.DataFrame:
    """Return the training rows, or only their numbers if no file is given."""
    import pandas as pd

    from kernelproba.tables.files.table_format import open_table

    if path is None:
        return pd.DataFrame(index=model.rows)
    return model.training_frame(open_table(path, layout))


def _about(lines: pd.DataFrame, chosen: object) -> pd.DataFrame:
    """Return the contributions to the scores of one class; those of its opponents are turned round."""
    import pandas as pd

    other = lines[lines["against"] == chosen].iloc[::-1]
    other = other.sort_values("term", key=lambda term: term == "intercept", kind="stable")
    turned = other.assign(
        **{"class": other["against"], "against": other["class"], "contribution": -other["contribution"]}
    )
    terms = turned["term"].replace({"others for": "others against", "others against": "others for"})
    return pd.concat([lines[lines["class"] == chosen], turned.assign(term=terms)], ignore_index=True)


def _show(screen: Terminal, facts: dict[str, Any], top: int) -> None:
    leading = sorted(facts["probabilities"].items(), key=lambda item: -item[1])[:5]
    probable = ", ".join(f"{label}: {probability:.3f}" for label, probability in leading)
    more = ", …" if len(facts["probabilities"]) > len(leading) else ""
    screen.line(f"row {facts['row']}: {facts['label']} is likeliest ({probable}{more})")
    screen.line(_values(facts["values"]), style="dim")
    _show_columns(screen, facts, 2 * top)
    if facts["influence"]:  # says more than terms of a sum that cancel each other
        _show_influence(screen, facts)
        return
    for (label, against), lines in _scores(facts["contributions"]).items():
        opponent = "" if against is None else f" rather than {against}"
        total = sum(line["contribution"] for line in lines)
        columns = [name for name in lines[0] if name not in _OWN][:_COLUMNS]
        screen.line()
        screen.table(
            ["training row", "label", "contribution", "similarity", *columns],
            [_cells(line, columns) for line in lines],
            title=f"For {label}{opponent} (score {total:+.2f})",
        )


def _show_columns(screen: Terminal, facts: dict[str, Any], top: int) -> None:
    """Print the columns that matter most, the sum of the others, and the smallest change."""
    named, others = facts["columns"][:top], facts["columns"][top:]
    rows = [
        (line["column"], _text(facts["values"][line["column"]]), f"{line['contribution']:+z.3f}")
        for line in named
    ]
    if others:
        rows.append(
            (
                f"{len(others):,} other column{'s' if len(others) > 1 else ''}",
                "",
                f"{sum(each['contribution'] for each in others):+z.3f}",
            )
        )
    rows.append((f"mean of {facts['compared_with']} rows", "", f"{facts['baseline']:+z.3f}"))
    screen.line()
    title = f"Columns for {facts['explained']} (log-odds {facts['log_odds']:+.2f})"
    screen.table(["column", "value", "contribution"], rows, title=title)
    if facts["change"]:
        parts = [
            f"{each['column']} {_text(each['value']) or '–'} → {_text(each['changed'])}"
            for each in facts["change"]
        ]
        screen.line(f"\nIt would be {facts['change'][0]['class']} with {', '.join(parts)}.")


def _show_influence(screen: Terminal, facts: dict[str, Any]) -> None:
    """Print the training rows that the prediction depends on most."""
    lines = facts["influence"]
    own = ("row", "influence", "probability", "share", "label")
    columns = [name for name in lines[0] if name not in own][:_COLUMNS]
    rows = [
        (
            str(line["row"]),
            _text(line["label"]),
            f"{line['influence']:+z.3f}",
            f"{line['probability']:.3f}",
            f"{line['share']:.0%}",
            *(_text(line[name]) for name in columns),
        )
        for line in lines
    ]
    share = sum(line["share"] for line in lines)
    screen.line()
    screen.table(
        ["training row", "label", "influence", "without it", "share", *columns],
        rows,
        title=f"It depends most on ({share:.0%} of all influence)",
    )


def _values(values: dict[str, object]) -> str:
    """Return the values of the row in one line, the first of many."""
    shown = ", ".join(f"{name} {_text(value) or '–'}" for name, value in list(values.items())[:12])
    return f"({shown}{', …' if len(values) > 12 else ''})"


#: What `kernelproba.inspection.explain` says itself, as opposed to the columns of the training table.
_OWN = ("class", "against", "term", "row", "contribution", "similarity", "label")


def _scores(lines: list[dict[str, Any]]) -> dict[tuple, list[dict[str, Any]]]:
    """Return the lines by what they add up to: (class, opponent or None)."""
    scores: dict[tuple, list[dict[str, Any]]] = {}
    for line in lines:
        scores.setdefault((line["class"], line["against"]), []).append(line)
    return scores


def _cells(line: dict[str, object], columns: list[str]) -> list[str]:
    single = line["term"] in ("row", "center")
    kind = "" if line["term"] == "row" else line["term"]
    return [
        f"{kind} {line['row'] if single else ''}".strip(),
        _text(line["label"]) if single else "",
        f"{line['contribution']:+z.3f}",
        f"{line['similarity']:.3f}" if single and line["similarity"] == line["similarity"] else "",
        *(_text(line[name]) if single else "" for name in columns),
    ]


def _text(value: object) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, float):
        return number_text(value, 6)
    return str(value).removesuffix(" 00:00:00")  # of dates
