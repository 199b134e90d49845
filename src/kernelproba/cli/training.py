"""From a file to rows to learn from, and the encoder that they ask for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kernelproba.tables import TableEncoder
from kernelproba.tables.files.table_format import open_table
from kernelproba.tables.kinds import DROPPED, ColumnKind
from kernelproba.tables.training_table import TableSelection, TrainingTable, read_training_table

if TYPE_CHECKING:
    from kernelproba.cli.terminal import Terminal
    from kernelproba.tables.files.table_file import Layout


def load_training_table(
    terminal: Terminal, path: Path, layout: Layout, choice: TableSelection
) -> TrainingTable:
    """Read a table from a file, and print what the user should know of it."""
    with terminal.counting(f"reading {path.name}") as update:
        table = read_training_table(
            open_table(path, layout), choice, lambda share: update(round(100 * share), 100, "")
        )
    terminal.notes(table.notes)
    return table


def without_dropped(
    terminal: Terminal, table: TrainingTable, choice: TableSelection
) -> tuple[TrainingTable, list[ColumnKind]]:
    """Return the table without columns that cannot be learnt from, and what each column was taken for.

    Later tables then need not have them.
    """
    encoder = encoder_for(choice).fit(table.X, table.y)
    described = [_with_reason(each, table.reasons[each.name]) for each in encoder.columns_]
    dropped = [each for each in described if each.kind == DROPPED]
    terminal.notes(f"column '{each.name}' is left out: {each.why} (see --kind)" for each in dropped)
    readings = {each.name: table.readings[each.name] for each in described if each.kind != DROPPED}
    return replace(table, X=table.X[list(readings)], readings=readings), described


def _with_reason(found: ColumnKind, why_read: str) -> ColumnKind:
    """Add to the reason for a kind how the texts of a file were read."""
    plain = why_read in ("text", "numbers", "the file says so") or found.kind == DROPPED
    return found if plain else replace(found, why=why_read)


def encoder_for(choice: TableSelection) -> TableEncoder:
    """Return the encoder of a table that was read by a choice: its texts have been read already."""
    kinds = {name: kind for name, kind in choice.kinds.items() if kind != DROPPED and name != choice.target}
    return TableEncoder(
        kinds=kinds or None, read_texts=False, keep=tuple(choice.only), random_state=choice.seed
    )
