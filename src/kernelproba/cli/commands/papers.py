"""``kernelproba papers``: the experiments of the papers, our figures beside the printed ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernelproba.cli.errors import CommandError, Stopped
from kernelproba.cli.options import Json, Quiet
from kernelproba.cli.terminal import Terminal

if TYPE_CHECKING:
    from kernelproba.papers import Reproduction

#: Shown by ``--help``.
EXAMPLES = (
    "kernelproba papers",
    "kernelproba papers roth2001 --quick --data ../shared/data",
    "kernelproba papers all --jobs 2 -o results",
)

_ALL = "all"


def _complete_name(incomplete: str) -> list[str]:
    from kernelproba.papers import names

    return [name for name in (*names(), _ALL) if name.startswith(incomplete)]


def papers(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="Of a paper, or 'all'; none lists them.", autocompletion=_complete_name
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A part of the protocol, in minutes.")] = False,
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where pages and records go.")
    ] = Path("kernelproba-papers"),
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes, of one thread each.")] = 1,
    timed: Annotated[
        bool,
        typer.Option(
            "--timed/--no-timed", help="With the tasks that measure time; they need an idle machine."
        ),
    ] = True,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="FOLDER", help="Of the data sets; by default that of KERNELPROBA_DATA."
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Reproduce a paper: run its protocol, and write tables and figures beside the printed ones.

    A run may be stopped at any time: the same command goes on where it was.
    """
    from kernelproba.papers import find, names

    terminal = Terminal(as_json=as_json, quiet=quiet)
    if name is None:
        listed = [{"name": known, "summary": find(known).summary} for known in names()]
        terminal.result({"papers": listed}, lambda screen: _list(screen, listed))
        return
    chosen = [find(known) for known in (names() if name == _ALL else (name,))]
    options = {"quick": quick, "folder": folder, "jobs": jobs, "timed": timed, "data_dir": data}
    done = [_reproduce(terminal, paper, options) for paper in chosen]
    facts = [{"page": str(page), **document} for page, document in done]
    terminal.result({"papers": facts}, lambda screen: _show(screen, done))


def _reproduce(terminal: Terminal, paper, options: dict) -> Reproduction:
    """Run one paper under a bar; what the user can put right is said in a line."""
    from kernelproba.datasets import DatasetUnavailable
    from kernelproba.papers import Interrupted, UnusableRecord, WorkerLost, reproduce

    try:
        with terminal.progress(paper.name) as set_share:
            return reproduce(paper, **options, progress=lambda done, of: set_share(done / of))
    except Interrupted as error:
        raise Stopped(str(error)) from None
    except (DatasetUnavailable, UnusableRecord, WorkerLost, ModuleNotFoundError) as error:
        raise CommandError(_advice(error)) from error


def _advice(error: Exception) -> str:
    from kernelproba.datasets import DatasetUnavailable

    return (
        f"{error}; --data names such a directory, too"
        if isinstance(error, DatasetUnavailable)
        else str(error)
    )


def _list(screen: Terminal, listed: list[dict[str, str]]) -> None:
    screen.table(["paper", "what is reproduced"], [list(paper.values()) for paper in listed])
    screen.line("\nkernelproba papers NAME --quick shows a part of one in minutes; see --help.")


def _show(screen: Terminal, done: list[Reproduction]) -> None:
    from kernelproba.papers.page import cells

    for page, document in done:
        for table in document["tables"]:
            rows = cells(table["rows"])
            title = f"{document['paper']}: {table['title']}"
            screen.table(list(rows[0]), [list(row.values()) for row in rows], title)
            screen.line()
        if document["tasks"]["done"] < document["tasks"]["of"]:
            screen.line(f"{document['tasks']['done']} of {document['tasks']['of']} tasks are done.")
        screen.line(f"page: {page}")
