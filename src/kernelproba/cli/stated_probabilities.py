"""Probabilities that any model has written into a table, beside the labels that came true."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kernelproba.cli.errors import CommandError
from kernelproba.cli.prediction_file import CONFIDENCE, LABEL, PREFIX

if TYPE_CHECKING:
    import pandas as pd

    from kernelproba.tables.files.table_file import Layout

#: Columns that `predict` writes beside probabilities, and beginnings of their names.
_OTHERS, _BEGINNINGS = (LABEL, CONFIDENCE, "set", "set_size", "novelty", "novelty_p_value"), ("low_", "high_")


@dataclass(frozen=True)
class StatedProbabilities:
    """Labels y (n,), probabilities P (n, c) of the classes (c,), and the other columns X (n, d)."""

    y: np.ndarray
    P: np.ndarray
    classes: np.ndarray
    X: pd.DataFrame


def read_stated(path: Path, layout: Layout, target: str, probability: str | None) -> StatedProbabilities:
    """Read labels and probabilities; rows without a label are left out.

    Parameters
    ----------
    path : Path
        Table with a column of labels, and a column of probabilities for each class, named as `predict` does
        (``probability_CLASS``) or as the class.
    layout : Layout
        Of the file.
    target : str
        Name of the column of labels.
    probability : str or None
        Of two classes: the column with the probability of the second, in the order of the alphabet.
    """
    from kernelproba.tables.files.table_format import open_table
    from kernelproba.tables.labels import WORDS, read_labels
    from kernelproba.tables.table_reader import typed_frame
    from kernelproba.tables.training_table import TableSelection, check_column

    file = open_table(path, layout)
    check_column(file, target)
    table = file.read()
    y, present = read_labels(table.column(target), WORDS)
    if not len(y):
        raise CommandError(f"{file.name} has no row with a label in '{target}'")
    frame = typed_frame(table.drop_columns([target]), TableSelection(target), first=1)[present]
    named = _named(list(frame.columns), np.unique(y), probability, file.name)
    P = np.column_stack([_numbers(frame, column) for column in named.values()])
    if probability is not None:
        P = np.column_stack([1 - P[:, 0], P[:, 0]])
    _check_sums(P, [*named], frame.index)
    classes = np.array([*np.unique(y)] if probability is not None else [*named])
    return StatedProbabilities(y, P, classes, frame.drop(columns=_not_features(frame, list(named.values()))))


def _named(columns: list[str], labels: np.ndarray, probability: str | None, file: str) -> dict[str, str]:
    """Return class → name of the column with its probability."""
    if probability is not None:
        if probability not in columns or len(labels) != 2:
            raise CommandError(
                f"--probability {probability}: it names the column of the second of two classes, but "
                f"{file} has {len(labels)} classes and the columns {', '.join(columns[:8])}"
            )
        return {str(labels[1]): probability}
    written = {name.removeprefix(PREFIX): name for name in columns if name.startswith(PREFIX)}
    named = written or {str(label): str(label) for label in labels if label in columns}
    missing = [str(label) for label in labels if label not in named]
    if missing or len(named) < 2:
        raise CommandError(
            f"{file} has no column of probabilities for {', '.join(missing[:5]) or 'a second class'}: give "
            f"each class one, named as the class or {PREFIX}CLASS, or of two classes one by --probability"
        )
    return dict(sorted(named.items()))


def _check_sums(P: np.ndarray, classes: list[str], rows: pd.Index) -> None:
    """Complain of probabilities (n, c) that do not sum to one, by the number of the row in the file."""
    from kernelproba.inspection.scores.predictions import SUM_TOLERANCE

    sums = P.sum(axis=1)
    worst = int(abs(sums - 1).argmax())
    if abs(sums[worst] - 1) > SUM_TOLERANCE:
        raise CommandError(
            f"row {rows[worst]:,} (the header is not counted): the probabilities of {', '.join(classes[:8])} "
            f"must sum to 1, but sum to {sums[worst]:.6g}: normalise them, or if no row is of a class call "
            f"its column {PREFIX}CLASS, and all others likewise"
        )


def _numbers(frame: pd.DataFrame, column: str) -> np.ndarray:
    values = frame[column]
    if values.dtype.kind not in "fiu" or values.isna().any():
        raise CommandError(f"column '{column}' must hold a probability in every row that has a label")
    return values.to_numpy(dtype=float)


def _not_features(frame: pd.DataFrame, probabilities: list[str]) -> list[str]:
    """The columns that predictions are made of, which are no properties of a row."""
    written = any(name.startswith(PREFIX) for name in probabilities)
    made = [name for name in frame.columns if name in _OTHERS or name.startswith(_BEGINNINGS)]
    return probabilities + [name for name in (made if written else []) if name not in probabilities]
