"""From rows of JSON to answers of a model; knows nothing of HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernelproba.cli.set_calibration import label_sets
from kernelproba.plain_text import shorten
from kernelproba.tables.columns import column_of
from kernelproba.tables.files.arrow_columns import read_values
from kernelproba.tables.readings import NUMBER, Reading

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from kernelproba.cli.table_model import TableModel

#: Rows of the training table that a row is compared with for its reasons.
_SAMPLE = 50


class BadRequest(ValueError):
    """A request that cannot be answered: the message says what is wrong with it."""


@dataclass(frozen=True)
class Request:
    """What is asked for.

    Attributes
    ----------
    rows : list of mappings
        Name of a column → value.
    confidence : float or None
        Of sets of labels, if they are wanted.
    reasons : bool
        Whether the contributions of the columns are wanted.
    """

    rows: list[Mapping[str, object]]
    confidence: float | None = None
    reasons: bool = False

    @classmethod
    def of(cls, body: object, max_rows: int) -> Request:
        """Check a body and return what it asks for."""
        if not isinstance(body, dict):
            raise BadRequest('the body must be an object such as {"rows": [{…}]}')
        unknown = sorted(set(body) - {"rows", "confidence", "reasons"})
        if unknown:
            raise BadRequest(f"'{shorten(unknown[0], 40)}' is unknown: give rows, confidence and reasons")
        rows = body.get("rows")
        if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
            raise BadRequest("rows must be a list of one or more objects, column by column")
        if len(rows) > max_rows:
            raise BadRequest(f"{len(rows):,} rows: a request may hold {max_rows:,}")
        confidence = body.get("confidence")
        if confidence is not None and not (_is_number(confidence) and 0 < confidence < 1):
            raise BadRequest("confidence must be a number between 0 and 1")
        if not isinstance(body.get("reasons", False), bool):
            raise BadRequest("reasons must be true or false")
        return cls(rows, confidence, body.get("reasons", False))


class Answers:
    """A model that answers requests.

    Parameters
    ----------
    model : TableModel
        From a model file.
    training : DataFrame or None
        Rows of its fit, to compare with for reasons.
    """

    def __init__(self, model: TableModel, training: pd.DataFrame | None = None):
        self.model, self._training = model, training

    def answer(self, request: Request) -> dict[str, object]:
        """Return label, probabilities and what else is asked for, row by row."""
        columns, ignored = self._columns(request.rows)
        table = [column_of(name, values) for name, values in columns.items()]
        # A frame around a single row takes longer than its prediction.
        P = self.model.classifier.predict_proba(self.model.model.encoder_.encode_columns(table))
        classes = [str(label) for label in self.model.classes.tolist()]
        answers: list[dict[str, object]] = [
            {"label": classes[int(p.argmax())], "probabilities": dict(zip(classes, p.tolist(), strict=True))}
            for p in P
        ]
        if request.confidence is not None:
            for each, members in zip(
                answers, self._sets(_frame(columns), P, request.confidence), strict=True
            ):
                each["set"] = [label for label, is_in in zip(classes, members, strict=True) if is_in]
        if request.reasons:
            for each, reasons in zip(answers, self._reasons(_frame(columns)), strict=True):
                each["reasons"] = reasons
        known = self.model.model.encoder_._fitted_
        strange = np.array([fitted.unfamiliar(column) for fitted, column in zip(known, table, strict=True)])
        for row in np.flatnonzero(strange.any(axis=0)):
            answers[row]["unfamiliar"] = [table[j].name for j in np.flatnonzero(strange[:, row])]
        return {"predictions": answers} | ({"ignored": ignored} if ignored else {})

    @property
    def has_reasons(self) -> bool:
        """Whether there are rows to compare with."""
        return self._training is not None

    def _columns(self, rows: Sequence[Mapping[str, object]]) -> tuple[dict[str, pa.Array], list[str]]:
        """Return the columns as the model takes them, and the names that it does not use."""
        for number, row in enumerate(rows, start=1):
            missing = [name for name in self.model.readings if name not in row]
            if missing:
                raise BadRequest(f"row {number} lacks '{shorten(missing[0], 40)}' (null is a gap)")
        columns = {
            name: _column(name, [row[name] for row in rows], reading)
            for name, reading in self.model.readings.items()
        }
        used = {*self.model.readings, self.model.target}
        ignored = dict.fromkeys(name for row in rows for name in row if name not in used)
        return columns, list(ignored)[:20]

    def _sets(self, X: pd.DataFrame, P: np.ndarray, confidence: float) -> np.ndarray:
        """Return which labels (n, c) cannot be ruled out."""
        try:
            sets = label_sets(self.model)
            sets.check_level(confidence)
        except ValueError as error:
            raise BadRequest(f"confidence {confidence:g}, sets of labels: {error}") from None
        return sets.at([confidence], X, P)[0]

    def _reasons(self, X: pd.DataFrame) -> list[dict[str, object]]:
        """Return the contributions of the columns to the log-odds of the label, row by row."""
        from kernelproba.inspection import column_contributions

        if self._training is None:
            raise BadRequest("there are no rows to compare with: start the service with --training FILE")
        lines = column_contributions(self.model.model, X, self._training, n_background=_SAMPLE)
        return [
            {
                "baseline": own["contribution"].iloc[0],
                "columns": dict(
                    zip(own["column"].iloc[1:], own["contribution"].iloc[1:].tolist(), strict=True)
                ),
            }
            for _, own in lines.groupby("explained", sort=False)
        ]


def _frame(columns: Mapping[str, pa.Array]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(dict(columns))


def _column(name: str, values: list, reading: Reading) -> pa.Array:
    """Return values of JSON as the model reads them."""
    if reading.kind == NUMBER and all(type(value) is float for value in values):
        return np.array(values)  # Arrow would take longer than all that follows
    return read_values(name, _arrow(name, values), reading)


def _arrow(name: str, values: list) -> pa.Array:
    """Return values of JSON as a column: of their type if they share one, else as texts."""
    import pyarrow as pa

    known = [value for value in values if value is not None]
    if any(isinstance(value, dict | list) for value in known):
        raise BadRequest(
            f"'{shorten(name, 40)}' holds lists or objects: give numbers, texts, true, false or null"
        )
    if known and all(isinstance(value, bool) for value in known):
        return pa.array(values, pa.bool_())
    if known and all(_is_number(value) for value in known):
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    return pa.array([None if value is None else str(value) for value in values], pa.string())


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
