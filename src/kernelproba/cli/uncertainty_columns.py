"""Further columns of predictions: sets of labels, intervals of probabilities, and novelty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernelproba.cli.errors import CommandError

if TYPE_CHECKING:
    import pandas as pd

    from kernelproba.cli.table_model import TableModel

#: What separates the labels of a set.
SEPARATOR = " | "
#: Training rows below which leave-one-out may promise a little too much.
FEW_ROWS = 1000


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

    def check(self) -> list[str]:
        """Complain of what the model cannot give; return notes on what it can."""
        asked = {
            "--sets": (self.sets is not None, self.model.classifier, "loo_label_proba_"),
            "--intervals": (self.intervals, self.model.model, "predict_proba_interval"),
            "--novelty": (self.novelty, self.model.model, "novelty_score"),
        }
        for option, (wanted, owner, needed) in asked.items():
            if wanted and not hasattr(owner, needed):
                raise CommandError(
                    f"{option}: the method '{self.model.method}' has none; fit the model by --method auto"
                )
        return [] if self.sets is None else self._check_level(self.sets)

    def _check_level(self, level: float) -> list[str]:
        if not 0 < level < 1:
            raise CommandError(f"--sets {level:g}: the level must lie between 0 and 1, such as 0.9")
        known = int((~np.isnan(self.model.classifier.loo_label_proba_)).sum())
        if level > known / (known + 1):
            raise CommandError(
                f"--sets {level:g}: the {known:,} training rows attain {known / (known + 1):.3g} at most; "
                "ask for a lower level"
            )
        if known >= FEW_ROWS:
            return []
        return [
            f"sets are judged by {known:,} training rows that also chose the settings: they may hold the "
            "truth about a point less often than asked for"
        ]

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
            chosen = self._sets(P, self.sets)
            labels = self.model.classes.astype(str)
            values += [[SEPARATOR.join(labels[row]) for row in chosen], chosen.sum(axis=1)]
        if self.intervals:
            ends = self.model.model.predict_proba_interval(X)
            values += list(ends.reshape(len(P), -1).T)
        if self.novelty:
            values += self.model.model.novelty_score(X, return_p_value=True)
        return dict(zip(self.names(), values, strict=True))

    def _sets(self, P: np.ndarray, level: float) -> np.ndarray:
        from kernelproba.conformal import left_out_p_values, prediction_sets

        return prediction_sets(left_out_p_values(self.model.classifier.loo_label_proba_, P), level, P)
