"""``kernelproba page``: a model file → a page on which to try it, in any browser."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernelproba.cli.options import Json, Model, Quiet
from kernelproba.cli.terminal import Terminal

if TYPE_CHECKING:
    from kernelproba.cli.table_model import TableModel
    from kernelproba.page import WrittenPage

#: Shown by ``--help``.
EXAMPLES = (
    "kernelproba page model.skops -o model.html",
    "kernelproba page model.skops -o model.html --without-rows",
)


def page(
    model: Model,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to, such as model.html.")
    ],
    without_rows: Annotated[
        bool,
        typer.Option(
            "--without-rows", help="Show no training rows, and so no reasons: for pages that others will see."
        ),
    ] = False,
    max_mb: Annotated[
        float,
        typer.Option("--max-mb", min=0.01, metavar="MB", help="Compress a model whose page would be larger."),
    ] = 5.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a page on which to try a model: one file, without network, that predicts in the browser.

    It has a field for every column, and shows the probabilities as one types, the training rows that speak
    for and against, how new the row is, the labels that cannot be ruled out, and what the model is worth.
    The centres of a kernel machine are training rows: its numbers hold them in encoded form even where
    --without-rows shows none. A model that was saved from Python has a field for every feature.
    """
    from kernelproba.cli.prediction_file import check_output
    from kernelproba.cli.table_model import TableModel, open_model
    from kernelproba.page import write_model_page

    terminal = Terminal(as_json=as_json, quiet=quiet)
    check_output(output, model)
    with terminal.warnings_as_notes(), terminal.working("writing the page"):
        opened, why_no_sets = open_model(model), None
        write = partial(
            write_model_page, path=output, with_rows=not without_rows, max_bytes=int(1e6 * max_mb)
        )
        if isinstance(opened, TableModel):
            why_no_sets = _why_no_sets(opened)
            written = write(
                opened.model if opened.sets is None else opened.sets,
                labels=opened.labels,
                target=opened.target,
                row_names=opened.rows,
                left_out=opened.left_out,
                with_sets=why_no_sets is None,
            )
        else:
            written = write(opened)
    if why_no_sets is not None:
        terminal.notes([f"the page shows no sets of labels: {why_no_sets}"])
    facts = {"output": str(output), "bytes": written.bytes, "compression": written.compression}
    terminal.result(facts, lambda screen: _show(screen, written))


def _why_no_sets(loaded: TableModel) -> str | None:
    """Return why 'kernelproba predict' would refuse sets of labels, None if it would not."""
    from kernelproba.cli.set_calibration import label_sets

    try:
        label_sets(loaded)
    except ValueError as error:
        return str(error)
    return None


def _show(screen: Terminal, written: WrittenPage) -> None:
    screen.line(f"{written.path}: {written.bytes / 1e3:,.0f} kB; open it in a browser")
    if written.compression is not None:
        kept, before = written.compression["n_centers"], written.compression["n_centers_before"]
        screen.line(
            f"to be no larger it shows {kept:,} centres of {before:,}: the probabilities differ by "
            f"{written.compression['mean_kl']:.2g} nats in the mean"
        )
