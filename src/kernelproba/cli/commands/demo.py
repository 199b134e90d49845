"""``kernelproba demo``: a tour on data that ships with scikit-learn."""

from __future__ import annotations

import io
import shlex
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from kernelproba.cli.options import Json, Quiet
from kernelproba.cli.terminal import Terminal

#: Shown by ``--help``.
EXAMPLES = ("kernelproba demo",)


def demo(
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the report goes.")
    ] = Path("kernelproba-demo"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit, compare and report on embedded data, in under two minutes."""
    from kernelproba.report.demo import run_demo

    # The tour prints as it goes: beside JSON that belongs to the standard error.
    told = redirect_stdout(io.StringIO() if quiet else sys.stderr) if as_json or quiet else nullcontext()
    with told:
        reports = run_demo(folder, command=shlex.join(["kernelproba", "demo", "--output", str(folder)]))
    if as_json:
        Terminal(as_json=True).result({"reports": [str(path) for path in reports]}, lambda _screen: None)
