"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kernelproba.cli import methods

#: Largest number of rows that a model is fitted on unless the user asks for more.  Time and memory grow at
#: least with the square: with this number, the self-tuning method takes a minute or two.
MAX_ROWS = 5_000

Data = Annotated[
    Path, typer.Argument(metavar="DATA", help="Table: .csv, .tsv (also .gz, .bz2, .xz, .zst) or .parquet.")
]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file made by 'kernelproba fit'.")]
Target = Annotated[str, typer.Option("--target", "-t", metavar="COLUMN", help="Column with the labels.")]
Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", "-x", metavar="COLUMN", help="Column to leave out; may be repeated."),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="COLUMN", help="Use only these columns; may be repeated."),
]
MaxRows = Annotated[
    int, typer.Option("--max-rows", min=2, help="Draw so many rows at random if the table has more.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of everything that is drawn at random.")]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter", "-d", metavar="CHAR", help="Between fields; guessed from the header if not given."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only (and the result of --json).")]


def complete_method(incomplete: str) -> list[tuple[str, str]]:
    """Offer the names of methods to the shell."""
    return [(name, method.summary) for name, method in methods.METHODS.items() if name.startswith(incomplete)]
