"""How good the probabilities are: scores, calibration, confusion and confidence, as plain values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelproba.inspection import (
    Interval,
    bootstrap_interval,
    brier_decomposition,
    expected_calibration_error,
    probability_scores,
    reliability_tables,
    score_differences,
    score_intervals,
    squared_calibration_error,
)
from kernelproba.inspection.scores.binning import BinTable, assign_bins
from kernelproba.plain_text import name
from kernelproba.report.json_values import json_value
from kernelproba.report.summary_types import (
    CalibrationError,
    CalibrationSummary,
    ConfidenceSummary,
    Confusion,
    Opponent,
    Reliability,
    ScoreEnds,
)

_SEED, _CHANCE_DRAWS, _PART_DRAWS = 0, 500, 200
#: Above this many probabilities an interval of the parts is too slow to find, and too narrow to matter.
_MANY = 300_000


def headline_scores(codes: NDArray, P: NDArray) -> dict[str, ScoreEnds]:
    """Error, log loss, Brier score and ECE with 95 % intervals."""
    intervals = score_intervals(codes, P, classes=np.arange(P.shape[1]), random_state=_SEED)
    return {score: _ends(interval) for score, interval in intervals.items()}


def opponent(title: str, codes: NDArray, P: NDArray, Q: ArrayLike) -> Opponent:
    """The scores of another model's probabilities Q (n, c), and how much larger those of P are."""
    numbers = np.arange(P.shape[1])
    differences = score_differences(codes, P, Q, classes=numbers, random_state=_SEED)
    return {
        "name": name(title),
        "scores": headline_scores(codes, np.asarray(Q)),
        "differences": {key: json_value(each._asdict()) for key, each in differences.items()},
    }


def baseline_scores(codes: NDArray, counts: NDArray) -> dict[str, float]:
    """The scores of stating the class frequencies (c,) of training for every row."""
    P = np.tile(counts / counts.sum(), (len(codes), 1))
    return probability_scores(codes, P, classes=np.arange(len(counts)))


def own_baseline_scores(codes: NDArray, n_classes: int) -> dict[str, float]:
    """The same of the frequencies in these very rows, but for the ECE, which is nothing by construction."""
    scores = baseline_scores(codes, np.bincount(codes, minlength=n_classes))
    return {key: value for key, value in scores.items() if key != "ece"}


def calibration(codes: NDArray, P: NDArray, classes: NDArray, plain_error: ScoreEnds) -> CalibrationSummary:
    """Bins of the reliability diagrams, calibration errors of every kind, parts of the Brier score."""
    numbers = np.arange(P.shape[1])
    (top,) = reliability_tables(codes, P, classes=numbers)
    per_class = reliability_tables(codes, P, kind="class-wise", classes=numbers)
    return {
        "top_label": _bins(top),
        "classes": [{"name": name(label)} | _bins(t) for label, t in zip(classes, per_class, strict=True)],
        "by_chance": _error_by_chance(P),
        "errors": _calibration_errors(codes, P, plain_error),
        "brier_parts": _intervals(brier_decomposition, codes, P),
    }


def _bins(table: BinTable) -> Reliability:
    return {"ece": table.calibration_error, "bins": json_value(table.columns())}


def _calibration_errors(codes: NDArray, P: NDArray, plain_error: ScoreEnds) -> list[CalibrationError]:
    """ECE of the top label and of all classes, plain and debiased; the first is known from the headline."""
    class_wise = _intervals(partial(expected_calibration_error, kind="class-wise"), codes, P)[""]
    errors: list[dict[str, object]] = []
    for kind, error in (("top-label", plain_error), ("class-wise", class_wise)):
        squared = _intervals(partial(squared_calibration_error, kind=kind), codes, P)[""]
        debiased = {end: float(np.sqrt(max(0.0, value))) for end, value in squared.items()}
        errors += [{"kind": kind, "debiased": False} | error, {"kind": kind, "debiased": True} | debiased]
    return cast(list[CalibrationError], errors)


def _intervals(score: Callable[..., object], codes: NDArray, P: NDArray) -> dict[str, ScoreEnds]:
    """Return the intervals of a score by name, without ends where they would take minutes."""
    numbers = np.arange(P.shape[1])
    draws = 1 if P.size > _MANY else _PART_DRAWS
    found = bootstrap_interval(score, codes, P, classes=numbers, n_resamples=draws, random_state=_SEED)
    named = {"": found} if isinstance(found, Interval) else found
    if P.size > _MANY:
        return {key: {"estimate": float(interval.estimate)} for key, interval in named.items()}
    return {key: _ends(interval, key) for key, interval in named.items()}


def _ends(interval: Interval, key: str = "") -> ScoreEnds:
    """The interval by name, cut off at 0 unless the score may be negative."""
    floor = -np.inf if key == "within_bin" else 0.0
    return {end: max(floor, float(value)) for end, value in interval._asdict().items()}


def _error_by_chance(P: NDArray) -> dict[str, float]:
    """ECE that true probabilities would show on as many rows: hits drawn with the stated probability.

    Frequencies in bins scatter, so that the ECE of a perfect model is not zero.
    """
    rng, top = np.random.RandomState(_SEED), P.max(axis=1).astype(float)
    binning = assign_bins(top, np.ones(len(top)), n_bins=15, strategy="uniform")
    draws = [
        abs(binning.sums(top - (rng.uniform(size=len(top)) < top))).sum() / len(top)
        for _ in range(_CHANCE_DRAWS)
    ]
    return {"mean": float(np.mean(draws)), "high": float(np.quantile(draws, 0.95))}


def confusion(codes: NDArray, P: NDArray, classes: NDArray) -> Confusion:
    """Rows by true class (first index) and predicted class."""
    c = len(classes)
    pairs = np.bincount(codes * c + P.argmax(axis=1), minlength=c * c)
    return {"classes": [name(label) for label in classes], "counts": json_value(pairs.reshape(c, c))}


def confidence(codes: NDArray, P: NDArray) -> ConfidenceSummary:
    """Rows by probability of the predicted class, in twentieths, for right and wrong rows."""
    right = P.argmax(axis=1) == codes
    top = P.max(axis=1)
    edges = np.linspace(0, 1, 21)
    return {
        "edges": json_value(edges),
        "right": json_value(np.histogram(top[right], edges)[0]),
        "wrong": json_value(np.histogram(top[~right], edges)[0]),
    }
