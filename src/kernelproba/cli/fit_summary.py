"""What there is to say about a fit, for programs and for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernelproba.cli.table_model import TableModel
    from kernelproba.cli.terminal import Terminal
    from kernelproba.tables.kinds import ColumnKind

#: Columns that are listed.
_SHOWN = 25


def model_facts(fitted: TableModel, described: list[ColumnKind]) -> dict[str, object]:
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
        "grouped": fitted.grouped,
        "leave_one_out": getattr(classifier, "loo_scores_", None),
    }


def _feature_weights(fitted: TableModel) -> dict[str, float] | None:
    """Return the weights of the columns, the largest first, or None if they weigh the same."""
    weights = fitted.model.column_weights_
    if weights is None:
        return None
    order = sorted(weights.items(), key=lambda item: -item[1])
    return {name: round(weight, 3) for name, weight in order}


def show_fit(screen: Terminal, facts: dict[str, Any]) -> None:
    """Print what there is to say about a fit."""
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
        others = "the others, its group's among them" if facts["grouped"] else "the others"
        screen.line(f"expect       {_scores(facts['leave_one_out'])} (each row predicted from {others})")
    if facts["sets"]["method"] == "cv+":
        screen.line(f"sets         by five fits to parts of the rows in {seconds(facts['sets']['seconds'])}")
    if "held_out" in facts:
        _show_verdict(screen, facts["held_out"])
    if facts["output"]:
        screen.line(f"written      {facts['output']}")
    screen.line()
    _show_columns(screen, facts["columns"])
    if facts["output"]:
        screen.line(f"\nNext: kernelproba predict {facts['output']} NEW.csv -o predictions.csv", style="dim")


def _show_verdict(screen: Terminal, held: dict[str, Any]) -> None:
    """Print how good the model is on the rows held out, and what speaks against believing it."""
    from kernelproba.report.wording import SCORE_TEXTS, interval, number

    scores = []
    for name in ("error", "log_loss"):
        title, _, percent = SCORE_TEXTS[name]
        score = held["scores"][name]
        scores.append(
            f"{title.lower()} {number(score['estimate'], percent)} ({interval(score, percent)}; "
            f"frequencies {number(held['baseline'][name], percent)})"
        )
    screen.line(f"held out     {held['rows']:,} rows by {held['by']}: {', '.join(scores)}")
    for finding in held.get("findings", ()):
        screen.line(f"             {finding}", style="yellow")
    if "report" in held:
        screen.line(f"report       {held['report']}")


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
