"""What speaks against believing a fit, as far as its own rows tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelproba.report.identifiers import used_identifiers
from kernelproba.report.leaks import leaking_columns

if TYPE_CHECKING:
    import pandas as pd

    from kernelproba.tables import TableClassifier
    from kernelproba.tables.training_table import TrainingTable

#: Columns that are named.
_NAMED = 5

#: Different numbers from which on one that is far from them may be a code.
_LEAST_VALUES = 5

#: Share of the surprise of the class frequencies that a model must take away to have learnt something.
_LEARNT = 0.01


def fit_doubts(facts: dict[str, Any], model: TableClassifier, table: TrainingTable) -> Iterator[str]:
    """Yield sentences on slips in labels, columns that are the target or name rows, and learning nothing.

    Parameters
    ----------
    facts : dict
        From `kernelproba.cli.fit_summary.model_facts`.
    model : TableClassifier
        Fitted.
    table : TrainingTable
        Its rows.
    """
    yield from _single_labels(facts["classes"], table)
    yield from _alike_labels(facts["classes"], table)
    yield from column_doubts(model, table)
    shares = np.array(list(facts["classes"].values())) / facts["rows"]
    surprise = -float(shares @ np.log(shares))
    loss = (facts["leave_one_out"] or {}).get("log_loss")
    if loss is not None and loss > (1 - _LEARNT) * surprise:
        yield (
            f"nothing was learnt: the log loss of rows left out is {loss:.3g}, that of stating the frequency "
            f"of each class {surprise:.3g}"
        )


def column_doubts(model: TableClassifier, table: TrainingTable) -> Iterator[str]:
    """Yield sentences on columns that hold codes, are the target in disguise, or name rows.

    Parameters
    ----------
    model : TableClassifier
        Fitted.
    table : TrainingTable
        Its rows.
    """
    for column, code, share in _missing_codes(table.X):
        yield (
            f"{share:.0%} of the numbers in column '{column}' are {code:g}, far from all others: if that "
            "stands for missing, leave these cells empty"
        )
    for column in leaking_columns(table.X, table.y, model.encoder_)[:_NAMED]:
        yield (
            f"column '{column}' tells '{table.target}' almost by itself: make sure that it is known before "
            f"the target is and not made from it, else leave it out by --exclude '{column}'"
        )
    for found in used_identifiers(model, table.X):
        column, why = found["name"], found["why"]
        if column not in model.encoder_.keep:
            yield (
                f"column '{column}' is learnt from, though {why}: leave it out by --exclude '{column}', or "
                f"by --group '{column}' if rows that share a value belong together"
            )


def _single_labels(counts: dict[str, int], table: TrainingTable) -> Iterator[str]:
    """Yield which labels few rows have, if they are slips by all appearances: one row each, others many."""
    single = [label for label, count in counts.items() if count == 1]
    if single and len(single) < len(counts) - 1:
        named = ", ".join(f"'{label}'" for label in single[:_NAMED]) + (", …" if single[_NAMED:] else "")
        yield (
            f"one row only has the label {named} in '{table.target}': if that is a slip, mend or leave out "
            "the row; what one row has can be neither learnt nor judged"
        )


def _alike_labels(counts: dict[str, int], table: TrainingTable) -> Iterator[str]:
    """Yield which labels differ in capitals and blanks only."""
    spellings: dict[str, list[str]] = {}
    for label in counts:
        spellings.setdefault(" ".join(label.casefold().split()), []).append(label)
    for alike in [each for each in spellings.values() if len(each) > 1][:_NAMED]:
        named = ", ".join(f"'{label}'" for label in alike)
        yield f"{named} in '{table.target}' are taken for different labels: if they are one, write them alike"


def _missing_codes(X: pd.DataFrame) -> Iterator[tuple[str, float, float]]:
    """Yield columns of numbers in which 99, −999 or the like stands apart by more than the others' range."""
    for name, column in X.items():
        if column.dtype.kind not in "iuf":
            continue
        known = column.to_numpy(float)
        known = known[np.isfinite(known)]
        for code in {known.min(), known.max()} if len(known) else ():
            others = known[known != code]
            count, text = len(known) - len(others), f"{abs(code):.17g}"
            if text.strip("9") or count < max(3, 0.01 * len(known)) or len(np.unique(others)) < _LEAST_VALUES:
                continue
            if abs(others - code).min() > np.ptp(others):
                yield str(name), code, count / len(known)
