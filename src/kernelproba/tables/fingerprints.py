"""Fingerprints of rows: equal rows have equal ones, whatever file or frame they come from."""

from __future__ import annotations

import base64
import hashlib

import numpy as np
from numpy.typing import NDArray

from kernelproba.rows.row_hash import row_keys
from kernelproba.tables.columns import columns_of
from kernelproba.tables.readings import distinct_texts
from kernelproba.typing import MatrixLike

#: Rows, and share of all, below which equal rows are hardly worth a word.
_FEWEST, _SHARE = 2, 0.02

#: Stands for a missing value.
_MISSING = np.float64(-8.98846567431158e307)


def fingerprints(X: MatrixLike) -> NDArray:
    """Return 64 bits for each row of a table.

    Parameters
    ----------
    X : DataFrame of pandas or polars, or array, of shape (n, d)
        The order of the columns counts.

    Returns
    -------
    keys : ndarray of uint64 of shape (n,)
        Equal for equal rows.
    """
    return row_keys(np.column_stack([_as_numbers(column.values) for column in columns_of(X)]))


def seen_before(keys: NDArray, known: NDArray) -> NDArray:
    """Return which rows (n,) are among known ones, unless no more of them are than chance would have it.

    Rows of few different values are often the same without being the same case.  What chance does is told
    by the known rows themselves: the share of them that has a copy among the others.

    Parameters
    ----------
    keys, known : ndarrays of uint64 of shapes (n,) and (m,)
        Fingerprints.
    """
    found = np.isin(keys, known)
    _, which, counts = np.unique(known, return_inverse=True, return_counts=True)
    by_chance = float((counts[which] > 1).mean())
    most = by_chance + 4 * np.sqrt(by_chance * (1 - by_chance) / len(keys)) + 1 / len(keys)
    return found if by_chance == 0 or found.mean() > most else np.zeros_like(found)


def are_shared(seen: int, rows: int) -> bool:
    """Whether so many rows that were seen before speak of shared rows: fewer may be equal by chance.

    Parameters
    ----------
    seen, rows : int
        Rows that are among known ones, and rows in all.
    """
    return seen == rows or (seen >= _FEWEST and seen >= _SHARE * rows)


def packed(keys: NDArray) -> str:
    """Return fingerprints as a text that JSON can hold."""
    return base64.b64encode(keys.astype("<u8").tobytes()).decode("ascii")


def unpacked(text: str) -> NDArray:
    """Return the fingerprints of a text."""
    return np.frombuffer(base64.b64decode(text, validate=True), dtype="<u8")


def _as_numbers(values: NDArray) -> NDArray:
    """Return values as floats that are equal where they are."""
    if values.dtype.kind == "M":
        return np.where(np.isnat(values), _MISSING, values.astype("datetime64[us]").astype(np.int64))
    if values.dtype.kind == "f":
        return np.where(np.isnan(values), _MISSING, values)
    distinct, codes = distinct_texts(values)
    return np.array([*map(_text_number, distinct), _MISSING])[codes]


def _text_number(text: str) -> float:
    digest = hashlib.blake2b(text.encode("utf8", "surrogatepass"), digest_size=8).digest()
    return float(int.from_bytes(digest) >> 11)  # 53 bits, which a float holds
