"""Fields of a page: what to type for each column, within which range, and what stands there at first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from sklearn.base import BaseEstimator

from kernelproba.page.decoding import Value, decoded_columns, rounded
from kernelproba.page.opened_model import OpenedModel
from kernelproba.tables.encoder import TableEncoder
from kernelproba.tables.encoding.categories import CategoryEncoder, OrderedEncoder
from kernelproba.tables.encoding.dates import DateEncoder
from kernelproba.tables.encoding.numbers import NumberEncoder
from kernelproba.tables.fitted_column import FittedColumn
from kernelproba.tables.kinds import DROPPED
from kernelproba.tables.readings import NUMBER, TEXT


@dataclass(frozen=True)
class Field:
    """A column that the model asks for.

    Attributes
    ----------
    name : str
        Of the column.
    kind : str
        As in `kernelproba.tables`: number, date, time, category, ordered, flag or text.
    low, high : float or None
        Ends of the training values.
    start : value
        What stands in it at first.
    whole : bool
        Whether its numbers are whole.
    levels : list of str
        To choose from.
    """

    name: str
    kind: str
    low: float | None = None
    high: float | None = None
    start: Value = None
    whole: bool = False
    levels: Sequence[str] = ()

    @property
    def is_text(self) -> bool:
        """Whether the model takes texts."""
        return bool(self.levels) or self.kind == TEXT

    def facts(self) -> dict[str, object]:
        """Return what the script needs."""
        return asdict(self) | {"text": self.is_text}


@dataclass(frozen=True)
class Form:
    """All fields, and what the training rows that are centres have in them.

    Attributes
    ----------
    fields : list of Field
        In the order in which the model takes them.
    values : list of lists
        Of each field, row by row.
    """

    fields: list[Field]
    values: list[list[Value]]

    @classmethod
    def of(cls, opened: OpenedModel, rows: np.ndarray) -> Form:
        """Build the form of a model; `rows` (m, k) are training rows as its core takes them."""
        if opened.encoder is not None:
            return cls._of_table(opened.encoder, rows)
        d = opened.scalers[0].n_features_in_ if opened.scalers else opened.core.n_features_in_
        names = _feature_names(opened, d)
        X = opened.before_scaling(rows) if len(rows) else np.empty((0, d))
        values = [[rounded(value) for value in column] for column in X.T.tolist()]
        return cls([_number(names[j], values[j]) for j in range(d)], values)

    @classmethod
    def _of_table(cls, encoder: TableEncoder, rows: np.ndarray) -> Form:
        values = decoded_columns(encoder, rows) if len(rows) else {}
        used = [
            (column, values.get(j, []))
            for j, column in enumerate(encoder._fitted_)
            if column.description.kind != DROPPED and column.encoder is not None
        ]
        return cls([_field(column, own) for column, own in used], [own for _, own in used])


def _feature_names(opened: OpenedModel, d: int) -> list[str]:
    first: BaseEstimator = opened.scalers[0] if opened.scalers else opened.outer
    names = getattr(first, "feature_names_in_", None)
    return [f"x{j}" for j in range(d)] if names is None else [str(each) for each in names]


def _number(title: str, values: Sequence[Value]) -> Field:
    known = np.array([value for value in values if isinstance(value, float)])
    if not len(known):
        return Field(title, NUMBER, start=0.0)
    start = _middle(known)
    return Field(title, NUMBER, float(known.min()), float(known.max()), start, _is_whole(known))


def _field(column: FittedColumn, values: Sequence[Value]) -> Field:
    encoder, description = column.encoder, column.description
    title, kind = description.name, description.kind
    if isinstance(encoder, CategoryEncoder | OrderedEncoder):
        levels = encoder.levels if isinstance(encoder, OrderedEncoder) else encoder.levels_
        shown = [str(level) for level in levels if level is not None]
        return Field(title, kind, start=_commonest(values, shown), levels=shown)
    if isinstance(encoder, NumberEncoder | DateEncoder):
        numbers = encoder.days_ if isinstance(encoder, DateEncoder) else encoder
        # The encoder lets numbers go beyond the training values by their range.
        spread = (numbers.high_ - numbers.low_) / 3
        known = np.array([value for value in values if isinstance(value, float)])
        whole = _is_whole(known if len(known) else np.array([numbers.median_]))
        low, high = rounded(numbers.low_ + spread), rounded(numbers.high_ - spread)
        return Field(title, kind, low, high, rounded(numbers.median_), whole)  # type: ignore[arg-type]
    return Field(title, kind)


def _middle(known: np.ndarray) -> float:
    """Return a value in the middle that occurs."""
    return float(np.sort(known)[(len(known) - 1) // 2])


def _is_whole(known: np.ndarray) -> bool:
    return bool((known == np.rint(known)).all())


def _commonest(values: Sequence[Value], levels: Sequence[str]) -> Value:
    """Return the level that most training rows have, None if most have none."""
    counts = Counter(value for value in values if value is None or value in levels)
    return counts.most_common(1)[0][0] if counts else next(iter(levels), None)
