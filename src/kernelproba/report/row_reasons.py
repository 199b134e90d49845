"""Which columns move the log-odds of a row that is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from kernelproba.inspection import column_contributions
from kernelproba.plain_text import name
from kernelproba.report.summary_types import RowReason
from kernelproba.typing import Classifier

#: Columns that are named, columns beyond which it would take too long, rows of the sample to compare with.
_NAMED, _COLUMNS, _SAMPLE = 3, 60, 10


@dataclass(frozen=True)
class RowReasons:
    """Reasons of single rows.

    Attributes
    ----------
    model : classifier
        Fitted.
    X : array or data frame of shape (n, d)
        Rows.
    background : array or data frame of shape (N, d)
        Rows to compare with.
    classes : ndarray of shape (c,)
        Labels.
    """

    model: Classifier
    X: Any
    background: Any
    classes: NDArray

    def of(self, i: int, k: int) -> list[RowReason]:
        """Return the columns that move the log-odds of class k in row i most, with their contributions.

        Empty for tables of many columns, and for rows whose columns have none (kernel matrices, stores).
        """
        shape = getattr(self.X, "shape", (0, 0))
        if not 0 < shape[1] <= _COLUMNS or type(self.X) is not type(self.background):
            return []
        row = self.X.iloc[i : i + 1] if hasattr(self.X, "iloc") else self.X[i : i + 1]
        try:
            lines = column_contributions(
                self.model, row, self.background, label=self.classes[k], n_background=_SAMPLE
            )
        except (ValueError, TypeError):  # sparse rows, or of a kind whose columns cannot be mixed
            return []
        named = lines[lines["term"] == "column"][:_NAMED]
        return [
            {"column": name(column), "contribution": float(value)}
            for column, value in zip(named["column"], named["contribution"], strict=True)
        ]
