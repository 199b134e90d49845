"""Sets of labels as a model has them: by fits to folds that it was given, or by its leave-one-out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline

from kernelproba.conformal import left_out_p_values, prediction_sets
from kernelproba.estimators.conformal import ConformalClassifier
from kernelproba.estimators.conformal.new_rows import far_rows
from kernelproba.estimators.prior_shift import PriorShiftClassifier
from kernelproba.inspection.reasons.expansions import layers
from kernelproba.typing import Classifier, MatrixLike


@dataclass(frozen=True)
class LabelSets:
    """Where sets of labels come from.

    Attributes
    ----------
    conformal : ConformalClassifier or None
        Fitted around the model.
    left_out : ndarray of shape (m,)
        Without it: the probability of the label of each training row by a fit without the row; NaN for rows
        that do not count.
    steps : Pipeline or None
        What rows pass before they come to `conformal`, if anything.
    model : classifier or None
        Without `conformal`: the fitted model.
    """

    conformal: ConformalClassifier | None
    left_out: NDArray = field(default_factory=lambda: np.empty(0))
    steps: Pipeline | None = None
    model: Classifier | None = None

    @classmethod
    def of(cls, model: Classifier) -> LabelSets | None:
        """Return those of a fitted model; None if it keeps no leave-one-out under its priors."""
        model = model.best_estimator_ if isinstance(model, BaseSearchCV) else model
        if isinstance(model, Pipeline) and isinstance(model[-1], ConformalClassifier):
            return cls(model[-1], steps=model[:-1] if len(model) > 1 else None)
        if isinstance(model, ConformalClassifier):
            return cls(model)
        found = list(layers(model))
        left_out = getattr(found[-1], "loo_label_proba_", None)
        # Leave-one-out speaks of the priors of training.
        if left_out is None or any(isinstance(each, PriorShiftClassifier) for each in found):
            return None
        return cls(None, left_out, model=model)

    @property
    def known_rows(self) -> int:
        """Number of rows that labels are judged by."""
        if self.conformal is not None:
            return len(self.conformal.calibration_labels_)
        return int((~np.isnan(self.left_out)).sum())

    @property
    def attainable(self) -> float:
        """The highest level of sets that leave anything out."""
        if self.conformal is not None:
            return self.conformal.attainable_confidence()
        return self.known_rows / (self.known_rows + 1)

    def check_level(self, level: float) -> None:
        """Raise ValueError for a level that the rows do not attain."""
        if level > self.attainable:
            raise ValueError(
                f"{self.known_rows:,} training rows attain {self.attainable:.3g} at most: ask for a lower "
                "level"
            )

    def at(self, levels: list[float], X: MatrixLike, P: NDArray) -> NDArray[np.bool_]:
        """Return sets (l, n, c) at levels (l,) of rows X (n, d), to which the model gives P (n, c).

        Those of leave-one-out alone are not empty: the label that fits best is in its set.  Of rows far from
        all rows of training no label is ruled out.
        """
        if self.conformal is not None:
            return self.conformal._sets_at(X if self.steps is None else self.steps.transform(X), levels)
        p_values = left_out_p_values(self.left_out, P)
        if self.model is not None:
            p_values[far_rows(self.model, X, len(P))] = 1.0
        return np.array([prediction_sets(p_values, level, P) for level in levels])
