"""``kernelproba compress``: a smaller model file whose probabilities are nearly the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernelproba.cli.errors import CommandError
from kernelproba.cli.options import Json, Model, Quiet, with_groups
from kernelproba.cli.terminal import Terminal

if TYPE_CHECKING:
    import pandas as pd

    from kernelproba.cli.table_model import TableModel
    from kernelproba.tables.files.table_file import Layout

#: Shown by ``--help``.
EXAMPLES = (
    "kernelproba compress model.skops small.skops --centers 200",
    "kernelproba compress model.skops small.skops --max-loss 0.01 --rows new.csv",
    "kernelproba compress model.skops small.skops --centers 200 --move",
)

#: Divergence, in nats, above which the command names what would lower it.
_MUCH = 0.01
_NEARER = "--move keeps models with Gaussian kernels nearer at the same size; it takes minutes"

#: Rows of a table that are read, at most.
_MOST_ROWS = 20_000


@with_groups("layout")
def compress(
    model: Model,
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="Where to write the smaller model.")],
    centers: Annotated[
        int | None,
        typer.Option(
            "--centers", "-c", min=1, metavar="N", help="Training rows to keep in each of its kernels."
        ),
    ] = None,
    max_loss: Annotated[
        float | None,
        typer.Option(
            "--max-loss",
            metavar="NATS",
            help="As few rows as keep the mean divergence of the probabilities below this, such as 0.01.",
        ),
    ] = None,
    rows: Annotated[
        Path | None,
        typer.Option("--rows", metavar="FILE", help="Rows such as it will see; labels are not needed."),
    ] = None,
    move: Annotated[
        bool,
        typer.Option(
            "--move",
            help="Let what is kept of Gaussian kernels move: nearer to the model at the same size, after "
            "minutes; training rows no more.",
        ),
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
    *,
    layout: Layout,
) -> None:
    """Make a model file smaller and its predictions faster; the probabilities hardly change.

    The rows that tell most are kept, and their coefficients fitted anew to the probabilities of the model.
    How much these change is measured on rows that had no part in that.
    """
    from kernelproba.cli.prediction_file import check_output
    from kernelproba.cli.table_model import TableModel, open_model
    from kernelproba.compression import compress as compress_model
    from kernelproba.persistence import save_model

    terminal = Terminal(as_json=as_json, quiet=quiet)
    if (centers is None) == (max_loss is None):
        raise CommandError("say how small by --centers N, or how alike by --max-loss NATS: one of the two")
    if max_loss is not None and not max_loss > 0:
        raise CommandError("--max-loss takes a positive number of nats, such as 0.01")
    check_output(output, model)
    with terminal.warnings_as_notes():
        opened = open_model(model)
        table = opened if isinstance(opened, TableModel) else None
        if table is None and rows is not None:
            raise CommandError(f"{model.name} was saved from Python and knows no columns: leave out --rows")
        X = None if table is None or rows is None else _rows(table, rows, layout)
        classifier = opened if table is None else table.model
        with terminal.working("compressing"):
            small = compress_model(classifier, X, n_centers=centers, max_loss=max_loss, move_centers=move)
        if table is None:
            save_model(small, output)
        else:
            table.with_model(small).save(output)
    facts = {"model": output} | small.compression_ | _sizes(model, output)
    nearer = [_NEARER] if not move and facts["mean_kl"] > _MUCH else []
    terminal.notes([*nearer, f"sets, intervals and novelty are {model.name}'s alone: keep it for these"])
    terminal.result(facts, lambda screen: _show(screen, facts))


def _rows(model: TableModel, path: Path, layout: Layout) -> pd.DataFrame:
    """Return the first rows of a table."""
    import pandas as pd

    from kernelproba.tables.files.table_format import open_table

    file, parts, count = open_table(path, layout), [], 0
    model.check_columns(file)
    for X, _ in model.chunks(file, (), lambda _share: None):
        parts.append(X[: _MOST_ROWS - count])
        count += len(parts[-1])
        if count >= _MOST_ROWS:
            break
    return pd.concat(parts)


def _sizes(before: Path, after: Path) -> dict[str, int]:
    return {"bytes": after.stat().st_size, "bytes_before": before.stat().st_size}


def _show(screen: Terminal, facts: dict) -> None:
    screen.line(
        f"{facts['model']}: {facts['n_centers']:,} centres of {facts['n_centers_before']:,} in all, "
        f"{facts['bytes'] / 1e3:,.0f} kB of {facts['bytes_before'] / 1e3:,.0f} kB"
    )
    screen.line(
        f"the probabilities differ by {facts['mean_kl']:.2g} nats in the mean, "
        f"on {facts['n_rows']:,} rows that had no part in it"
    )
