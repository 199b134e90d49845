"""The words of the report, said once for every format."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from kernelproba.report.summary_types import (
    CalibrationError,
    ConfusedPair,
    Confusion,
    MethodScores,
    NoveltySummary,
    Opponent,
    RivalsSummary,
    SetsSummary,
    Summary,
)


class ScoreText(NamedTuple):
    """How a score is called and explained."""

    title: str
    meaning: str
    percent: bool


SCORE_TEXTS = {
    "error": ScoreText("Error", "share of rows whose label is predicted wrongly", True),
    "log_loss": ScoreText("Log loss", "mean surprise at the true label; sure and wrong costs most", False),
    "brier": ScoreText(
        "Brier score", "mean squared distance of the probabilities from the truth, 0 to 2", False
    ),
    "ece": ScoreText("Calibration error", "mean gap between stated probability and observed frequency", True),
}
BRIER_TEXTS = {
    "reliability": "gap between stated probability and frequency; smaller is better",
    "resolution": "how much the frequency differs between bins; larger is better",
    "uncertainty": "score of stating the class frequencies; a property of the data",
    "within_bin": "remainder from probabilities that differ within a bin",
}


def number(value: float | None, percent: bool = False) -> str:
    """A score with three digits or so, as text.

    Examples
    --------
    >>> number(0.12345), number(0.0042, percent=True), number(None), number(0.000042)
    ('0.123', '0.42%', '–', '0.00004')
    """
    if value is None or value != value:
        return "–"
    if percent and value == 0:
        return "0%"
    if percent:
        return f"{100 * value:.1f}%" if value >= 0.01 else f"{100 * value:.2f}%"
    if 1e-6 < abs(value) < 0.0005:  # which is not zero
        return f"{value:.{math.ceil(-math.log10(abs(value)))}f}"
    return f"{value:z.3f}" if abs(value) < 100 else f"{value:.3g}"


def interval(score: Mapping[str, float | None] | CalibrationError, percent: bool = False) -> str:
    """Both ends of a score's interval; empty if it has none."""
    if score.get("low") is None:
        return ""
    return f"{number(score['low'], percent)} to {number(score['high'], percent)}"


def seconds(value: float | None) -> str:
    """A time with two digits and its unit.

    Examples
    --------
    >>> seconds(0.0123), seconds(4.56), seconds(75)
    ('12 ms', '4.6 s', '1 min 15 s')
    """
    if value is None or value != value:
        return "–"
    if value < 1:
        return f"{1000 * value:.2g} ms" if value < 0.0995 else f"{1000 * value:.0f} ms"
    return f"{value:.1f} s" if value < 60 else f"{value // 60:.0f} min {value % 60:.0f} s"


def opening(summary: Summary) -> str:
    """Say in two sentences how often the model is right, and against what."""
    error, rows, seen = summary["scores"]["error"], summary["data"]["rows"], summary["data"]["seen_rows"]
    which = f"{rows:,} rows that the model had not seen" if seen == 0 else f"{rows:,} rows"
    right = {"estimate": 1 - error["estimate"], "low": 1 - error["high"], "high": 1 - error["low"]}
    guess = 1 - summary["baseline"]["error"]
    return (
        f"Of {which} it labels {number(right['estimate'], True)} right "
        f"(95% interval {interval(right, True)}). Always naming the most frequent class would be right on "
        f"{number(guess, True)}."
    )


def share(value: float | None) -> str:
    """A share in percent, a dash where there is none."""
    return "–" if value is None else f"{100 * value:.1f}%"


def heading(summary: Summary) -> str:
    """What the report is about: the target if its name is known, else the model."""
    return f"Predicting {summary['target']}" if summary["target"] else summary["model"]["name"]


def parameters(summary: Summary) -> list[tuple[str, str, str]]:
    """Name, value and origin of the parameters that were given or chosen."""
    model = summary["model"]
    given = [(key, value, "given") for key, value in model["settings"].items()]
    return given + [(key, _short(value), "chosen") for key, value in model["chosen"].items()]


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def trust(summary: Summary) -> str:
    """Say whether the stated probabilities can be taken at their word."""
    ece, chance = summary["scores"]["ece"]["estimate"], summary["calibration"]["by_chance"]
    gap = f"Stated probability and observed frequency are {100 * ece:.1f} points apart on average."
    usual = f"On this many rows, true probabilities would show {100 * chance['mean']:.1f} points by chance"
    if ece <= chance["high"]:
        return f"{gap} {usual} and rarely more than {100 * chance['high']:.1f}: no sign of miscalibration."
    return f"{gap} {usual} and rarely more than {100 * chance['high']:.1f}: {_lean(summary)}."


