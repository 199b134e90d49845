"""What speaks against believing a fit, as far as its own rows tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelproba.report.identifiers import used_identifiers
from kernelproba.report.leaks import leaking_columns

if TYPE_CHECKING:
    from kernelproba.tables import TableClassifier
    from kernelproba.tables.training_table import TrainingTable

#: Columns that are named.
_NAMED = 5

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
    shares = np.array(list(facts["classes"].values())) / facts["rows"]
    surprise = -float(shares @ np.log(shares))
    loss = (facts["leave_one_out"] or {}).get("log_loss")
    if loss is not None and loss > (1 - _LEARNT) * surprise:
        yield (
            f"nothing was learnt: the log loss of rows left out is {loss:.3g}, that of stating the frequency "
            f"of each class {surprise:.3g}"
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
