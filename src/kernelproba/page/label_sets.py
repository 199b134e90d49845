"""Sets of labels on a page: what judges a label, and from which value on it is kept.

With m known rows a label has the p-value (#{known rows that fit no better} + 1)/(m + 1) and is kept if that
exceeds α (`kernelproba.conformal`): if at least k = ⌊α(m + 1)⌋ known rows fit no better.  Where one model
judges all rows, that is a threshold of the probability; with fits to folds the page counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
from sklearn.base import BaseEstimator

from kernelproba.conformal.sets import ROUNDING
from kernelproba.decision import label_index
from kernelproba.estimators.conformal import ConformalClassifier
from kernelproba.estimators.conformal.calibration import LOO_ROWS
from kernelproba.estimators.prior_shift import PriorShiftClassifier
from kernelproba.onnx.columns import column_input
from kernelproba.onnx.errors import ConversionError
from kernelproba.onnx.graph import Tensor
from kernelproba.onnx.posteriors import GraphRows, log_posterior
from kernelproba.page.opened_model import OpenedModel
from kernelproba.page.packing import packed_numbers
from kernelproba.tables import TableEncoder

#: Levels to choose from.
LEVELS = (0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class SetSource:
    """What judges labels: leave-one-out, unless there is a judge or a reason against.

    Attributes
    ----------
    judge : ConformalClassifier or None
        Fitted around the model.
    wanted : bool
        Whether there are to be sets.
    why_not : str or None
        Why not, to be said on the page.
    """

    judge: ConformalClassifier | None = None
    wanted: bool = True
    why_not: str | None = None


@dataclass(frozen=True)
class PageSets:
    """How a page finds sets.

    Attributes
    ----------
    thresholds : dict of str to float
        Level → from where on a label is in the set: a probability, or with folds a number of known rows.
    known : list of ndarray
        Of each fold: probabilities of the labels of its rows, in rising order.
    posteriors : list of Tensor
        Of each fold: probabilities (1, c) by the fit without it.
    limit : str or None
        What to say of them.
    """

    thresholds: dict[str, float] = field(default_factory=dict)
    known: list[np.ndarray] = field(default_factory=list)
    posteriors: list[Tensor] = field(default_factory=list)
    limit: str | None = None

    @classmethod
    def of(cls, model: BaseEstimator, source: SetSource, inputs: list[Tensor]) -> PageSets:
        """Return those of a judge around the model, or else of its leave-one-out; none if there are none.

        Parameters
        ----------
        model : classifier
            Fitted.
        source : SetSource
            What judges labels.
        inputs : list of Tensor
            The fields (1, 1).
        """
        if not source.wanted:
            return cls(limit=source.why_not and _none_because(source.why_not))
        if source.judge is None:
            known = _left_out(OpenedModel.of(model))
            return cls(_probability_thresholds(known), limit=_doubt(len(known)))
        try:
            return cls._judged(source.judge, OpenedModel.of(model), inputs)
        except ConversionError as error:
            return cls(limit=_none_because(str(error)))

    @classmethod
    def _judged(cls, judge: ConformalClassifier, opened: OpenedModel, inputs: list[Tensor]) -> PageSets:
        _check_judge(judge)
        own = judge.calibration_proba_[np.arange(len(judge.calibration_labels_)), judge.calibration_labels_]
        if not judge.fold_estimators_:
            return cls(_probability_thresholds(own))
        folds = judge.fold_estimators_
        known = [np.sort(own[judge.calibration_folds_ == k]) for k in range(len(folds))]
        posteriors = [_posterior(each, opened, judge.classes_, inputs) for each in folds]
        return cls({level: float(k) for level, k in _ranks(len(own)).items()}, known, posteriors)

    def facts(self) -> dict[str, object]:
        """Return what the script needs."""
        return {"thresholds": self.thresholds, "known": [packed_numbers(each) for each in self.known]}


def _none_because(why: str) -> str:
    return f"It shows no sets of labels: {why}."


def _left_out(opened: OpenedModel) -> np.ndarray:
    """Probabilities (m,) of the labels of the training rows, each by a fit without it; (0,) if unknown."""
    proba = getattr(opened.core, "loo_label_proba_", None)
    if proba is None or opened.wrapped:  # other probabilities need other rows to be judged by
        return np.empty(0)
    return proba[~np.isnan(proba)]


def _doubt(rows: int) -> str | None:
    if not 0 < rows < LOO_ROWS:
        return None
    return (
        "Its sets of labels are judged by leaving out one row at a time. Each row had a say in what was "
        "tuned before, and with so few rows the sets may hold the truth somewhat less often than they say; "
        "fits to folds do not have this flaw."
    )


def _ranks(m: int) -> dict[str, int]:
    """Return level → k; only levels that m rows attain."""
    attained = [level for level in LEVELS if m and level <= m / (m + 1)]
    return {f"{level:g}": int((1 - level + ROUNDING) * (m + 1)) for level in attained}


def _probability_thresholds(known: np.ndarray) -> dict[str, float]:
    ranked = np.sort(known)
    return {level: float(ranked[k - 1]) if k else 0.0 for level, k in _ranks(len(known)).items()}


def _check_judge(judge: ConformalClassifier) -> None:
    """Refuse sets that are found by more than the probability of a label and the number of known rows."""
    plain = judge.conformity_score == "lac" and judge.conditional is None and judge.novelty_level == "auto"
    if not plain or judge.randomized or judge.allow_empty:
        raise ConversionError("a page has those of conformity_score='lac' alone: fit without other settings")
    if isinstance(judge.estimator_, PriorShiftClassifier) or (judge.calibration_weights_ != 1).any():
        raise ConversionError("a page has those of rows that count once each: fit without weights and priors")


def _posterior(model: BaseEstimator, whole: OpenedModel, classes: np.ndarray, inputs: list[Tensor]) -> Tensor:
    """Return the probabilities (1, c) by a fit to a part of the rows, 0 for classes that it lacks."""
    opened = OpenedModel.of(model)
    if whole.encoder is not None and opened.encoder is not None:
        inputs = _shared_inputs(opened.encoder, whole.encoder, inputs)
    rows = GraphRows(inputs[0].graph, [SimpleNamespace(onnx_name=each.name) for each in inputs])
    P = inputs[0].graph("Exp", log_posterior(opened.outer, opened.outer_rows(rows)))
    if len(model.classes_) == len(classes):
        return P
    return P @ np.eye(len(classes))[label_index(model.classes_, classes)]


def _shared_inputs(part: TableEncoder, whole: TableEncoder, inputs: list[Tensor]) -> list[Tensor]:
    """Return the inputs of the columns that a fit to a part of the rows uses, of those that all rows have."""
    wanted, given = ([column_input(each) for each in encoder._fitted_] for encoder in (part, whole))
    if any(own is not None and own != other for own, other in zip(wanted, given, strict=True)):
        raise ConversionError(
            "a fit to a part of the rows takes columns otherwise than this one: say their kinds"
        )
    places = [j for j, how in enumerate(given) if how is not None]
    return [each for j, each in zip(places, inputs, strict=True) if wanted[j] is not None]