def _lean(summary: Summary) -> str:
    """In which direction the probabilities of the predicted classes are off, if it is one for most rows."""
    bins = summary["calibration"]["top_label"]["bins"]
    rows = sum(bins["count"])
    stated, seen = (
        sum(n * value for n, value in zip(bins["count"], bins[key], strict=True)) / rows
        for key in ("probability", "frequency")
    )
    # |Σ_b w_b d_b| ≤ Σ_b w_b |d_b|: where the sum is much smaller, gaps of both signs cancel.
    if abs(stated - seen) < summary["scores"]["ece"]["estimate"] / 2:
        return "some of its probabilities are too high and others too low, see Calibration"
    if stated > seen:
        return f"the model is too sure of itself, stating {stated:.1%} where {seen:.1%} are right"
    return f"the model is too cautious, stating {stated:.1%} where {seen:.1%} are right"


def compared(rivals: RivalsSummary) -> str:
    """Say how the comparison was made."""
    if "rows" not in rivals or "folds" not in rivals:
        return "Scores of rows left out, with 95% intervals."
    return (
        f"Every method was cross-validated on the same {rivals['folds']} folds of {rivals['rows']:,} rows; "
        "lines are 95% intervals."
    )


def against_text(opponent: Opponent) -> str:
    """Say whether another model is better or worse on the same rows, by the log loss.

    Examples
    --------
    >>> gap = {"estimate": -0.03, "low": -0.05, "high": -0.01}
    >>> against_text({"name": "b", "scores": {}, "differences": {"log_loss": gap}})
    'Its log loss is 0.030 smaller than that of b (95% interval 0.010 to 0.050): it is better.'
    """
    gap = opponent["differences"]["log_loss"]
    value, low, high = gap["estimate"], gap["low"], gap["high"]
    if low <= 0 <= high:
        return (
            f"Its log loss is not clearly different from that of {opponent['name']} "
            f"(95% interval of the difference {signed(low)} to {signed(high)})."
        )
    size, which = ("smaller", "better") if value < 0 else ("larger", "worse")
    near, far = sorted((abs(low), abs(high)))
    return (
        f"Its log loss is {number(abs(value))} {size} than that of {opponent['name']} "
        f"(95% interval {number(near)} to {number(far)}): it is {which}."
    )


def signed(value: float, percent: bool = False) -> str:
    """A difference with its sign.

    Examples
    --------
    >>> signed(0.01234), signed(-0.02, percent=True), signed(0.0)
    ('+0.012', '−2.0%', '0.000')
    """
    shown = number(abs(value), percent)
    if not value or shown.strip("0.%") == "":
        return shown
    return f"{'+' if value > 0 else '−'}{shown}"


def side_by_side(summary: Summary) -> list[MethodScores]:
    """The reported model and the others as methods of a comparison, for figures."""
    others = [(each["name"], each["scores"]) for each in summary["against"]]
    return [
        {"method": name, "ours": k == 0}
        | {key: ends["estimate"] for key, ends in scores.items()}
        | {f"{key}_{end}": ends[end] for key, ends in scores.items() for end in ("low", "high")}
        for k, (name, scores) in enumerate([(summary["model"]["name"], summary["scores"]), *others])
    ]


NO_SETS = "Sets of labels follow from leave-one-out probabilities, which this classifier does not keep."
NO_NOVELTY = "This classifier has no measure of how new a row is."


def sets_text(summary: Summary) -> str:
    """Say what sets are, and what they promise."""
    sets = summary["sets"]
    known = "no" if sets is None else f"{sets['known_rows']:,}"
    return (
        f"The labels that cannot be ruled out at a level, judged by what the model says of {known} training "
        "rows without having seen them. Sets should hold the true label as often as asked for, whatever the "
        "model: the better it is, the smaller they are."
    )


def set_rows(sets: SetsSummary) -> list[tuple[str, str, str, str]]:
    """Level, coverage with its standard error, mean size and share of single labels, as texts."""
    columns = (sets[key] for key in ("confidence", "coverage", "std_error", "mean_size", "single"))
    return [
        (f"{level:.0%}", f"{covered:.1%} ± {error:.1%}", f"{size:.2f}", f"{single:.1%}")
        for level, covered, error, size, single in zip(*columns, strict=True)
    ]


def novelty_text(novelty: NoveltySummary) -> str:
    """Say how many rows are new, and how many would be by chance."""
    few = f"{novelty['threshold']:.0%}"
    return (
        f"{novelty['share']:.1%} of the rows have a p-value of {few} or less: they are as unlike the "
        f"training rows as at most {few} of these are unlike the others. Of rows from the same source about "
        f"{few} are. Novelty is the share of a row that the rows of no class explain, in the kernel of the "
        "model."
    )


def confused_pairs(confusion: Confusion, top: int = 10) -> list[ConfusedPair]:
    """The most frequent mistakes: true class, predicted class, rows and share of the true class."""
    names, counts = confusion["classes"], confusion["counts"]
    mistakes: list[ConfusedPair] = [
        {"true": names[i], "predicted": names[j], "rows": count, "share": count / sum(row)}
        for i, row in enumerate(counts)
        for j, count in enumerate(row)
        if i != j and count
    ]
    return sorted(mistakes, key=lambda mistake: -mistake["rows"])[:top]
