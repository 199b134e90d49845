"""What a reader should know before believing the scores, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from kernelproba.report.column_wording import quoted, slice_words
from kernelproba.report.summary_types import DefectSummary, Summary
from kernelproba.tables.fingerprints import are_shared

_LISTED, _SLICES = 6, 3


def defects(found: DefectSummary) -> list[str]:
    """Return sentences about what is wrong with the data, the worst first; a clean table should have none.

    Parameters
    ----------
    found : dict
        From `kernelproba.report.defect_summary.look_for_defects`.
    """
    parts = (_seen, _leaks, _identifiers, _wrong_slices, _drift)
    return [sentence for part in parts for sentence in part(found)]


def weaknesses(summary: Summary) -> list[str]:
    """Return sentences about what is wrong with the model: it has learnt nothing, or ignores a class.

    Parameters
    ----------
    summary : dict
        From `kernelproba.report.summary.summarise`.
    """
    return [*_learnt_nothing(summary), *_never_predicted(summary)]


def _seen(found: DefectSummary) -> Iterator[str]:
    seen, rows = found["seen_rows"], found["rows"]
    if seen and are_shared(seen, rows):
        which = "All rows" if seen == rows else f"{seen:,} of {rows:,} rows"
        yield (
            f"{which} were in the training table: their scores say how well the model remembers, not how "
            "well it predicts."
        )


def _leaks(found: DefectSummary) -> Iterator[str]:
    for column in found["leaks"][:_LISTED]:
        yield (
            f"The column {quoted(column)} tells the target almost by itself: make sure that it is known "
            "before the target is, and not made from it."
        )


def _identifiers(found: DefectSummary) -> Iterator[str]:
    for column in found["identifiers"][:_LISTED]:
        yield (
            f"The model learns from {quoted(column['name'])}, though {column['why']}: what it learns there "
            "says nothing of rows with other values. Leave the column out; if rows that share a value belong "
            "together, judge by rows of other values."
        )


def _wrong_slices(found: DefectSummary) -> Iterator[str]:
    for part in found["slices"]["unexpected"][:_SLICES]:
        yield (
            f"Where {slice_words(part)} ({part['rows']:,} rows), the model does worse than stating the "
            f"frequency of each class: log loss {part['log_loss']:.2f}, where {part['expected']:.2f} was to "
            "be expected. Labels may be swapped there, or mean something else."
        )


def _learnt_nothing(summary: Summary) -> Iterator[str]:
    own, base = summary["scores"]["log_loss"], summary["baseline"]["log_loss"]
    frequencies = "than stating the frequency of each class for every row."
    if own["low"] > base + 1e-9:  # a model may state just these frequencies
        yield f"The probabilities are worse {frequencies}"
    elif own["high"] >= base:
        yield f"The probabilities are not clearly better {frequencies}"


def _never_predicted(summary: Summary) -> Iterator[str]:
    never = [quoted(each["name"]) for each in summary["classes"] if each["rows"] and not each["predicted"]]
    if never:
        yield (
            f"Never the likeliest class of any row, though there are rows of it: {_listed(never)}. Decide by "
            "the probabilities and your costs, not by the likeliest class."
        )


def _drift(found: DefectSummary) -> Iterator[str]:
    if found["drift"]:
        shifted = [f"{quoted(each['name'])} ({each['share']:.0%})" for each in found["drift"]]
        yield (
            f"Not spread as in training: {_listed(shifted)}; in brackets, the share of rows that would have "
            "to move. What was learnt may no longer hold."
        )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
