"""Labels: a column of a table as classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelproba.cli.errors import CommandError
from kernelproba.cli.tables.columns import NUMBER, kind_of, reading_type


def label_kind(name: str, column: Any) -> str:
    """Return the kind of a target column; numbers must be whole.

    Parameters
    ----------
    name : str
        Of the column.
    column : ChunkedArray
        Its values.
    """
    kind = kind_of(name, column.type)
    if kind != NUMBER:
        return kind
    values = _floats(column)
    values = values[~np.isnan(values)]
    fractions = values[values != np.rint(values)]
    if len(fractions):
        raise CommandError(
            f"the target '{name}' holds fractions such as {fractions[0]:g}: kernelproba predicts classes, "
            "not quantities; choose another target, or cut this one into ranges first"
        )
    return kind


def read_labels(name: str, column: Any, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of the rows that have one, and which rows those are.

    Parameters
    ----------
    name : str
        Of the column, for errors.
    column : ChunkedArray or Array of length n
        As read from a file.
    kind : str
        What `label_kind` said of the training rows.

    Returns
    -------
    labels : ndarray of shape (m,)
        Numbers as int64, all else as text.
    present : ndarray of bool of shape (n,)
        With m true entries.
    """
    import pyarrow as pa

    try:
        if kind == NUMBER:
            values = _floats(column)
            present = ~np.isnan(values)
            return values[present].astype(np.int64), present
        words = column.cast(reading_type(kind)).cast(pa.string()).to_pylist()
    except pa.ArrowInvalid as error:
        raise CommandError(f"the target '{name}' should be {kind}, as in training: {error}") from None
    present = np.array([word is not None and word.strip() != "" for word in words], dtype=bool)
    return np.array(
        [word.strip() for word, there in zip(words, present, strict=True) if there], dtype=str
    ), present


def check_classes(name: str, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes and how many rows each has; complain of labels from which nothing can be learnt."""
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) == 0:
        raise CommandError(f"the target '{name}' is missing in every row")
    if len(classes) == 1:
        raise CommandError(f"the target '{name}' is always {classes[0]}: there must be at least two classes")
    if len(classes) > len(labels) / 2:
        raise CommandError(
            f"the target '{name}' has {len(classes)} different values in {len(labels)} rows: a class needs "
            "several rows; choose another target, or cut this one into ranges first"
        )
    return classes, counts


def check_known(name: str, labels: np.ndarray, classes: np.ndarray) -> None:
    """Complain of labels that a model has not been trained on."""
    unknown = sorted(set(labels.tolist()) - set(classes.tolist()))
    if unknown:
        known = ", ".join(map(str, classes[:10]))
        raise CommandError(
            f"the target '{name}' has labels that the model was not trained on, such as {unknown[0]!r}: "
            f"it knows {known}" + (", …" if len(classes) > 10 else "")
        )


def _floats(column: Any) -> np.ndarray:
    import pyarrow as pa

    floats = column.cast(pa.float64())
    return floats.to_numpy() if isinstance(floats, pa.ChunkedArray) else floats.to_numpy(zero_copy_only=False)
