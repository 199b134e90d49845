"""Another model on the same rows, to be judged beside the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelproba.cli.errors import CommandError
from kernelproba.cli.evaluation import HeldOut, predict_labelled
from kernelproba.cli.table_model import TableModel

if TYPE_CHECKING:
    from kernelproba.cli.stated_probabilities import StatedProbabilities
    from kernelproba.cli.terminal import Terminal
    from kernelproba.tables.files.table_file import TableFile


def judge_opponent(
    terminal: Terminal, path: Path, model: TableModel, source: tuple[TableFile, str], held_out: HeldOut
) -> HeldOut:
    """Return the held-out rows with the probabilities that another model states for them.

    Parameters
    ----------
    terminal : Terminal
        For notes and progress.
    path : Path
        File of the other model; it may take other columns, but must know the same classes.
    model : TableModel
        The first.
    source : (TableFile, str)
        The rows, and the column of labels.
    held_out : HeldOut
        What the first says of them.
    """
    with terminal.warnings_as_notes():
        other = TableModel.load(path)
        order = class_order(path.name, other.classes, model.classes)
        theirs = predict_labelled(terminal, other, *source)
    Q = theirs.P[theirs.X.index.get_indexer(held_out.X.index)][:, order]
    return replace(held_out, against={path.name: Q})


def stated_opponent(
    path: Path, theirs: StatedProbabilities, ours: StatedProbabilities
) -> dict[str, np.ndarray]:
    """Return other probabilities of the same rows by the name of their file."""
    if not np.array_equal(theirs.y, ours.y):
        raise CommandError(
            f"--against {path.name}: its labels are not those of the first table, row by row; give both "
            "tables the same rows in the same order"
        )
    return {path.name: theirs.P[:, class_order(path.name, theirs.classes, ours.classes)]}


def class_order(name: str, classes: np.ndarray, wanted: np.ndarray) -> list[int]:
    """Return where the wanted classes stand among others; complain if they are not the same."""
    known = classes.astype(str).tolist()
    if sorted(known) != sorted(wanted.astype(str).tolist()):
        raise CommandError(
            f"{name} knows other classes ({', '.join(known[:5])}): only models of the same target can be "
            "compared"
        )
    return [known.index(label) for label in wanted.astype(str)]


def show_opponents(screen: Terminal, facts: Mapping[str, Any]) -> None:
    """Print how far the model is ahead of others, score by score."""
    from kernelproba.report.wording import SCORE_TEXTS, against_text, number, signed

    for other in facts.get("against", ()):
        rows = []
        for key, text in SCORE_TEXTS.items():
            gap, theirs = other["differences"][key], other["scores"][key]["estimate"]
            ends = f"{signed(gap['low'], text.percent)} to {signed(gap['high'], text.percent)}"
            rows.append(
                (text.title, number(theirs, text.percent), signed(gap["estimate"], text.percent), ends)
            )
        screen.table(["score", other["name"], "difference", "95% interval"], rows)
        screen.line(f"{against_text(other)}\n")
