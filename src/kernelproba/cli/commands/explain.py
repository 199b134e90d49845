"""``kernelproba explain``: which training rows speak for and against the label of a row."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kernelproba.cli.errors import CommandError
from kernelproba.cli.options import Data, Json, Model, Quiet, with_groups
from kernelproba.cli.terminal import Terminal

if TYPE_CHECKING:
    import pandas as pd

    from kernelproba.cli.table_model import TableModel
    from kernelproba.tables.files.table_file import Layout, TableFile


#: Columns of training rows that are printed: more leave a terminal no room.
_COLUMNS = 8

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
        typer.Option("--training", metavar="FILE", help="The table of the fit, to show the rows' columns."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    *,
    layout: Layout,
) -> None:
    """Explain a prediction: the training rows that speak for and against it.

    A contribution is the training row's weight in the model times its similarity to the row; all of them
    and the intercept add up to the score of the class. Rows are numbered from 1, without the header.
    """
    from kernelproba.cli.table_model import TableModel
    from kernelproba.inspection import explain as explain_rows
    from kernelproba.tables.files.table_format import open_table

    terminal = Terminal(as_json=as_json, quiet=quiet)
    with terminal.heeding_warnings():
        table_model, file = TableModel.load(model), open_table(data, layout)
    table_model.check_columns(file)
    with terminal.heeding_warnings():
        X = _row(table_model, file, row)
        lines = explain_rows(
            table_model.model,
            X,
            top=top,
            training=_training(table_model, training, layout),
            labels=table_model.labels,
        )
        facts = {"row": row} | _facts(table_model, X, lines, label)
    terminal.result(facts, lambda screen: _show(screen, facts))


def _facts(model: TableModel, X: pd.DataFrame, lines: pd.DataFrame, label: str | None) -> dict[str, Any]:
    """Return what there is to say about one row X and the contributions to its scores."""
    P = model.model.predict_proba(X)[0]
    best = model.classes[P.argmax()]
    chosen = best if label is None else _class_named(model, label)
    return {
        "values": X.iloc[0].to_dict(),
        "label": best,
        "probabilities": dict(zip(map(str, model.classes.tolist()), P.tolist(), strict=True)),
        "explained": chosen,
        "contributions": _about(lines, chosen).drop(columns=["explained", "coef"]).to_dict("records"),
    }


def _row(model: TableModel, file: TableFile, number: int) -> pd.DataFrame:
    """Return one row of a table, counted from 1; no more of the file is read than needed."""
    rows = 0
    for X, _ in model.chunks(file, (), lambda _share: None):
        if number in X.index:
            return X.loc[[number]]
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


def _show(screen: Terminal, facts: dict[str, Any]) -> None:
    leading = sorted(facts["probabilities"].items(), key=lambda item: -item[1])[:5]
    probable = ", ".join(f"{label} {probability:.3f}" for label, probability in leading)
    more = ", …" if len(facts["probabilities"]) > len(leading) else ""
    screen.line(f"row {facts['row']} is {facts['label']}: {probable}{more}")
    screen.line(_values(facts["values"]), style="dim")
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


def _values(values: dict[str, Any]) -> str:
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


def _cells(line: dict[str, Any], columns: list[str]) -> list[str]:
    single = line["term"] in ("row", "center")
    kind = "" if line["term"] == "row" else line["term"]
    return [
        f"{kind} {line['row'] if single else ''}".strip(),
        _text(line["label"]) if single else "",
        f"{line['contribution']:+.3f}",
        f"{line['similarity']:.3f}" if single and line["similarity"] == line["similarity"] else "",
        *(_text(line[name]) if single else "" for name in columns),
    ]


def _text(value: object) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).removesuffix(" 00:00:00")  # of dates
