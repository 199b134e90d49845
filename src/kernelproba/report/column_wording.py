"""What the report says of columns and slices, in words."""

from __future__ import annotations

from kernelproba.plain_text import shorten
from kernelproba.report.summary_types import (
    ColumnDependence,
    ColumnImportance,
    ColumnsSummary,
    ErrorSlice,
    SlicesSummary,
)

#: Columns and lines that are named.
_NAMED, SHOWN = 3, 20


def importance_text(columns: ColumnsSummary) -> str:
    """Say which columns the predictions owe most to."""
    matter = [each for each in columns["importance"] if each["clear"]]
    total = len(columns["importance"])
    if not matter:
        return (
            f"No column matters clearly: shuffling any of the {total} alone does not raise the log loss by "
            "more than chance may. Columns that say the same stand in for each other."
        )
    leading = _listed([f"{quoted(each['column'])} ({each['importance']:+.3f})" for each in matter[:_NAMED]])
    rest = total - len(matter)
    others = f" {rest} of {total} columns could be shuffled without clear loss." if rest else ""
    return (
        f"The predictions owe most to {leading}; in brackets, how much the log loss rises when the values of "
        f"the column are shuffled among {columns['rows']:,} held-out rows.{others} Columns that say the same "
        "stand in for each other."
    )


def shown_importance(columns: ColumnsSummary) -> list[ColumnImportance]:
    """The columns that are listed."""
    return columns["importance"][:SHOWN]


def dependence_text(dependence: ColumnDependence) -> str:
    """Say how the probability that a column moves most goes with its values.

    Examples
    --------
    >>> curve = {"name": "ill", "code": 1, "probability": [0.1, 0.3], "low": [0.0, 0.2], "high": [0.2, 0.4]}
    >>> dependence_text({"column": "age", "values": ["20", "80"], "at": [20.0, 80.0], "curves": [curve]})
    'With “age” from 20 to 80, the probability of “ill” rises from 10% to 30%.'
    """
    curve, values = dependence["curves"][0], dependence["values"]
    p = curve["probability"]
    what = f"the probability of {quoted(curve['name'])}"
    rises, falls = p == sorted(p), p == sorted(p, reverse=True)
    if dependence["at"] is not None and (rises or falls):
        verb = "rises" if rises else "falls"
        return (
            f"With {quoted(dependence['column'])} from {values[0]} to {values[-1]}, {what} {verb} from "
            f"{p[0]:.0%} to {p[-1]:.0%}."
        )
    at = "for" if dependence["at"] is None else "at"
    most, least = (
        f"{at} {quoted(values[k]) if dependence['at'] is None else values[k]} ({p[k]:.0%})"
        for k in (p.index(max(p)), p.index(min(p)))
    )
    return f"By {quoted(dependence['column'])}, {what} is largest {most} and least {least}."


def band_text(columns: ColumnsSummary) -> str:
    """Say what the intervals of the curves mean."""
    if columns["interval"] == "model":
        return "Bands and lines are 95% intervals: what the rows of training leave open, at the most."
    return "Bands and lines are 95% intervals: what another draw of rows may change; not another fit."


def slices_text(slices: SlicesSummary) -> str:
    """Say where the model errs most."""
    if not slices["looked_at"]:
        return "There are too few rows to look at parts of them."
    looks = f"{slices['looked_at']:,} slices by levels and ranges of single columns were looked at"
    if not slices["harder"]:
        return f"{looks}, and none is clearly harder than the other rows."
    worst = slices["harder"][0]
    return (
        f"{looks}. It errs most where {slice_words(worst)}: log loss {worst['log_loss']:.3f} in "
        f"{worst['rows']:,} rows, {worst['elsewhere']:.3f} elsewhere. Listed are slices that are harder than "
        "the other rows; p-values are corrected for the number of looks (Holm)."
    )


def slice_words(part: ErrorSlice) -> str:
    """A slice as part of a sentence.

    Examples
    --------
    >>> slice_words({"column": "age", "slice": "from 20 to 30"})
    '“age” is from 20 to 30'
    """
    return f"{quoted(part['column'])} is {part['slice']}"


def verdict(part: ErrorSlice) -> str:
    """Whether a slice is harder than the stated probabilities lead one to expect."""
    if part["p_unexpected"] >= 0.05:
        return "within chance of what the model expects"
    return "harder than the model expects"


def quoted(text: str) -> str:
    """A name in quotation marks, not too long."""
    return f"“{shorten(text, 40)}”"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
