"""From a table to a model file, with rows held out to judge it by if that is asked for."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernelproba.cli.errors import CommandError
from kernelproba.cli.fit_progress import forget_callbacks, reporting_progress
from kernelproba.cli.methods import with_few_centers

if TYPE_CHECKING:
    import pandas as pd

    from kernelproba.cli.table_model import TableModel
    from kernelproba.cli.terminal import Terminal
    from kernelproba.tables.training_table import TableSelection, TrainingTable
    from kernelproba.typing import Classifier

#: Share of rows that is held out for a report.
_HELD_OUT = 0.25


@dataclass(frozen=True)
class Splitting:
    """Which rows are held out, where the report on them goes, and whether sets of labels are wanted."""

    report: Path | None = None
    share: float | None = None
    group: str | None = None
    time: str | None = None
    sets: bool | None = None

    def check(self, *inputs: Path) -> None:
        """Complain of options that do not go together."""
        from kernelproba.cli.evaluation import check_report

        if self.group is not None and self.time is not None:
            raise CommandError("--group and --time: rows are held out by one of them, not by both")
        if self.report is not None:
            check_report(self.report, *inputs)

    def choice(self, target: str, **options: Any) -> TableSelection:
        """Return which part of a table to learn from: not from the column that tells groups apart."""
        from kernelproba.tables.training_table import TableSelection

        options["exclude"] = (*options["exclude"], *([self.group] if self.group else []))
        return TableSelection(target, beside=self.group or self.time, **options)

    def split(self, table: TrainingTable, seed: int) -> tuple[TrainingTable, TrainingTable | None]:
        """Return the rows to learn from and those to judge by, if any are held out."""
        from kernelproba.cli.hold_out import hold_out

        if self.report is None and self.share is None and table.beside is None:
            return table, None
        return hold_out(table, self.share or _HELD_OUT, seed, by_time=self.time is not None)

    def judge(
        self,
        terminal: Terminal,
        model: TableModel,
        table: TrainingTable,
        held: TrainingTable,
        rivals: pd.DataFrame | None,
    ) -> dict[str, object]:
        """Return the scores of the rows held out, and write the report."""
        from kernelproba.cli.evaluation import evaluation_facts, predict_held_out, write_model_report

        with terminal.warnings_as_notes():
            rows = predict_held_out(terminal, model, held)
            facts = evaluation_facts(model, rows) | {"by": self.group or self.time or "chance"}
            if self.report is not None:
                training = (table.X, table.y)
                facts["findings"] = write_model_report(terminal, self.report, model, rows, training, rivals)
                facts["report"] = str(self.report)
        return facts


def learn(
    terminal: Terminal,
    method: tuple[str, Classifier],
    source: tuple[TableSelection, TrainingTable],
    splitting: Splitting,
    output: Path | None,
    rivals: pd.DataFrame | None = None,
) -> dict[str, object]:
    """Fit a classifier on a table, write the model, judge it; return what there is to say.

    Parameters
    ----------
    terminal : Terminal
        For notes and progress.
    method : (str, classifier)
        Its name, and it.
    source : (TableSelection, TrainingTable)
        What was asked for, and what was read.
    splitting : Splitting
        Rows to hold out, and the report.
    output : Path or None
        Model file to write.
    rivals : DataFrame, optional
        A comparison for the report.
    """
    from kernelproba.cli.fit_doubts import fit_doubts
    from kernelproba.cli.fit_summary import model_facts
    from kernelproba.cli.set_calibration import calibrate_sets
    from kernelproba.cli.table_model import TableModel
    from kernelproba.cli.training import encoder_for, without_dropped
    from kernelproba.tables import TableClassifier
    from kernelproba.tables.kinds import DROPPED

    (name, classifier), (choice, whole) = method, source
    kept, held = splitting.split(whole, choice.seed)
    table, described = without_dropped(terminal, kept, choice)
    classifier = with_few_centers(classifier, len(table.y))
    start = time.perf_counter()
    counting = terminal.counting(f"fitting {len(table.y):,} rows")
    with terminal.warnings_as_notes(), counting as update, reporting_progress(classifier, update):
        model = TableClassifier(classifier, encoder_for(choice)).fit(table.X, table.y)
        forget_callbacks(model.estimator_)
    seconds = time.perf_counter() - start
    left_out = {each.name: each.why for each in described if each.kind == DROPPED}
    grouped = splitting.group is not None
    sets, set_facts = calibrate_sets(terminal, model, table, grouped=grouped, wanted=splitting.sets)
    fitted = replace(TableModel.of(model, table, name, left_out), grouped=grouped, sets=sets)
    if output is not None:
        fitted.save(output)
    facts = model_facts(fitted, described) | {
        "seconds": round(seconds, 3),
        "sets": set_facts,
        "output": None if output is None else str(output),
    }
    with terminal.warnings_as_notes():
        terminal.notes(fit_doubts(facts, model, table))
    if held is not None:
        facts["held_out"] = splitting.judge(terminal, fitted, table, held, rivals)
    return facts
