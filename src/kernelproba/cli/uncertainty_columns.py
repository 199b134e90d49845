"""Further columns of predictions: sets of labels, intervals of probabilities, and novelty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernelproba.cli.errors import CommandError
from kernelproba.cli.set_calibration import label_sets

if TYPE_CHECKING:
    import pandas as pd

    from kernelproba.cli.table_model import TableModel

#: What separates the labels of a set.
SEPARATOR = " | "


@dataclass(frozen=True)
class UncertaintyColumns:
    """What was asked for beside the probabilities.

    Attributes
    ----------
    model : TableModel
        Which must be able to give it.
    sets : float or None
        Level of the sets of labels.
    intervals : bool
        Whether to write 90 % intervals of the probabilities.
    novelty : bool
        Whether to write how new rows are.
    """

    model: TableModel
    sets: float | None
    intervals: bool
    novelty: bool

    def check(self) -> None:
        """Complain of what the model cannot give."""
        asked = {
            "--intervals": (self.intervals, "predict_proba_interval"),
            "--novelty": (self.novelty, "novelty_score"),
        }
        for option, (wanted, needed) in asked.items():
            if wanted and not hasattr(self.model.model, needed):
                raise CommandError(
                    f"{option}: the method '{self.model.method}' has none; fit the model by --method auto"
                )
        if self.sets is not None:
            self._check_level(self.sets)

    def _check_level(self, level: float) -> None:
        if not 0 < level < 1:
            raise CommandError(f"--sets {level:g}: the level must lie between 0 and 1, such as 0.9")
        try:
            label_sets(self.model).check_level(level)
        except ValueError as error:
            raise CommandError(f"--sets {level:g}: {error}") from None

    def names(self) -> list[str]:
        """Return the names of the columns."""
        classes = self.model.classes
        found = ["set", "set_size"] if self.sets is not None else []
        if self.intervals:
            found += [f"{end}_{label}" for label in classes for end in ("low", "high")]
        return found + (["novelty", "novelty_p_value"] if self.novelty else [])

    def columns(self, X: pd.DataFrame, P: np.ndarray) -> dict[str, object]:
        """Return the columns of rows X (n, d) with probabilities P (n, c), by name."""
        values: list[object] = []
        if self.sets is not None:
            chosen = label_sets(self.model).at([self.sets], X, P)[0]
            labels = self.model.classes.astype(str)
            values += [[SEPARATOR.join(labels[row]) for row in chosen], chosen.sum(axis=1)]
        if self.intervals:
            ends = self.model.model.predict_proba_interval(X)
            values += list(ends.reshape(len(P), -1).T)
        if self.novelty:
            values += self.model.model.novelty_score(X, return_p_value=True)
        return dict(zip(self.names(), values, strict=True))
