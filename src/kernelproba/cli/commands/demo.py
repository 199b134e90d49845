"""``kernelproba demo``: a tour on data that ships with scikit-learn."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

#: Shown by ``--help``.
EXAMPLES = ("kernelproba demo",)


def demo(
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the report goes.")
    ] = Path("kernelproba-demo"),
) -> None:
    """Fit, compare and report on embedded data, in under two minutes."""
    from kernelproba.report.demo import run

    run(folder, command=shlex.join(["kernelproba", "demo", "--output", str(folder)]))
