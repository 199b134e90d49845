"""What a reader should know before believing the scores, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from kernelproba.report.column_wording import quoted, slice_words
from kernelproba.report.summary_types import Summary
from kernelproba.tables.fingerprints import are_shared

_LISTED, _SLICES = 6, 3


def findings(summary: Summary) -> list[str]:
    """Return sentences about what is wrong, the worst first; empty if nothing is.

    Parameters
    ----------
    summary : dict
        All else that `kernelproba.report.summary.summarise` has found.
    """
    weak = (sentence for find in (_learnt_nothing, _never_predicted) for sentence in find(summary))
    return [*defects(summary), *weak]


def defects(summary: Summary) -> list[str]:
    """Return sentences about what is wrong with the data; a clean table should have none.

    Parameters
    ----------
    summary : dict
        As of `findings`.
    """
    found = (_seen, _leaks, _identifiers, _wrong_slices, _drift)
    return [sentence for find in found for sentence in find(summary)]


def _seen(summary: Summary) -> Iterator[str]:
    seen, rows = summary["data"]["seen_rows"], summary["data"]["rows"]
    if seen and are_shared(seen, rows):
        which = "All rows" if seen == rows else f"{seen:,} of {rows:,} rows"
        yield (
            f"{which} were in the training table: their scores say how well the model remembers, not how "
            "well it predicts."
        )


def _leaks(summary: Summary) -> Iterator[str]:
    for column in summary["leaks"][:_LISTED]:
        yield (
            f"The column {quoted(column)} tells the target almost by itself: make sure that it is known "
            "before the target is, and not made from it."
        )


def _identifiers(summary: Summary) -> Iterator[str]:
    for column in summary["identifiers"][:_LISTED]:
        yield (
            f"The model learns from {quoted(column['name'])}, though {column['why']}: what it learns there "
            "says nothing of other rows. Leave the column out."
        )


def _wrong_slices(summary: Summary) -> Iterator[str]:
    for part in summary["slices"]["unexpected"][:_SLICES]:
        yield (
            f"Where {slice_words(part)} ({part['rows']:,} rows), the model does worse than stating the "
            f"frequency of each class: log loss {part['log_loss']:.2f}, where {part['expected']:.2f} was to "
            "be expected. Labels may be swapped there, or mean something else."
        )


def _learnt_nothing(summary: Summary) -> Iterator[str]:
    own, base = summary["scores"]["log_loss"], summary["baseline"]["log_loss"]
    frequencies = "than stating the frequency of each class for every row."
    if own["low"] >= base:
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


def _drift(summary: Summary) -> Iterator[str]:
    if summary["drift"]:
        shifted = [f"{quoted(each['name'])} ({each['share']:.0%})" for each in summary["drift"]]
        yield (
            f"Not spread as in training: {_listed(shifted)}; in brackets, the share of rows that would have "
            "to move. What was learnt may no longer hold."
        )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
