"""``kernelproba serve``: a model as a small HTTP service."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernelproba.cli.errors import CommandError
from kernelproba.cli.options import Model, Quiet, with_groups
from kernelproba.cli.terminal import Terminal

if TYPE_CHECKING:
    from kernelproba.tables.files.table_file import Layout

#: Shown by ``--help``.
EXAMPLES = (
    "kernelproba serve model.skops",
    "kernelproba serve model.skops --port 9000 --training train.csv",
)


@with_groups("layout")
def serve(
    model: Model,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen at; 0.0.0.0 is the whole network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65_535, help="0 takes a free one.")] = 8000,
    training: Annotated[
        Path | None,
        typer.Option(
            "--training", metavar="FILE", help="The table of the fit: reasons compare with its rows."
        ),
    ] = None,
    max_rows: Annotated[int, typer.Option("--max-rows", min=1, help="Rows of a request.")] = 1_000,
    max_bytes: Annotated[int, typer.Option("--max-bytes", min=1, help="Bytes of a request.")] = 4_000_000,
    max_seconds: Annotated[
        float, typer.Option("--max-seconds", min=0.1, help="Time for an answer to be found.")
    ] = 30.0,
    quiet: Quiet = False,
    *,
    layout: Layout,
) -> None:
    """Answer requests for probabilities over HTTP, until it is interrupted.

    POST /predict takes {"rows": [{…}], "confidence": 0.9, "reasons": true} as JSON. GET / is a page on the
    service, GET /openapi.json describes it to programs. There is no password: listen at 127.0.0.1, or put
    it behind a server that asks for one.
    """
    from kernelproba.cli.table_model import TableModel
    from kernelproba.tables.files.table_format import open_table

    try:
        import uvicorn

        from kernelproba.cli.service.answers import Answers
        from kernelproba.cli.service.application import Limits, application
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("kernelproba"):
            raise
        raise CommandError(f"serve needs {missing.name}: pip install 'kernelproba[serve]'") from None
    terminal = Terminal(quiet=quiet)
    with terminal.warnings_as_notes():
        loaded = TableModel.load(model)
        rows = None if training is None else loaded.training_frame(open_table(training, layout))
    service = application(Answers(loaded, rows), Limits(max_bytes, max_rows, answer_seconds=max_seconds))
    # What is loaded stays: looking through it for garbage would hold up answers for a tenth of a second.
    gc.collect()
    gc.freeze()
    level = "error" if quiet else "info"
    uvicorn.run(
        service, host=host, port=port, log_level=level, access_log=False, limit_concurrency=100,
        timeout_keep_alive=5, timeout_graceful_shutdown=5, server_header=False,
    )  # fmt: skip
