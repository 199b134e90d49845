"""Labels: a column of a table as classes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from kernelproba.estimators.base.validation import reads_as_number
from kernelproba.plain_text import shorten
from kernelproba.tables.errors import TableError

if TYPE_CHECKING:
    import pyarrow as pa

#: What labels are: whole numbers that a float holds exactly, true and false, or any texts.
WHOLE, FLAGS, WORDS = "number", "flag", "text"

_LARGEST = 2**53

#: Whole numbers as labels from which on they may be meant as a quantity.
_MANY_NUMBERS = 20

_WHOLE = re.compile(r"[+-]?\d+(\.0*)?")
#: Digits of a code: its zeros are part of it, and 01 and 1 may be two of them.
_CODE = re.compile(r"[+-]?0\d.*")
_FRACTION = re.compile(r"[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?|[+-]?\d+[eE]-\d+")


def label_kind(name: str, column: pa.ChunkedArray, *, as_words: bool = False) -> str:
    """Return what the labels of a target column are; fractions are quantities and no labels.

    Whole numbers that a float cannot tell apart, powers of ten, infinities and codes such as 01 are words:
    read as numbers, different ones would become the same.

    Parameters
    ----------
    name : str
        Of the column.
    column : ChunkedArray
        Its values.
    as_words : bool, default=False
        Whether the user says that they are classes, whatever they look like.
    """
    distinct = [text for text in dict.fromkeys(_distinct_texts(column)[0]) if text is not None]
    if as_words or not distinct:
        return WORDS
    if {text.lower() for text in distinct} <= {"true", "false"}:
        return FLAGS
    fractions = [text for text in distinct if _FRACTION.fullmatch(text) and not _WHOLE.fullmatch(text)]
    if fractions and all(reads_as_number(text) for text in distinct):
        raise TableError(
            f"the target '{name}' holds fractions such as {shorten(fractions[0], 20)}: kernelproba "
            "predicts classes, not quantities; choose another target, cut this one into ranges first, or say "
            f"that its values are classes by --kind '{name}=category'"
        )
    whole = all(_as_whole(text) is not None and not _CODE.fullmatch(text) for text in distinct)
    return WHOLE if whole else WORDS


def read_labels(column: pa.ChunkedArray, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of the rows that have one, and which rows those are.

    Parameters
    ----------
    column : ChunkedArray or Array of length n
        As read from a file.
    kind : str
        What `label_kind` said of the training rows.

    Returns
    -------
    labels : ndarray of shape (m,)
        Whole numbers as int64, all else as text; texts also where not all of these are whole numbers.
    present : ndarray of bool of shape (n,)
        With m true entries.
    """
    texts, which = _distinct_texts(column)
    missing = np.array([text is None for text in texts], dtype=bool)
    present = ~missing[which]
    # Each text that is there by its place among those, in place of millions of copies.
    which = (np.cumsum(~missing) - 1)[which[present]]
    known = [text.lower() if kind == FLAGS else text for text in texts if text is not None]
    if kind == WHOLE:
        numbers = [_as_whole(text) for text in known]
        if all(number is not None for number in numbers):
            return np.array(numbers, dtype=np.int64)[which], present
    return np.array(known, dtype=str)[which], present


def check_classes(name: str, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes and how many rows each has; complain of labels from which nothing can be learnt."""
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) == 0:
        raise TableError(f"the target '{name}' is missing in every row")
    if len(classes) == 1:
        raise TableError(f"the target '{name}' is always {classes[0]}: there must be at least two classes")
    if len(classes) > len(labels) / 2:
        raise TableError(
            f"the target '{name}' has {len(classes)} different values in {len(labels)} rows: a class needs "
            "several rows; choose another target, or cut this one into ranges first"
        )
    return classes, counts


def quantity_note(name: str, labels: np.ndarray, kind: str) -> list[str]:
    """Return a note on whole numbers that are rather a quantity than labels, if they are so many."""
    count = len(np.unique(labels)) if kind == WHOLE else 0
    if count <= _MANY_NUMBERS:
        return []
    return [
        f"the target '{name}' has {count} different whole numbers, and each is taken for a class: if it is a "
        "quantity, cut it into ranges first"
    ]


def _distinct_texts(column: pa.ChunkedArray) -> tuple[list[str | None], np.ndarray]:
    """Return the different labels of a column as texts, None for a gap, and the place of each row's (n,)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    values = values.dictionary_encode().unify_dictionaries().combine_chunks()
    which = pc.fill_null(values.indices, -1).to_numpy(zero_copy_only=False)
    return [*_label_texts(values.dictionary), None], which


def _label_texts(column: pa.Array) -> list[str | None]:
    """Return labels as texts: numbers as they are written in full, flags and dates as in a file of text."""
    import pyarrow as pa

    from kernelproba.tables.files.arrow_columns import text_values

    if pa.types.is_floating(column.type):
        return [
            None if value is None or value != value else _float_text(value) for value in column.to_pylist()
        ]
    return text_values(column)


def _float_text(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) <= _LARGEST else repr(value)


def _as_whole(text: str) -> int | None:
    """Return the whole number that a text is, None if it is none or if a float would not hold it."""
    if _WHOLE.fullmatch(text) is None or len(text) > 40:
        return None
    number = int(text.partition(".")[0])
    return number if abs(number) <= _LARGEST else None
