"""A model on rows with known labels: predictions, scores, a report."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelproba.cli.errors import CommandError

if TYPE_CHECKING:
    import pandas as pd

    from kernelproba.cli.table_model import TableModel
    from kernelproba.cli.terminal import Terminal
    from kernelproba.tables.files.table_file import TableFile
    from kernelproba.tables.training_table import TrainingTable

#: Classes that are listed.
_SHOWN = 12

#: Suffixes of reports.
_FORMATS = (".html", ".md", ".json")


@dataclass(frozen=True)
class HeldOut:
    """Rows with known labels and what the model says of them: X (n, d), y (n,), P (n, c).

    ``seen`` (n,) tells which of them the model was fitted on, ``against`` what other models say of them.
    """

    X: pd.DataFrame
    y: np.ndarray
    P: np.ndarray
    seen: np.ndarray
    against: dict[str, np.ndarray] = field(default_factory=dict)


def check_report(report: Path, *inputs: Path) -> None:
    """Complain of a place for a report that would fail only after the work is done."""
    from kernelproba.cli.prediction_file import check_output

    check_output(report, *inputs)
    if report.suffix.lower() not in _FORMATS:
        raise CommandError(
            f"--report {report}: the name must end in {', '.join(_FORMATS[:-1])} or {_FORMATS[-1]}"
        )


def evaluation_facts(model: TableModel, held_out: HeldOut) -> dict[str, object]:
    """Return the scores, those of stating the frequencies of the classes, and those of each class."""
    from kernelproba.cli.set_calibration import available_sets
    from kernelproba.decision import label_index
    from kernelproba.inspection import score_intervals
    from kernelproba.report.class_scores import class_scores
    from kernelproba.report.scores_summary import baseline_scores, opponent
    from kernelproba.report.uncertainty_summary import describe_novelty, describe_sets

    codes = label_index(held_out.y, model.classes)
    intervals = score_intervals(held_out.y, held_out.P, classes=model.classes, random_state=0)
    others = [opponent(name, codes, held_out.P, Q) for name, Q in held_out.against.items()]
    return {
        "rows": len(held_out.y),
        "against": others,
        "seen_in_training": int(held_out.seen.sum()),
        "scores": {name: interval._asdict() for name, interval in intervals.items()},
        "baseline": baseline_scores(codes, model.class_counts),
        "classes": class_scores(codes, held_out.P, model.classes),
        "sets": describe_sets(available_sets(model), held_out.X, codes, held_out.P),
        "novelty": describe_novelty(model.model, held_out.X, held_out.X, held_out.P, model.classes),
    }


def predict_labelled(terminal: Terminal, model: TableModel, file: TableFile, target: str) -> HeldOut:
    """Read and predict the rows that have a label."""
    import pandas as pd

    from kernelproba.tables.fingerprints import are_shared
    from kernelproba.tables.labels import read_labels
    from kernelproba.tables.training_table import check_column
    from kernelproba.tables.unfamiliar import UnfamiliarValues

    check_column(file, target)
    terminal.notes(model.check_columns(file))
    frames, labels, posteriors, missing, unknown = [], [], [], 0, Counter[str]()
    unfamiliar = UnfamiliarValues(model.model.encoder_)
    with terminal.progress(f"evaluating {file.name}") as progress:
        for X, batch in model.chunks(file, (target,), progress):
            y, present = read_labels(batch.column(target), model.target_kind)
            missing += int((~present).sum())
            known = np.isin(y.astype(str), model.classes.astype(str))
            unknown.update(y[~known].astype(str).tolist())
            frames.append(X[present][known])
            unfamiliar.add(frames[-1])
            labels.append(y[known].astype(model.classes.dtype))
            posteriors.append(
                model.model.predict_proba(frames[-1]) if known.any() else np.empty((0, len(model.classes)))
            )
    if not sum(map(len, labels)):
        raise CommandError(
            f"{file.name} has no row with a label in '{target}' that the model knows: it knows "
            f"{_listed(model.classes.astype(str).tolist())}, the file has {_listed(list(unknown)) or 'none'}"
        )
    terminal.notes(unfamiliar.notes())
    if missing:
        terminal.notes([f"{missing:,} rows have no '{target}' and are left out"])
    if unknown:
        terminal.notes([_unknown_labels(unknown)])
    X = pd.concat(frames)
    seen = model.seen(X)
    if seen.any() and are_shared(int(seen.sum()), len(seen)):
        terminal.notes([_seen_rows(int(seen.sum()), len(seen))])
    return HeldOut(X, np.concatenate(labels), np.concatenate(posteriors), seen)


def predict_held_out(terminal: Terminal, model: TableModel, held: TrainingTable) -> HeldOut:
    """Predict rows that were held out; those of classes that were not learnt are left out, and counted."""
    known = np.isin(held.y, model.classes)
    if not known.any():
        raise CommandError("no row that is held out has a label that was learnt: split by another column")
    if not known.all():
        terminal.notes([_unknown_labels(Counter(held.y[~known].astype(str).tolist()))])
    X, y = held.X.loc[known, list(model.readings)], held.y[known]
    return HeldOut(X, y, model.model.predict_proba(X), np.zeros(len(y), dtype=bool))


def _seen_rows(seen: int, rows: int) -> str:
    which = "all rows were" if seen == rows else f"{seen:,} of {rows:,} rows were"
    return (
        f"{which} in the training table: the scores say how well the model remembers them, not how well it "
        "predicts others"
    )


def _listed(labels: Sequence[str]) -> str:
    return ", ".join(f"'{label}'" for label in labels[:5]) + (", …" if len(labels) > 5 else "")


def _unknown_labels(counts: Counter[str]) -> str:
    shown = ", ".join(f"'{label}' ({count:,})" for label, count in counts.most_common(5))
    more = f" and {len(counts) - 5} more" if len(counts) > 5 else ""
    return f"{counts.total():,} rows have labels that the model does not know and are left out: {shown}{more}"


def write_model_report(
    terminal: Terminal,
    path: Path,
    model: TableModel,
    held_out: HeldOut,
    training: tuple[pd.DataFrame, np.ndarray] | None,
    rivals: pd.DataFrame | None,
) -> list[str]:
    """Write a report on rows with known labels; return what a reader should know before believing it."""
    from kernelproba.cli.set_calibration import available_sets
    from kernelproba.report.about import About
    from kernelproba.report.render import write_report
    from kernelproba.report.summary import summarise

    about = About(
        model.target,
        ["kernelproba", *sys.argv[1:]],
        seen=held_out.seen,
        row_numbers="Rows are numbered from 1 as in the file, without the header.",
        class_counts=model.class_counts,
        left_out=model.left_out,
        against=held_out.against,
        sets=available_sets(model),
    )
    with terminal.warnings_as_notes(), terminal.working(f"writing {path.name}"):
        summary = summarise(
            model.model, held_out.X, held_out.y, training=training, rivals=rivals, about=about
        )
        write_report(summary, path)
    return summary["findings"]


def show_evaluation(screen: Terminal, facts: Mapping[str, Any], *, counted: str = "in training") -> None:
    """Print scores with their intervals, beside those of other models and of stating frequencies.

    Parameters
    ----------
    screen : Terminal
        Where to.
    facts : mapping
        Of the evaluation.
    counted : str, default="in training"
        Where the frequencies were counted.
    """
    from kernelproba.cli.opponent import show_opponents
    from kernelproba.report.wording import SCORE_TEXTS, interval, number, seconds

    rows = []
    for name, score in facts["scores"].items():
        title, meaning, percent = SCORE_TEXTS[name]
        guess = number(facts["baseline"].get(name), percent)
        rows.append((title, number(score["estimate"], percent), interval(score, percent), guess, meaning))
    screen.table(["score", "value", "95% interval", "frequencies", "meaning"], rows)
    screen.line(f"frequencies: the scores of stating the share of each class {counted} for every row\n")
    show_opponents(screen, facts)
    _show_classes(screen, facts["classes"])
    _show_uncertainty(screen, facts)
    screen.line(f"{facts['rows']:,} rows in {seconds(facts['seconds'])}")
    if "report" in facts:
        screen.line(f"report written to {facts['report']}")


def _show_uncertainty(screen: Terminal, facts: Mapping[str, Any]) -> None:
    """Print how often sets hold the truth, and the rows that are least like those of training."""
    from kernelproba.report.wording import set_rows

    if facts["sets"] is not None:
        screen.line("")
        columns = ["sets at", "hold the label", "labels per set", "sets of one"]
        screen.table(columns, set_rows(facts["sets"]))
    novelty = facts["novelty"]
    if novelty is not None:
        listed = ", ".join(str(row["row"]) for row in novelty["rows"][:5])
        screen.line(
            f"{novelty['share']:.1%} of the rows are new to the model (p-value up to {novelty['threshold']})"
            + (f", most of all rows {listed}\n" if listed else "\n")
        )


def _show_classes(screen: Terminal, classes: list[dict[str, Any]]) -> None:
    """Print a line per class, of many classes those with most rows."""
    from kernelproba.report.wording import share

    order = sorted(classes, key=lambda each: -each["rows"])[:_SHOWN]
    rows = [
        (each["name"], f"{each['rows']:,}", *(share(each[score]) for score in ("recall", "precision", "auc")))
        for each in order
    ]
    screen.table(["class", "rows", "recall", "precision", "AUC"], rows)
    if len(classes) > _SHOWN:
        screen.line(f"… and {len(classes) - _SHOWN} more classes (--json has them all)")
