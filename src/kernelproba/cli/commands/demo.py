"""``kernelproba demo``: a tour on data that ships with scikit-learn."""

from __future__ import annotations

import io
import shlex
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated, TextIO

import typer

from kernelproba.cli.options import Jobs, Json, Quiet
from kernelproba.cli.terminal import Terminal

#: Shown by ``--help``.
EXAMPLES = ("kernelproba demo",)


def demo(
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the report goes.")
    ] = Path("kernelproba-demo"),
    jobs: Jobs = 1,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit, compare and report on embedded data, in under two minutes."""
    from joblib import parallel_config

    from kernelproba.report.demo import run_demo

    # The tour prints as it goes: beside JSON that belongs to the standard error.
    told = _Told(None if quiet else sys.stderr)
    with redirect_stdout(told) if as_json or quiet else nullcontext(), parallel_config(n_jobs=jobs):
        reports = run_demo(folder, command=shlex.join(["kernelproba", "demo", "--output", str(folder)]))
    if as_json:
        facts: dict[str, object] = {
            "reports": [str(path) for path in reports],
            "told": told.getvalue().splitlines(),
        }
        Terminal(as_json=True).result(facts, lambda _screen: None)


class _Told(io.StringIO):
    """What is printed, kept and handed on."""

    def __init__(self, stream: TextIO | None):
        super().__init__()
        self._stream = stream

    def write(self, text: str) -> int:
        """Keep a text, and print it where that is wanted."""
        if self._stream is not None:
            self._stream.write(text)
        return super().write(text)
