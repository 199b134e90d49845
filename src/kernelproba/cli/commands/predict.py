"""``kernelproba predict``: a model file and a table of any size → probabilities."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kernelproba.cli.errors import CommandError
from kernelproba.cli.options import Data, Json, Model, Quiet, with_groups
from kernelproba.cli.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    import pandas as pd
    import pyarrow as pa

    from kernelproba.cli.uncertainty_columns import UncertaintyColumns
    from kernelproba.tables.encoder import TableEncoder
    from kernelproba.tables.files.table_file import Layout, TableFile

#: p-value up to which a row counts as new.
NEW_ROW = 0.05

#: Shown by ``--help``.
EXAMPLES = (
    "kernelproba predict model.skops new.csv -o predictions.csv",
    "kernelproba predict model.skops new.csv.gz -o predictions.parquet --keep patient_id",
    "kernelproba predict model.skops new.csv -o predictions.csv --sets 0.9 --intervals --novelty",
)

_Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Where to: .csv, .tsv (also .gz, …) or .parquet; - prints CSV.",
    ),
]
_Keep = Annotated[
    list[str] | None,
    typer.Option("--keep", "-k", metavar="COLUMN", help="Column of DATA to copy; may be repeated."),
]
_RawCells = Annotated[
    bool,
    typer.Option(
        "--raw-cells",
        help="Write texts as they are, also those that a spreadsheet would run as formulas; else texts "
        "that begin with =, +, - or @ get an apostrophe in front.",
    ),
]
_Sets = Annotated[
    float | None,
    typer.Option(
        "--sets", metavar="LEVEL", help="Add the labels that cannot be ruled out at a level, such as 0.9."
    ),
]
_Intervals = Annotated[bool, typer.Option("--intervals", help="Add a 90 % interval of every probability.")]
_Novelty = Annotated[
    bool, typer.Option("--novelty", help="Add how unlike the training rows each row is, and a p-value.")
]


@with_groups("layout")
def predict(
    model: Model,
    data: Data,
    output: _Output,
    keep: _Keep = None,
    raw_cells: _RawCells = False,
    sets: _Sets = None,
    intervals: _Intervals = False,
    novelty: _Novelty = False,
    as_json: Json = False,
    quiet: Quiet = False,
    *,
    layout: Layout,
) -> None:
    """Predict labels and probabilities for new rows.

    Writes the label, the confidence (its probability) and the probability of every class, row by row. Tables
    larger than memory are read and written in chunks.
    """
    from kernelproba.cli.prediction_file import check_output, prediction_names, writing_table
    from kernelproba.cli.table_model import TableModel
    from kernelproba.cli.uncertainty_columns import UncertaintyColumns
    from kernelproba.tables.files.table_format import STANDARD_STREAM, open_table

    prints_rows = output == STANDARD_STREAM
    if prints_rows and as_json:
        raise CommandError("-o - prints the rows and --json the result: choose one of them")
    terminal = Terminal(as_json=as_json, quiet=quiet, without_results=prints_rows)
    check_output(output, data, model)
    with terminal.warnings_as_notes():
        table_model, file = TableModel.load(model), open_table(data, layout)
    notes = table_model.check_columns(file)
    extra = UncertaintyColumns(table_model, sets, intervals, novelty)
    extra.check()
    kept = _check_kept([*prediction_names(table_model.classes), *extra.names()], file, keep or [])
    terminal.notes(notes)
    start = time.perf_counter()
    with (
        terminal.warnings_as_notes(),
        writing_table(output, raw=raw_cells) as write,
        terminal.progress(f"predicting {data.name}") as progress,
    ):
        tally = _write_predictions(table_model.chunks(file, kept, progress), extra, kept, write)
        if tally.rows == 0:
            raise CommandError(f"{data.name} has a header but no rows")
    terminal.notes(tally.unfamiliar.notes())
    facts = tally.facts() | {"seconds": round(time.perf_counter() - start, 3), "output": str(output)}
    terminal.result(facts, lambda screen: _show(screen, facts))


class _Tally:
    """Counts over chunks."""

    def __init__(self, encoder: TableEncoder) -> None:
        from kernelproba.tables.unfamiliar import UnfamiliarValues

        self.unfamiliar = UnfamiliarValues(encoder)
        self.rows, self._confidence = 0, 0.0
        self._labels: Counter = Counter()
        self._sums: Counter = Counter()

    def add(self, P: np.ndarray, classes: np.ndarray, columns: dict[str, object]) -> None:
        """Count the rows of P (n, c), and what their further columns say."""
        import numpy as np

        counts = np.bincount(P.argmax(axis=1), minlength=len(classes))
        self._labels.update(dict(zip(map(str, classes.tolist()), counts.tolist(), strict=True)))
        self.rows, self._confidence = self.rows + len(P), self._confidence + float(P.max(axis=1).sum())
        if "set_size" in columns:
            size = np.asarray(columns["set_size"])
            self._sums.update(mean_set_size=int(size.sum()), single_labels=int((size == 1).sum()))
        if "novelty_p_value" in columns:
            self._sums["new_rows"] += int((np.asarray(columns["novelty_p_value"]) <= NEW_ROW).sum())

    def facts(self) -> dict[str, object]:
        """Return the counts for people and programs."""
        return {
            "rows": self.rows,
            "labels": dict(self._labels),
            "mean_confidence": self._confidence / max(self.rows, 1),
            "unfamiliar_values": self.unfamiliar.shares(),
        } | {name: total / max(self.rows, 1) for name, total in self._sums.items()}


def _write_predictions(
    chunks: Iterator[tuple[pd.DataFrame, pa.RecordBatch]],
    extra: UncertaintyColumns,
    kept: list[str],
    write: Callable[[pa.Table], None],
) -> _Tally:
    """Predict chunk by chunk, hand the rows on to be written, and count them."""
    import pyarrow as pa

    from kernelproba.cli.prediction_file import prediction_columns

    model = extra.model
    tally = _Tally(model.model.encoder_)
    for X, batch in chunks:
        P = model.model.predict_proba(X)
        found = prediction_columns(P, model.classes) | extra.columns(X, P)
        write(pa.table({name: batch.column(name) for name in kept} | found))
        tally.add(P, model.classes, found)
        tally.unfamiliar.add(X)
    return tally


def _check_kept(taken: list[str], file: TableFile, keep: list[str]) -> list[str]:
    """Return the columns to copy, if they are there and their names are not taken."""
    from kernelproba.tables.training_table import check_column

    for name in keep:
        check_column(file, name)
        if name in taken:
            raise CommandError(f"column '{name}' cannot be kept: a column of the result has that name")
    return list(dict.fromkeys(keep))


def _show(screen: Terminal, facts: dict[str, Any]) -> None:
    from kernelproba.report.wording import seconds

    rows = [
        (label, f"{count:,}", f"{count / facts['rows']:.1%}")
        for label, count in sorted(facts["labels"].items(), key=lambda item: -item[1])[:12]
    ]
    screen.table(["label", "rows", "share"], rows)
    if len(facts["labels"]) > len(rows):
        screen.line(f"… and {len(facts['labels']) - len(rows)} more labels")
    if "mean_set_size" in facts:
        screen.line(
            f"sets have {facts['mean_set_size']:.2f} labels on average, {facts['single_labels']:.1%} have one"
        )
    if "new_rows" in facts:
        screen.line(f"{facts['new_rows']:.1%} of the rows are new to the model (p-value up to {NEW_ROW})")
    screen.line(
        f"{facts['rows']:,} rows in {seconds(facts['seconds'])}, "
        f"mean confidence {facts['mean_confidence']:.3f}, written to {facts['output']}"
    )
